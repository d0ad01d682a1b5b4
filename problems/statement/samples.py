"""The samples on the statement page, and the files offered for each.

Source: "Sample data" of the package format 2025-09: NAME.in.statement and NAME.ans.statement are shown in place of
input and answer, NAME.in.download and NAME.ans.download are offered in their place, NAME.out is an example output for
an answer that is none; of an interactive problem only conversations are shown, since its input is not the program's.
"""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from problems.format.interactions import read_turns
from problems.package import Package, Sample

MOST_SAMPLES = 100  # on a page
_MOST_BYTES = 64 * 1024
_SHOWN_INPUTS = (".in.statement", ".in")  # the first that is there
_SHOWN_ANSWERS = (".out", ".ans.statement", ".ans")
_OFFERED_INPUTS = (".in.download", ".in")
_OFFERED_ANSWERS = (".ans.download", ".out", ".ans")


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownSample:
    """A sample, and the file offered with it: name in the package and path."""

    sample: Sample
    downloads: tuple[tuple[str, Path], ...] = ()


def shown(text: str) -> str:
    """Return the text without NUL, which PostgreSQL does not accept."""
    return text.replace("\x00", "\N{SYMBOL FOR NULL}")


def shown_samples(package: Package) -> tuple[ShownSample, ...]:
    """Return the first MOST_SAMPLES samples, in the page's order."""
    dialogues = {interaction.name: interaction.path for interaction in package.interactions}
    cases = {case.name: case for case in package.test_cases if case.is_sample and not package.is_interactive}
    samples = []
    for name in sorted({*dialogues, *cases}, key=lambda name: name.split("/"))[:MOST_SAMPLES]:
        if name in dialogues:
            turns, is_cut = read_turns(dialogues[name])
            spoken = tuple(replace(turn, text=shown(turn.text)) for turn in turns)
            sample = Sample(name=shown(name), dialogue=spoken, is_cut=is_cut)
        else:
            case = cases[name]
            _, input_path = _first(package.path, name, _SHOWN_INPUTS) or ("", case.input)
            _, answer_path = _first(package.path, name, _SHOWN_ANSWERS) or ("", case.answer)
            (input_text, is_input_cut), (answer, is_answer_cut) = _text(input_path), _text(answer_path)
            sample = Sample(
                name=shown(name),
                input=input_text,
                answer=answer,
                args=shown(shlex.join(case.args)),
                is_cut=is_input_cut or is_answer_cut,
            )
        kinds = (_OFFERED_INPUTS, _OFFERED_ANSWERS)
        wanted = [(name, suffixes[:1] if package.is_interactive else suffixes) for suffixes in kinds]
        if name in cases:  # what the program finds beside it
            wanted += [(f"{name}.files/{beside}", ("",)) for beside, _ in cases[name].files]
        offered = tuple(file for stem, suffixes in wanted if (file := _first(package.path, stem, suffixes)))
        sample = replace(sample, downloads=tuple(shown(file) for file, _ in offered))
        samples.append(ShownSample(sample=sample, downloads=offered))
    return tuple(samples)


def _first(root: Path, name: str, suffixes: Iterable[str]) -> tuple[str, Path] | None:
    paths = ((f"data/{name}{suffix}", root / f"data/{name}{suffix}") for suffix in suffixes)
    return next(((file, path) for file, path in paths if path.is_file()), None)


def _text(path: Path) -> tuple[str, bool]:
    with path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    return shown(raw[:_MOST_BYTES].decode("utf-8", "replace")), len(raw) > _MOST_BYTES


def offered_name(name: str) -> str:
    """Return the download name of a sample's file: without its folders and ".download"."""
    return PurePosixPath(name).name.removesuffix(".download")
