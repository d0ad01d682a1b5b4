"""Sample interactions of an interactive or multi-pass problem, shown instead of input and answer.

Source: "Samples for interactive and multi-pass problems" (2025-09) and "Interactive problems" (legacy) of the package
format: lines that begin with `>` are written by the submission, lines that begin with `<` by the interactor; a line
`---` stands between two passes.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from problems.diagnostics import Report
from problems.format.files import printable
from problems.package import SampleInteraction
from problems.translation import Sentence

SUFFIX = ".interaction"
PROGRAM, INTERACTOR = "program", "interactor"
_SPEAKERS = {">": PROGRAM, "<": INTERACTOR}
_BETWEEN = "---"
_DISPLAYS = {"input": (".in.statement", SUFFIX), "answer": (".ans.statement", SUFFIX, ".out")}  # one of each at most
_OVERRIDES = (".in.statement", ".ans.statement", ".in.download", ".ans.download")
_FOLDER = "data/sample/"
_MOST_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """Consecutive lines of one side. `speaker` is "program", "interactor", or "" for neither."""

    speaker: str
    text: str


def find_interactions(
    files: Mapping[str, Path], report: Report, *, is_interactive: bool, is_dialogue: bool
) -> tuple[SampleInteraction, ...]:
    """Return the sample interactions by name. Only dialogues (interactive or multi-pass problems) show them."""
    _judge_display_files(files, report, is_dialogue=is_dialogue)
    if not is_dialogue:
        return ()
    stems = {name.removesuffix(SUFFIX) for name in files if _is_sample(name, SUFFIX)}
    interactions = tuple(
        SampleInteraction(name=stem.removeprefix("data/"), path=files[f"{stem}{SUFFIX}"])
        for stem in sorted(stems, key=lambda stem: stem.split("/"))
    )
    for interaction in interactions:
        turns, _ = read_turns(interaction.path)
        if any(not turn.speaker and {*turn.text.splitlines()} != {_BETWEEN} for turn in turns):
            why = Sentence("has a line that begins with neither < nor >: it is shown as said by nobody")
            report.warn(printable(f"data/{interaction.name}{SUFFIX}"), "", why)
    for name in files if is_interactive else ():
        if _is_sample(name, ".in") and name.removesuffix(".in") not in stems:
            why = Sentence(
                "has no %(suffix)s file: of an interactive problem, the page shows no input and no answer",
                suffix=SUFFIX,
            )
            report.warn(printable(name), "", why)
    return interactions


def read_turns(path: Path) -> tuple[tuple[Turn, ...], bool]:
    """Return the turns in order, and whether the file is too long to read whole."""
    with path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    lines = _lines(raw[:_MOST_BYTES])
    turns = [
        Turn(speaker=speaker, text="\n".join(text for _, text in spoken))
        for speaker, spoken in groupby(lines, key=lambda line: line[0])
    ]
    return tuple(turns), len(raw) > _MOST_BYTES


def _judge_display_files(files: Mapping[str, Path], report: Report, *, is_dialogue: bool) -> None:
    for name in files:
        if not name.startswith("data/"):
            continue
        if name.endswith(SUFFIX) and not is_dialogue:
            why = Sentence("is not shown: the problem is neither interactive nor multi-pass")
            report.warn(printable(name), "", why)
        elif name.endswith(SUFFIX) and not name.startswith(_FOLDER):
            report.warn(printable(name), "", Sentence("is not shown: only samples are"))
        elif name.endswith(_OVERRIDES) and name.startswith(_FOLDER):
            stem = name.rsplit(".", 2)[0]
            if f"{stem}.in" not in files and f"{stem}{SUFFIX}" not in files:
                report.warn(printable(name), "", Sentence("is not shown: there is no sample of this name"))
            for part, endings in _DISPLAYS.items():
                there = [ending for ending in endings if f"{stem}{ending}" in files]
                if name.endswith(endings) and len(there) > 1:
                    names = " and ".join(there)
                    why = (
                        Sentence("is one of several files to show as the input: %(files)s", files=names)
                        if part == "input"
                        else Sentence("is one of several files to show as the answer: %(files)s", files=names)
                    )
                    report.warn(printable(name), "", why)


def _lines(content: bytes) -> Iterable[tuple[str, str]]:
    """Return speaker and text of each line; one space after the sign belongs to neither."""
    for line in content.decode("utf-8", "replace").splitlines():
        if not line.strip():
            continue
        speaker = _SPEAKERS.get(line[0], "")
        yield speaker, line[1:].removeprefix(" ") if speaker else line


def _is_sample(name: str, suffix: str) -> bool:
    return name.startswith(_FOLDER) and name.endswith(suffix)
