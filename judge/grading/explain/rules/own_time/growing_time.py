"""Tell how the CPU time grows with the size of the input, where the cases show it, or further runs.

Only cases that the program finished count, with the right answer or a wrong one; a run that was stopped must not
contradict them. With it comes what an input of the same kind would take that is as large as the problem's largest test
case. The size is that of the file; where each input is but a line of numbers, it is the largest of these.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.growth import Growth, Point, SizedRun, fit, without_start
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.explain.evidence.shapes import Shape, numbers_of
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
_SAID_OF_NUMBERS = {  # likewise, where the size is a number
    "": gettext_noop(
        "The CPU time grows with the largest number of the input to the power of about {power} (between {low} and "
        "{high}, from {cases} test cases with {least} to {most}): twice the number takes {times} times as long."
    ),
    "generated": gettext_noop(
        "The CPU time grows with the largest number of the input to the power of about {power} (between {low} and "
        "{high}, from extra runs on {cases} generated inputs with {least} to {most}): twice the number takes {times} "
        "times as long."
    ),
    "own": gettext_noop(
        "The CPU time grows with the largest number of the input to the power of about {power} (between {low} and "
        "{high}, from extra runs on {cases} test cases with {least} to {most}): twice the number takes {times} times "
        "as long."
    ),
}
_WIDEST = 6  # times the low end of a prediction: a wider one tells nothing
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
    sizes, unit = sizes_of(facts.input_bytes, facts.inputs)
    largest = max(sizes.values(), default=0)
    evidence = evidence_of(_judged_runs(facts), largest, facts.limits.time_limit_ms, unit=unit)
    if evidence is None:
        return None
    # The case's name decides who may see the finding: a secret one, if there is one.
    name = next((other.name for other in (case, *facts.cases) if not other.is_sample), case.name)
    return Finding(code="growth", evidence={"test_case": name, **evidence})


def sizes_of(input_bytes: Mapping[str, int], inputs: Mapping[str, Shape]) -> tuple[Mapping[str, int], str]:
    """Return the sizes of a problem's inputs by case, and their unit: "bytes", or "number" where they are numbers."""
    numbers = numbers_of(input_bytes, inputs)
    return (input_bytes, "bytes") if numbers is None else (numbers, "number")


def evidence_of(
    runs: Sequence[SizedRun], largest: int, time_limit_ms: int, *, unit: str, others: Sequence[SizedRun] = ()
) -> dict[str, Any] | None:
    """Return what runs tell of the growth, and of the time for the size `largest`; None if they do not tell it.

    `others`: runs on inputs of another kind, which must not contradict the growth, but tell nothing of such inputs.
    """
    fit_of_runs = fitted_to([*runs, *others])
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
        f"least_{unit}": growth.points[0].size,
        f"most_{unit}": growth.points[-1].size,
        **_prediction(runs, start, growth, (largest, unit)),
        "time_limit_ms": time_limit_ms,
        "points": points[::every],
        "line": [growth.middle.size, round(growth.middle.amount)],
    }


def say(telling: Telling) -> Said:
    """Tell the power with its interval, and what the largest input would take."""
    low, high, power = (f"{telling.value(name) / 100:.1f}" for name in ("low_percent", "high_percent", "power_percent"))
    are_numbers = telling.has("most_number")
    text = (_SAID_OF_NUMBERS if are_numbers else _SAID)[telling.text("inputs") if telling.has("inputs") else ""]
    times, cases = f"{2 ** (telling.value('power_percent') / 100):.1f}", f"{telling.value('test_cases')}"
    least, most = (
        telling.count(f"{end}_number") if are_numbers else telling.size(f"{end}_bytes") for end in ("least", "most")
    )
    text = telling.fill(_(text), power=power, low=low, high=high, cases=cases, times=times, least=least, most=most)
    if telling.has("power_of_calls_percent"):
        power = f"{telling.value('power_of_calls_percent') / 100:.1f}"
        of_calls = _("Its read and write calls grow with the power of about {power}.").format(power=power)
        text = f"{text} {of_calls}"
    if telling.has("largest_time_us"):
        if are_numbers:
            largest = _(
                "An input of this kind whose number is {size}, the largest of all test cases, would take about {time} "
                "(between {low} and {high}); the limit is {limit}."
            )
        else:
            largest = _(
                "Such an input as large as the largest test case of the problem, {size}, would take about {time} "
                "(between {low} and {high}); the limit is {limit}."
            )
        largest = largest.format(
            size=telling.count("largest_number") if are_numbers else telling.size("largest_bytes"),
            time=telling.duration("largest_time_us"),
            low=telling.duration("largest_low_us"),
            high=telling.duration("largest_high_us"),
            limit=telling.time_limit(),
        )
        text = f"{text} {largest}"
    return Said(text=text)


def _prediction(runs: Sequence[SizedRun], start: float, growth: Growth, largest_in: tuple[int, str]) -> dict[str, int]:
    """Return what the largest size would take, if it was not measured and is not too far away."""
    largest, unit = largest_in
    if not growth.points[-1].size < largest <= _BEYOND * growth.points[-1].size:
        return {}
    stopped_us = max((run.cpu_time_us for run in runs if run.is_stopped and run.size >= largest), default=0)
    low, high = (start + part for part in growth.between(largest))
    if stopped_us > high or high > _WIDEST * low:
        return {}
    return {
        f"largest_{unit}": largest,
        "largest_time_us": round(max(start + growth.at(largest), stopped_us)),
        "largest_low_us": round(max(low, stopped_us)),
        "largest_high_us": round(high),
    }


def _judged_runs(facts: Facts) -> list[SizedRun]:
    """Return the runs of the judged cases that count: finished ones, or stopped by a time limit."""
    sizes, _unit = sizes_of(facts.input_bytes, facts.inputs)
    return [
        SizedRun(
            size=sizes[case.name],
            cpu_time_us=case.usage.cpu_time_us,
            calls=case.io.read_calls + case.io.write_calls,
            is_stopped=case.verdict is Verdict.TLE,
        )
        for case in facts.cases
        if case.name in sizes
        and (case.verdict is Verdict.TLE or (case.verdict in _FINISHED and not case.same_as and case.passes == 1))
    ]


def _time(run: SizedRun) -> Point:
    return Point(size=run.size, amount=run.cpu_time_us)


RULE = Rule(code="growth", find=find, say=say, about=About.NOTHING)
