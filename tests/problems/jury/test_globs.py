"""Patterns of submissions.yaml."""

import time

import pytest

from problems.jury.expectations import TooManyAlternatives, matches


@pytest.mark.parametrize(
    ("pattern", "name", "fits"),
    [
        ("accepted", "accepted/fast.py", True),
        ("accepted/", "accepted/fast.py", True),
        ("accepted/*", "accepted/fast.py", True),
        ("accepted/fast.py", "accepted/fast.py", True),
        ("accept", "accepted/fast.py", False),
        ("fast.py", "accepted/fast.py", False),
        ("*/deep.py", "match/nested/deep.py", False),
        ("*/nested", "match/nested/deep.py", True),
        ("accepted/fast.py/x", "accepted/fast.py", False),
        ("secret/*-easy", "secret/01-easy", True),
        ("secret/*-easy", "secret/01-easier", False),
        ("secret/a*b*c", "secret/a1b2b3c", True),
        ("secret/a*b*c", "secret/a1c2b", False),
        ("secret/a*a", "secret/a", False),
        ("secret/*{1,3,5}", "secret/13", True),
        ("secret/*{1,3,5}", "secret/12", False),
        ("secret/*{,0,1}{0,2}", "secret/42", True),
        ("secret/*{ 4 }{ 2 }", "secret/42", True),
        ("x.{py,cpp}", "x.cpp", True),
        ("x.{py,cpp}", "x.rs", False),
        ("a.c", "abc", False),
        ("[ab]", "a", False),
        ("{a,b", "{a,b", True),
        ("*", "", True),
    ],
)
def test_patterns(pattern: str, name: str, fits: bool) -> None:
    assert matches(pattern, name) is fits


def test_many_stars_take_no_time() -> None:
    start = time.monotonic()
    assert not matches("*a" * 100 + "b", "a" * 250)
    assert time.monotonic() - start < 5  # a regular expression would take longer than the universe has


def test_braces_that_multiply_are_refused() -> None:
    assert matches("{0,1}" * 9, "010101010")
    with pytest.raises(TooManyAlternatives, match="more than 1,000 patterns"):
        matches("{0,1}" * 10 + "{0,1,2}", "x")
