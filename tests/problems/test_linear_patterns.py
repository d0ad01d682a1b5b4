"""Texts of setters are searched in time that grows with their length, not with its square."""

import time
from collections.abc import Callable

import pytest

from problems.convert import source
from problems.convert.polygon import statements
from problems.format import problemyaml
from problems.statement import pictures
from problems.statement.statement import Surroundings, _Work

_TIMES = 4  # so much longer is the second text
_MOST_GROWTH = 10.0  # of its time: a square would be 16


def in_code(text: str) -> object:
    return _Work(Surroundings()).with_samples(f"<code>{text}</code>")


def quickest(look: Callable[[str], object], text: str) -> float:
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        look(text)
        times.append(time.perf_counter() - begin)
    return min(times)


@pytest.mark.parametrize(
    ("look", "head", "unit"),
    [
        (in_code, "", " "),
        (in_code, "", "TallySampleHerenext. "),
        (source._HEADING.match, "", "\n"),
        (source._HEADING.match, "# a", " #"),
        (source._HEADING.match, "#", "\t"),
        (statements._PICTURE.findall, "", "\\includegraphics["),
        (statements._PICTURE.findall, "\\includegraphics{", " "),
        (statements._PICTURE.findall, "\\includegraphics", " "),
        (problemyaml._MAIL.findall, "", " "),
        (problemyaml._MAIL.findall, "", "<"),
        (problemyaml._BETWEEN_AUTHORS.findall, "", " "),
        (pictures._STYLED.findall, "", "<img "),
    ],
)
def test_the_time_grows_with_the_length(look: Callable[[str], object], head: str, unit: str) -> None:
    text = head + unit * (8_000 // len(unit))
    longer = head + unit * (_TIMES * 8_000 // len(unit))
    floor_s = 0.002  # below that it is the clock that is measured; a square would be far above
    assert quickest(look, longer) < _MOST_GROWTH * max(quickest(look, text), floor_s)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("a  TallySampleHerenext.  b", "a{{nextsample}}b"),
        ("  TallySampleHerenext. \n TallySampleHererest. ", "{{nextsample}}{{remainingsamples}}"),
        ("\n\\par TallySampleHerenext. \\par{}\n", "\\nextsample"),
        (" nothing here ", " nothing here "),
    ],
)
def test_marks_in_code_become_commands_again(code: str, shown: str) -> None:
    assert in_code(code) == f"<code>{shown}</code>"
