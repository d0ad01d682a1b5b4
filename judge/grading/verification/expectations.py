"""Check a jury submission's expectations beyond the verdict: cases, score and message.

Source: "Example submissions" of the ICPC/Kattis problem package format 2025-09.
"""

from collections.abc import Iterator, Sequence
from functools import reduce

from judge.grading.events import CaseJudged, GradingFinished
from problems.jury.expectations import matches
from problems.package import Expectation
from problems.translation import Sentence

_SCORE_TOLERANCE = 1e-6


def unmet(
    expectation: Expectation, cases: Sequence[CaseJudged], finished: GradingFinished, *, is_whole: bool
) -> Iterator[Sentence]:
    """Return unmet expectations, one sentence each. `is_whole`: every case of the problem ran."""
    pattern = expectation.cases
    matching = [case for case in cases if not pattern or matches(pattern, case.name)]
    if pattern and not matching and is_whole:
        yield Sentence("expected something of %(cases)s, which matches no test case", cases=pattern)
        return
    if expectation.permitted:
        yield from _not_permitted(expectation, matching)
    if expectation.required and not any(case.verdict.value in expectation.required for case in matching):
        verdicts = either(expectation.required)
        yield (
            Sentence("expected %(verdicts)s at least once on %(cases)s", verdicts=verdicts, cases=pattern)
            if pattern
            else Sentence("expected %(verdicts)s at least once", verdicts=verdicts)
        )
    if expectation.message and not any(expectation.message in case.judge_message for case in matching):
        words = expectation.message
        yield (
            Sentence("expected %(words)r in a message of the checker on %(cases)s", words=words, cases=pattern)
            if pattern
            else Sentence("expected %(words)r in a message of the checker", words=words)
        )
    if expectation.score is not None:
        yield from _wrong_score(expectation.score, pattern, finished)


def is_as_wanted(score: float, bounds: tuple[float, float]) -> bool:
    """Return whether the points are in the expected range."""
    return bounds[0] - _SCORE_TOLERANCE <= score <= bounds[1] + _SCORE_TOLERANCE


def _not_permitted(expectation: Expectation, matching: list[CaseJudged]) -> Iterator[Sentence]:
    others = [case for case in matching if case.verdict.value not in expectation.permitted]
    if not others:
        return
    first, more = others[0], len(others) - 1
    words = {"verdicts": either(expectation.permitted), "got": first.verdict.value, "case": first.name}
    if expectation.cases and more:
        yield Sentence(
            "expected only %(verdicts)s on %(cases)s, got %(got)s on %(case)s and %(more)s more",
            cases=expectation.cases,
            more=str(more),
            **words,
        )
    elif expectation.cases:
        yield Sentence(
            "expected only %(verdicts)s on %(cases)s, got %(got)s on %(case)s", cases=expectation.cases, **words
        )
    elif more:
        yield Sentence("expected only %(verdicts)s, got %(got)s on %(case)s and %(more)s more", more=str(more), **words)
    else:
        yield Sentence("expected only %(verdicts)s, got %(got)s on %(case)s", **words)


def _wrong_score(bounds: tuple[float, float], cases: str, finished: GradingFinished) -> Iterator[Sentence]:
    least, most = bounds
    points = f"{least:g}" if least == most else Sentence("%(low)s to %(high)s", low=f"{least:g}", high=f"{most:g}")
    scores = [finished.score] if not cases else [group.score for group in finished.groups if matches(cases, group.name)]
    if not scores or None in scores:
        yield (
            Sentence("expected a score of %(cases)s of %(wanted)s, got none", cases=cases, wanted=points)
            if cases
            else Sentence("expected a score of %(wanted)s, got none", wanted=points)
        )
    for score in scores:
        if score is not None and not is_as_wanted(score, bounds):
            got = f"{score:g}"
            yield (
                Sentence(
                    "expected a score of %(cases)s of %(wanted)s, got %(got)s", cases=cases, wanted=points, got=got
                )
                if cases
                else Sentence("expected a score of %(wanted)s, got %(got)s", wanted=points, got=got)
            )


def either(verdicts: frozenset[str]) -> str:
    """Return the verdicts as a choice: "AC", "AC or TLE"."""
    first, *others = sorted(verdicts)
    return reduce(
        lambda words, other: Sentence("%(verdicts)s or %(other)s", verdicts=words, other=other), others, first
    )
