"""Growth: what is fitted to the cases, and when nothing is said."""

import random
from dataclasses import replace

import pytest

from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.growth import Growth, Point, SizedRun, fit, without_start
from judge.grading.explain.evidence.shapes import Shape
from judge.grading.explain.rules.own_time.growing_time import evidence_of
from judge.grading.verdicts import Verdict
from sandbox.types import IoProfile, Usage
from tests.judge.grading.explain.test_explain import case, facts
from tests.judge.spoken import findings

SIZES = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000)


def powers(power: float, noise: float = 0.0, seed: int = 1) -> list[Point]:
    """Points of this power, each with so much noise up or down."""
    chance = random.Random(seed)  # noqa: S311 - no secret
    return [
        Point(size=size, amount=5_000 * (size / 1_000) ** power * (1 + chance.uniform(-noise, noise))) for size in SIZES
    ]


@pytest.mark.parametrize("power", [0.5, 1.0, 1.5, 2.0, 3.0])
def test_a_power_is_found_and_lies_in_its_interval(power: float) -> None:
    for seed in range(40):
        growth = fit(powers(power, noise=0.1, seed=seed))
        assert growth is not None
        assert growth.low <= power <= growth.high
        assert abs(growth.exponent - power) < 0.15


def test_one_odd_case_does_not_move_it() -> None:
    points = powers(2.0)
    points[2] = replace(points[2], amount=1.3 * points[2].amount)
    growth = fit(points)
    assert growth is not None
    assert abs(growth.exponent - 2.0) < 0.1


def test_what_a_size_would_take() -> None:
    growth = fit(powers(2.0))
    assert growth is not None
    assert growth.at(64_000) == pytest.approx(5_000 * 64**2, rel=0.01)
    low, high = growth.between(64_000)
    assert low < growth.at(64_000) < high
    low, high = growth.between(500)
    assert low < growth.at(500) < high


@pytest.mark.parametrize(
    "points",
    [
        [],
        powers(1.0)[:3],  # few
        [Point(size=1_000 + i, amount=5_000) for i in range(9)],  # they span little
        [Point(size=size, amount=5_000 * (9 if place % 2 else 1)) for place, size in enumerate(SIZES)],  # no line
        [Point(size=1_000 + 100 * i, amount=5_000 * (1, 1, 4)[i % 3]) for i in range(60)],  # two levels: no line either
        [Point(size=size, amount=0) for size in SIZES],
    ],
    ids=["none", "few", "narrow", "scattered", "jumping", "nothing"],
)
def test_nothing_is_said_without_a_line(points: list[Point]) -> None:
    assert fit(points) is None


def test_a_stopped_run_above_the_line_contradicts_it() -> None:
    assert isinstance(fit(powers(1.0), [Point(size=64_000, amount=200_000)]), Growth)  # the line has 320,000 there
    assert fit(powers(1.0), [Point(size=64_000, amount=2_000_000)]) is None


def test_the_start_is_that_of_the_smallest_case() -> None:
    times = [Point(size=5, amount=12_000), Point(size=5, amount=11_000), Point(size=900, amount=12_000)]
    start, points = without_start([*times, Point(size=1_000, amount=31_000)])
    assert (start, points) == (11_000, (Point(size=1_000, amount=20_000),))
    assert without_start([]) == (0.0, ())


def quadratic(cases: int = 6) -> Facts:
    """A submission whose cases take a time with the square of their size; the last one was stopped."""
    names = [*(f"secret/{letter}" for letter in "abcdefgh"[: cases - 1]), "secret/1"]
    times = [10_000 + 1_234 * 4**place for place in range(cases - 1)]
    judged = [
        case(name=name, usage=Usage(user_time_us=time), io=IoProfile(read_calls=12, read_bytes=5_000))
        for name, time in zip(names, times, strict=False)
    ]
    stopped = case(
        Verdict.TLE,
        name=names[-1],
        usage=Usage(user_time_us=1_201_234),
        io=IoProfile(read_calls=12),
        exit_code=None,
        signal=9,
    )
    shapes = {name: Shape(bytes=1_234 * 2**place, lines=1, words=1) for place, name in enumerate(names)}
    sample = case(name="sample/1", is_sample=True, usage=Usage(user_time_us=10_000), io=IoProfile(read_calls=12))
    plain = facts(sample, *judged, stopped)
    inputs = {"sample/1": Shape(bytes=9, lines=1, words=1), **shapes}
    sizes = {name: shape.bytes for name, shape in inputs.items()}
    return replace(plain, inputs=inputs, input_bytes=sizes)


