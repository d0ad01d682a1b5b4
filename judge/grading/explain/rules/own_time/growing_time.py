"""Tell how the CPU time grows with the size of the input, where the cases show it.

Only cases that the program finished count, with the right answer or a wrong one; a run that was stopped must not
contradict them. With the largest input of the problem comes what it would take.
"""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.facts import Facts
from judge.grading.explain.growth import Growth, Point, fit, without_start
from judge.grading.explain.wording import Said, Telling
from judge.grading.translation import gettext as _
from judge.grading.verdicts import Verdict

_FINISHED = (Verdict.AC, Verdict.WA)
_MOST_POINTS = 40  # that are kept for the picture
_MANY_CALLS = 100
_BEYOND = 50  # times the largest size that was measured: farther nobody reckons


def fitted(facts: Facts) -> tuple[float, Growth] | None:
    """Return the time of the start in microseconds, and the growth of the rest; None if the cases do not show it."""
    start, points = without_start([_time(facts, case) for case in _finished(facts)])
    stopped = [_time(facts, case) for case in facts.cases if case.verdict is Verdict.TLE and case.name in facts.inputs]
    growth = fit(points, [Point(size=each.size, amount=max(1.0, each.amount - start)) for each in stopped])
    return (start, growth) if growth else None


def find(facts: Facts) -> Finding | None:
    """Find the growth of a slow program."""
    case = facts.focus
    if case is None or not facts.wants_cause(case) or (found := fitted(facts)) is None:
        return None
    start, growth = found
    return Finding(
        code="growth",
        evidence={
            "test_case": _of_secrets(facts, case),
            **_exponents(growth),
            **_calls(facts),
            "test_cases": len(growth.points),
            "least_bytes": growth.points[0].size,
            "most_bytes": growth.points[-1].size,
            **_prediction(facts, start, growth),
            "time_limit_ms": facts.limits.time_limit_ms,
            "points": _thinned([[point.size, round(point.amount)] for point in growth.points]),
            "line": [growth.middle.size, round(growth.middle.amount)],
        },
    )


def say(telling: Telling) -> Said:
    """Tell the power with its interval, and what the largest input would take."""
    low, high, power = (f"{telling.value(name) / 100:.1f}" for name in ("low_percent", "high_percent", "power_percent"))
    text = _(
        "The CPU time grows with the size of the input to the power of about {power} (between {low} and {high}, from "
        "{cases} test cases of {least} to {most}): twice the input takes {times} times as long."
    ).format(
        power=power,
        low=low,
        high=high,
        cases=telling.value("test_cases"),
        least=telling.size("least_bytes"),
        most=telling.size("most_bytes"),
        times=f"{2 ** (telling.value('power_percent') / 100):.1f}",
    )
    return Said(text=" ".join(part for part in (text, _of_calls(telling), _largest(telling)) if part))


def _of_calls(telling: Telling) -> str:
    if not telling.has("power_of_calls_percent"):
        return ""
    power = f"{telling.value('power_of_calls_percent') / 100:.1f}"
    return _("Its read and write calls grow with the power of about {power}.").format(power=power)


def _largest(telling: Telling) -> str:
    if not telling.has("largest_time_us"):
        return ""
    return _(
        "The largest input of the problem, {size}, would take about {time} (between {low} and {high}); the limit is "
        "{limit}."
    ).format(
        size=telling.size("largest_bytes"),
        time=telling.duration("largest_time_us"),
        low=telling.duration("largest_low_us"),
        high=telling.duration("largest_high_us"),
        limit=telling.time_limit(),
    )


def _exponents(growth: Growth) -> dict[str, int]:
    """Return the exponents in hundredths: numbers that need no rounding for anybody."""
    return {
        "power_percent": round(100 * growth.exponent),
        "low_percent": round(100 * growth.low),
        "high_percent": round(100 * growth.high),
    }


def _calls(facts: Facts) -> dict[str, int]:
    counted = [
        Point(size=facts.inputs[case.name].bytes, amount=case.io.read_calls + case.io.write_calls)
        for case in _finished(facts)
    ]
    growth = fit([point for point in counted if point.amount >= _MANY_CALLS])
    return {"power_of_calls_percent": round(100 * growth.exponent)} if growth else {}


def _prediction(facts: Facts, start: float, growth: Growth) -> dict[str, int]:
    """Return what the largest input would take, if the program did not finish it and it is not too far away."""
    largest = facts.largest_input_bytes
    if not growth.points[-1].size < largest <= _BEYOND * growth.points[-1].size:
        return {}
    known = _known_us(facts, largest)
    low, high = (start + part for part in growth.between(largest))
    if known > high:
        return {}
    return {
        "largest_bytes": largest,
        "largest_time_us": round(max(start + growth.at(largest), known)),
        "largest_low_us": round(max(low, known)),
        "largest_high_us": round(high),
    }


def _known_us(facts: Facts, size: int) -> int:
    """Return what an input of this size took at least: what a run used that was stopped over it."""
    used = (
        case.usage.cpu_time_us
        for case in facts.cases
        if case.verdict is Verdict.TLE and case.name in facts.inputs and facts.inputs[case.name].bytes >= size
    )
    return max(used, default=0)


def _finished(facts: Facts) -> list[CaseJudged]:
    return [
        case
        for case in facts.cases
        if case.verdict in _FINISHED and case.name in facts.inputs and not case.same_as and case.passes == 1
    ]


def _time(facts: Facts, case: CaseJudged) -> Point:
    return Point(size=facts.inputs[case.name].bytes, amount=case.usage.cpu_time_us)


def _of_secrets(facts: Facts, case: CaseJudged) -> str:
    """Return a case's name that decides who may see the finding: a secret one, if there is one."""
    return case.name if not case.is_sample else next((one.name for one in facts.cases if not one.is_sample), case.name)


def _thinned(points: list[list[int]]) -> list[list[int]]:
    every = -(-len(points) // _MOST_POINTS)
    return points[::every]
