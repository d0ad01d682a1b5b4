"""Tell how the CPU time grows with the size of the input, where the cases show it, or further runs.

Only cases that the program finished count, with the right answer or a wrong one; a run that was stopped must not
contradict them. With the largest input of the problem comes what it would take.
"""

from collections.abc import Sequence
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.growth import Growth, Point, SizedRun, fit, without_start
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop

_FINISHED = (Verdict.AC, Verdict.WA)
_MOST_POINTS = 40  # that are kept for the picture
_MANY_CALLS = 100
_SAID = {  # by what the runs were made on: the judged cases, generated inputs, the problem's inputs once more
    "": gettext_noop(
        "The CPU time grows with the size of the input to the power of about {power} (between {low} and {high}, from "
        "{cases} test cases of {least} to {most}): twice the input takes {times} times as long."
    ),
    "generated": gettext_noop(
        "The CPU time grows with the size of the input to the power of about {power} (between {low} and {high}, from "
        "extra runs on {cases} generated inputs of {least} to {most}): twice the input takes {times} times as long."
    ),
    "own": gettext_noop(
        "The CPU time grows with the size of the input to the power of about {power} (between {low} and {high}, from "
        "extra runs on {cases} test cases of {least} to {most}): twice the input takes {times} times as long."
    ),
}
_BEYOND = 50  # times the largest size that was measured: farther nobody reckons


def fitted(facts: Facts) -> tuple[float, Growth] | None:
    """Return the time of the start in microseconds, and the growth of the rest; None if the cases do not show it."""
    return fitted_to(_judged_runs(facts))


def fitted_to(runs: Sequence[SizedRun]) -> tuple[float, Growth] | None:
    """Return the same of any runs of one program."""
    start, points = without_start([_time(run) for run in runs if not run.is_stopped])
    stopped = [_time(run) for run in runs if run.is_stopped]
    growth = fit(points, [Point(size=point.size, amount=max(1.0, point.amount - start)) for point in stopped])
    return (start, growth) if growth else None


def find(facts: Facts) -> Finding | None:
    """Find the growth of a slow program."""
    case = facts.slow_case
    if case is None:
        return None
    evidence = evidence_of(_judged_runs(facts), facts.largest_input_bytes, facts.limits.time_limit_ms)
    if evidence is None:
        return None
    # The case's name decides who may see the finding: a secret one, if there is one.
    name = next((other.name for other in (case, *facts.cases) if not other.is_sample), case.name)
    return Finding(code="growth", evidence={"test_case": name, **evidence})


def find_in_further_runs(
    runs: Sequence[SizedRun], largest_bytes: int, time_limit_ms: int, *, are_generated: bool
) -> Finding | None:
    """Find the growth in runs after the verdict, on generated inputs or on the problem's; None if they do not tell."""
    evidence = evidence_of(runs, largest_bytes, time_limit_ms)
    if evidence is None:
        return None
    return Finding(code="growth", evidence={"inputs": "generated" if are_generated else "own", **evidence})


def evidence_of(runs: Sequence[SizedRun], largest_bytes: int, time_limit_ms: int) -> dict[str, Any] | None:
    """Return what runs tell of the growth, and of the time for the largest input; None if they do not tell it."""
    fit_of_runs = fitted_to(runs)
    if fit_of_runs is None:
        return None
    start, growth = fit_of_runs
    points = [[point.size, round(point.amount)] for point in growth.points]
    every = -(-len(points) // _MOST_POINTS)
    counted = [Point(size=run.size, amount=run.calls) for run in runs if not run.is_stopped]
    of_calls = fit([point for point in counted if point.amount >= _MANY_CALLS])
    return {  # exponents are in hundredths: numbers that need no rounding for anybody
        "power_percent": round(100 * growth.exponent),
        "low_percent": round(100 * growth.low),
        "high_percent": round(100 * growth.high),
        **({"power_of_calls_percent": round(100 * of_calls.exponent)} if of_calls else {}),
        "test_cases": len(growth.points),
        "least_bytes": growth.points[0].size,
        "most_bytes": growth.points[-1].size,
        **_prediction(runs, start, growth, largest_bytes),
        "time_limit_ms": time_limit_ms,
        "points": points[::every],
        "line": [growth.middle.size, round(growth.middle.amount)],
    }


def say(telling: Telling) -> Said:
    """Tell the power with its interval, and what the largest input would take."""
    low, high, power = (f"{telling.value(name) / 100:.1f}" for name in ("low_percent", "high_percent", "power_percent"))
    text = _SAID[telling.text("inputs") if telling.has("inputs") else ""]
    times, cases = f"{2 ** (telling.value('power_percent') / 100):.1f}", f"{telling.value('test_cases')}"
    text = telling.fill(_(text), power=power, low=low, high=high, cases=cases, times=times)
    if telling.has("power_of_calls_percent"):
        power = f"{telling.value('power_of_calls_percent') / 100:.1f}"
        of_calls = _("Its read and write calls grow with the power of about {power}.").format(power=power)
        text = f"{text} {of_calls}"
    if telling.has("largest_time_us"):
        largest = _(
            "The largest input of the problem, {size}, would take about {time} (between {low} and {high}); the limit "
            "is {limit}."
        ).format(
            size=telling.size("largest_bytes"),
            time=telling.duration("largest_time_us"),
            low=telling.duration("largest_low_us"),
            high=telling.duration("largest_high_us"),
            limit=telling.time_limit(),
        )
        text = f"{text} {largest}"
    return Said(text=text)


def _prediction(runs: Sequence[SizedRun], start: float, growth: Growth, largest: int) -> dict[str, int]:
    """Return what the largest input would take, if the program did not finish it and it is not too far away."""
    if not growth.points[-1].size < largest <= _BEYOND * growth.points[-1].size:
        return {}
    stopped_us = max((run.cpu_time_us for run in runs if run.is_stopped and run.size >= largest), default=0)
    low, high = (start + part for part in growth.between(largest))
    if stopped_us > high:
        return {}
    return {
        "largest_bytes": largest,
        "largest_time_us": round(max(start + growth.at(largest), stopped_us)),
        "largest_low_us": round(max(low, stopped_us)),
        "largest_high_us": round(high),
    }


def _judged_runs(facts: Facts) -> list[SizedRun]:
    """Return the runs of the judged cases that count: finished ones, or stopped by a time limit."""
    return [
        SizedRun(
            size=facts.input_bytes[case.name],
            cpu_time_us=case.usage.cpu_time_us,
            calls=case.io.read_calls + case.io.write_calls,
            is_stopped=case.verdict is Verdict.TLE,
        )
        for case in facts.cases
        if case.name in facts.input_bytes
        and (case.verdict is Verdict.TLE or (case.verdict in _FINISHED and not case.same_as and case.passes == 1))
    ]


def _time(run: SizedRun) -> Point:
    return Point(size=run.size, amount=run.cpu_time_us)


RULE = Rule(code="growth", find=find, say=say, about=About.NOTHING)