def test_the_growth_of_a_slow_program_is_told_with_what_the_largest_input_takes() -> None:
    told = findings(quadratic())
    text = told["growth"].text
    assert text.startswith(
        "The CPU time grows with the size of the input to the power of about 2.0 (between 1.9 and 2.1, from 4 test "
        "cases of 2.4 KiB to 19.3 KiB): twice the input takes 4.0 times as long."
    )
    largest = (
        "Such an input as large as the largest test case of the problem, 38.6 KiB, would take about 1.27 s (between"
    )
    assert largest in text
    assert told["growth"].evidence["test_case"] == "secret/1"
    assert "grows much faster than the input" in told["algorithm"].advice


def test_a_prediction_is_not_below_what_a_stopped_run_took() -> None:
    told = quadratic()
    longer = (*told.cases[:-1], replace(told.cases[-1], usage=Usage(user_time_us=1_401_234)))
    assert "would take about 1.40 s (between 1.40 s" in findings(replace(told, cases=longer))["growth"].text
    above = (*told.cases[:-1], replace(told.cases[-1], usage=Usage(user_time_us=1_601_234)))
    assert "Such an input" not in findings(replace(told, cases=above))["growth"].text


def test_of_inputs_that_are_a_line_of_numbers_the_largest_number_is_the_size() -> None:
    told = quadratic()
    inputs = {
        name: Shape(bytes=9, lines=1, words=2, first=(1, 500 * 2**place)) for place, name in enumerate(told.inputs)
    }
    numbers = replace(told, inputs=inputs, input_bytes=dict.fromkeys(inputs, 9))
    text = findings(numbers)["growth"].text
    assert text.startswith("The CPU time grows with the largest number of the input to the power of about 2.0 (between")
    assert "from 4 test cases with 2,000 to 16,000): twice the number takes 4.0 times as long." in text
    assert "An input of this kind whose number is 32,000, the largest of all test cases, would take about" in text
    mixed = {**inputs, "sample/1": Shape(bytes=9, lines=2, words=4, first=(3,))}
    assert "growth" not in findings(replace(numbers, inputs=mixed))


def test_what_runs_on_another_kind_of_input_took_is_not_predicted_of_this_kind() -> None:
    runs = [SizedRun(size=1_000 * 2**place, cpu_time_us=9_000 * 4**place, calls=9) for place in range(5)]
    hard = SizedRun(size=40_000, cpu_time_us=14_000_000, calls=9, is_stopped=True)
    of_this_kind = evidence_of(runs, 40_000, 1_000, unit="bytes", others=[hard])
    assert of_this_kind is not None
    assert 13_000_000 < of_this_kind["largest_time_us"] < 18_000_000
    assert evidence_of([*runs, hard], 40_000, 1_000, unit="bytes")["largest_low_us"] == 14_000_000  # type: ignore[index]
    assert of_this_kind["largest_low_us"] < 14_000_000
    harder = replace(hard, cpu_time_us=90_000_000)
    assert evidence_of(runs, 40_000, 1_000, unit="bytes", others=[harder]) is None


def test_nothing_is_told_of_a_fast_program_or_of_few_cases() -> None:
    assert "growth" not in findings(quadratic(cases=4))
    fast = quadratic()
    cases = tuple(replace(each, verdict=Verdict.AC, usage=Usage(user_time_us=9_000)) for each in fast.cases)
    assert "growth" not in findings(replace(fast, cases=cases, verdict=Verdict.AC))
    told = findings(replace(quadratic(cases=4), source=b"int main() { for (int i = 0; i < n; i++) s += i; }"))
    assert told["algorithm"].advice.startswith("Use an algorithm with fewer steps")
