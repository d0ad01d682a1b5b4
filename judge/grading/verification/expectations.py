"""Check a jury submission's expectations beyond the verdict: cases, score and message.

Source: "Example submissions" of the ICPC/Kattis problem package format 2025-09.
"""

from collections.abc import Iterator, Sequence

from judge.grading.events import CaseJudged, GradingFinished
from problems.jury.expectations import matches
from problems.package import Expectation

_SCORE_TOLERANCE = 1e-6


def unmet(
    expectation: Expectation, cases: Sequence[CaseJudged], finished: GradingFinished, *, is_whole: bool
) -> Iterator[str]:
    """Return unmet expectations, one sentence each. `is_whole`: every case of the problem ran."""
    meant = [case for case in cases if not expectation.cases or matches(expectation.cases, case.name)]
    where = f" on {expectation.cases}" if expectation.cases else ""
    if expectation.cases and not meant and is_whole:
        yield f"expected something of {expectation.cases}, which matches no test case"
        return
    if expectation.permitted:
        yield from _not_permitted(expectation, meant, where)
    if expectation.required and not any(case.verdict.value in expectation.required for case in meant):
        yield f"expected {_either(expectation.required)} at least once{where}"
    if expectation.message and not any(expectation.message in case.judge_message for case in meant):
        yield f"expected {expectation.message!r} in a message of the checker{where}"
    if expectation.score is not None:
        yield from _wrong_score(expectation.score, expectation.cases, finished)


def is_as_wanted(score: float, bounds: tuple[float, float]) -> bool:
    """Return whether the points are in the expected range."""
    return bounds[0] - _SCORE_TOLERANCE <= score <= bounds[1] + _SCORE_TOLERANCE


def _not_permitted(expectation: Expectation, meant: list[CaseJudged], where: str) -> Iterator[str]:
    others = [case for case in meant if case.verdict.value not in expectation.permitted]
    if others:
        got = f"{others[0].verdict.value} on {others[0].name}"
        more = f" and {len(others) - 1} more" if len(others) > 1 else ""
        yield f"expected only {_either(expectation.permitted)}{where}, got {got}{more}"


def _wrong_score(bounds: tuple[float, float], cases: str, finished: GradingFinished) -> Iterator[str]:
    least, most = bounds
    wanted = f"{least:g}" if least == most else f"{least:g} to {most:g}"
    scores = [finished.score] if not cases else [group.score for group in finished.groups if matches(cases, group.name)]
    where = f" of {cases}" if cases else ""
    if not scores or None in scores:
        yield f"expected a score{where} of {wanted}, got none"
    for score in scores:
        if score is not None and not is_as_wanted(score, bounds):
            yield f"expected a score{where} of {wanted}, got {score:g}"


def _either(verdicts: frozenset[str]) -> str:
    return " or ".join(sorted(verdicts))
