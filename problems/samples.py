"""The samples as the statement page shows them, and the files that it offers for each.

Source: "Sample data" of the package format 2025-09: NAME.in.statement and NAME.ans.statement are shown in place of
input and answer, NAME.in.download and NAME.ans.download are offered in their place, NAME.out is an example output for
an answer that is none; of an interactive problem only conversations are shown, since its input is not the program's.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NotRequired, TypedDict

from problems.files import is_left_out
from problems.interactions import read_turns
from problems.package import Package

_FOLDER = "data/sample"
_MOST_BYTES = 64 * 1024
_SHOWN_INPUTS = (".in.statement", ".in")  # the first that is there
_SHOWN_ANSWERS = (".ans.statement", ".out", ".ans")
_OFFERED_INPUTS = (".in.download", ".in")
_OFFERED_ANSWERS = (".ans.download", ".out", ".ans")


class Spoken(TypedDict):
    """What one of two said: `speaker` is "program", "interactor", or "" for neither."""

    speaker: str
    text: str


class Sample(TypedDict):
    """A sample as the page shows it: either `dialogue`, or `input` and `answer`."""

    name: str
    input: NotRequired[str]
    answer: NotRequired[str]
    dialogue: NotRequired[list[Spoken]]
    is_cut: NotRequired[bool]  # it is longer, and the page shows its beginning
    downloads: NotRequired[list[str]]  # names in the package


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownSample:
    """A sample, and what is offered with it: name in the package and file."""

    sample: Sample
    downloads: tuple[tuple[str, Path], ...] = ()


def shown(text: str) -> str:
    """The text without NUL, which PostgreSQL does not take."""
    return text.replace("\x00", "\N{SYMBOL FOR NULL}")


def shown_samples(package: Package) -> tuple[ShownSample, ...]:
    """Return the samples in the order in which the page shows them."""
    dialogues = {interaction.name: interaction.path for interaction in package.interactions}
    files = _Files(package.path)
    names = {*dialogues, *(() if package.is_interactive else files.names())}
    samples = []
    for name in sorted(names, key=lambda name: name.split("/")):
        made = _dialogue(name, dialogues[name]) if name in dialogues else _pair(name, files)
        if made is not None:
            offered = tuple(_offered(name, files, is_interactive=package.is_interactive))
            if offered:
                made["downloads"] = [shown(file) for file, _ in offered]
            samples.append(ShownSample(sample=made, downloads=offered))
    return tuple(samples)


class _Files:
    """The files below data/sample of a package that was loaded: none of them leads out of it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def names(self) -> set[str]:
        """Of everything that could be shown as input and answer, e.g. "sample/1"."""
        return {
            path.relative_to(self._root / "data").as_posix().removesuffix(suffix)
            for suffix in _SHOWN_INPUTS
            for path in (self._root / _FOLDER).rglob(f"*{suffix}")
            if not any(is_left_out(part) for part in path.relative_to(self._root).parts)
        }

    def first(self, name: str, suffixes: tuple[str, ...]) -> tuple[str, Path] | None:
        """Name in the package and path of the first that is there."""
        for suffix in suffixes:
            path = self._root / f"data/{name}{suffix}"
            if path.is_file():
                return f"data/{name}{suffix}", path
        return None


def _offered(name: str, files: _Files, *, is_interactive: bool) -> Iterator[tuple[str, Path]]:
    for suffixes in (_OFFERED_INPUTS, _OFFERED_ANSWERS):
        if found := files.first(name, suffixes[:1] if is_interactive else suffixes):
            yield found


def _pair(name: str, files: _Files) -> Sample | None:
    given, answer = files.first(name, _SHOWN_INPUTS), files.first(name, _SHOWN_ANSWERS)
    if given is None or answer is None:
        return None
    (given_text, is_given_cut), (answer_text, is_answer_cut) = _text(given[1]), _text(answer[1])
    sample = Sample(name=shown(name), input=given_text, answer=answer_text)
    if is_given_cut or is_answer_cut:
        sample["is_cut"] = True
    return sample


def _dialogue(name: str, path: Path) -> Sample:
    turns, is_cut = read_turns(path)
    spoken = [Spoken(speaker=turn.speaker, text=shown(turn.text)) for turn in turns]
    sample = Sample(name=shown(name), dialogue=spoken)
    if is_cut:
        sample["is_cut"] = True
    return sample


def _text(path: Path) -> tuple[str, bool]:
    with path.open("rb") as file:
        raw = file.read(_MOST_BYTES + 1)
    return shown(raw[:_MOST_BYTES].decode("utf-8", "replace")), len(raw) > _MOST_BYTES


def offered_name(name: str) -> str:
    """How a sample's file is called on the reader's disk: without its folders and ".download"."""
    return PurePosixPath(name).name.removesuffix(".download")
