"""Sample interactions of an interactive or multi-pass problem, shown instead of input and answer.

Source: "Samples for interactive and multi-pass problems" (2025-09) and "Interactive problems" (legacy) of the package
format: lines that begin with `>` are written by the submission, lines that begin with `<` by the interactor; a line
`---` stands between two passes.
"""

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path

from problems.diagnostics import Report
from problems.format.files import printable
from problems.package import SampleInteraction, Spoken
from problems.translation import Sentence

SUFFIX = ".interaction"
PROGRAM, INTERACTOR = "program", "interactor"
_SPEAKERS = {">": PROGRAM, "<": INTERACTOR}
_BETWEEN = "---"
_DISPLAYS = {"input": (".in.statement", SUFFIX), "answer": (".ans.statement", SUFFIX, ".out")}  # one of each at most
_OVERRIDES = (".in.statement", ".ans.statement", ".in.download", ".ans.download")
_FOLDER = "data/sample/"
_MOST_BYTES = 64 * 1024


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


def read_turns(path: Path) -> tuple[tuple[Spoken, ...], bool]:
    """Return the turns in order, and whether the file is too long to read whole."""
    with path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    lines = (line for line in raw[:_MOST_BYTES].decode("utf-8", "replace").splitlines() if line.strip())
    turns = []
    for speaker, turn in groupby(lines, key=lambda line: _SPEAKERS.get(line[0], "")):
        text = "\n".join(line[1:].removeprefix(" ") if speaker else line for line in turn)
        turns.append(Spoken(speaker=speaker, text=text))
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


def _is_sample(name: str, suffix: str) -> bool:
    return name.startswith(_FOLDER) and name.endswith(suffix)
