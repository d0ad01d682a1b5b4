"""Sample interactions of an interactive problem: what the page shows instead of input and answer.

Source: "Samples for interactive and multi-pass problems" (2025-09) and "Interactive problems" (legacy) of the package
format: lines that begin with `>` are written by the submission, lines that begin with `<` by the interactor.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from problems.files import printable
from problems.package import SampleInteraction
from problems.report import Report

SUFFIX = ".interaction"
PROGRAM, INTERACTOR = "program", "interactor"
_SPEAKERS = {">": PROGRAM, "<": INTERACTOR}
_DISPLAY_OVERRIDES = (".in.statement", ".ans.statement")
_DOWNLOADS = (".in.download", ".ans.download")
_FOLDER = "data/sample/"
_MOST_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Lines that one of the two wrote without a break. `speaker` is "program", "interactor", or "" for neither."""

    speaker: str
    text: str


def find_interactions(
    files: Mapping[str, Path], report: Report, *, is_interactive: bool
) -> tuple[SampleInteraction, ...]:
    """Return the sample interactions by name. Files that only overrule what a page shows are judged here."""
    _judge_display_files(files, report, is_interactive=is_interactive)
    if not is_interactive:
        return ()
    stems = sorted({name.removesuffix(SUFFIX) for name in files if _is_sample(name, SUFFIX)}, key=_by_folder)
    found = tuple(SampleInteraction(name=stem.removeprefix("data/"), path=files[f"{stem}{SUFFIX}"]) for stem in stems)
    for interaction in found:
        _check_lines(interaction, report)
    for name in files:
        if _is_sample(name, ".in") and name.removesuffix(".in") not in stems:
            why = f"has no {SUFFIX} file: of an interactive problem, the page shows no input and no answer"
            report.warn(printable(name), "", why)
    return found


def read_turns(path: Path) -> tuple[tuple[Turn, ...], bool]:
    """Who wrote what, in order; and whether the file is too long to be taken whole."""
    with path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    lines = _lines(raw[:_MOST_BYTES])
    turns = [
        Turn(speaker=speaker, text="\n".join(text for _, text in spoken))
        for speaker, spoken in groupby(lines, key=lambda line: line[0])
    ]
    return tuple(turns), len(raw) > _MOST_BYTES


def _judge_display_files(files: Mapping[str, Path], report: Report, *, is_interactive: bool) -> None:
    for name in files:
        if not name.startswith("data/"):
            continue
        is_dialogue = name.endswith(SUFFIX)
        if is_dialogue and not is_interactive:
            report.warn(printable(name), "", "is not shown: the problem is not interactive")
        elif is_dialogue and not name.startswith(_FOLDER):
            report.warn(printable(name), "", "is not shown: only samples are")
        elif name.endswith(_DISPLAY_OVERRIDES):
            report.warn(printable(name), "", "is not shown yet: the page shows the sample itself")
        elif name.endswith(_DOWNLOADS) and not _belongs_to_dialogue(name, files):
            report.warn(printable(name), "", "is not offered yet: the page shows the sample itself")


def _belongs_to_dialogue(name: str, files: Mapping[str, Path]) -> bool:
    """Beside a sample interaction the format demands files for download; who wants none of them loses nothing."""
    stem = name.rsplit(".", 2)[0]
    return f"{stem}{SUFFIX}" in files


def _check_lines(interaction: SampleInteraction, report: Report) -> None:
    turns, _ = read_turns(interaction.path)
    if any(not turn.speaker for turn in turns):
        why = "has a line that begins with neither < nor >: it is shown as said by nobody"
        report.warn(printable(f"data/{interaction.name}{SUFFIX}"), "", why)


def _lines(content: bytes) -> Iterable[tuple[str, str]]:
    """Speaker and text of each line; one space after the sign belongs to neither."""
    for line in content.decode("utf-8", "replace").splitlines():
        if not line.strip():
            continue
        speaker = _SPEAKERS.get(line[0], "")
        yield speaker, line[1:].removeprefix(" ") if speaker else line


def _is_sample(name: str, suffix: str) -> bool:
    return name.startswith(_FOLDER) and name.endswith(suffix)


def _by_folder(stem: str) -> list[str]:
    return stem.split("/")
