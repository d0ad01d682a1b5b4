"""What bench.same makes of runs, and that its report has every program and adds up."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import same
from bench.timed.pairs import Numbers, run_in_turns
from bench.timed.programs import package_in, timed_programs
from judge.grading.experiment.spec import METRICS

REPORTS = Path("bench/reports")
CALM = [100_000 + 10 * n for n in range(10)]
HIGHER = [130_000 + 10 * n for n in range(10)]
WILD = [60_000, 140_000, 80_000, 120_000, 100_000, 90_000, 110_000, 70_000, 130_000, 100_000]


def _numbers(cpu_time_us: list[int]) -> Numbers:
    return {name: [5] * 10 for name in METRICS} | {"cpu_time_us": cpu_time_us, "wall_time_us": cpu_time_us}


def _report(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((REPORTS / f"{name}.json").read_text("utf-8"))
    return found


@pytest.mark.parametrize(
    ("number", "tries", "chance", "at_most"),
    [(0, 30, 1.0, 0.095), (1, 30, 0.599, 0.149), (3, 30, 0.060, 0.239), (30, 30, 0.0, 1.0)],
)
def test_binomial_bounds_are_the_book_s(number: int, tries: int, chance: float, at_most: float) -> None:
    assert same.chance(number, tries, 0.03) == pytest.approx(chance, abs=0.001)
    assert same.at_most(number, tries) == pytest.approx(at_most, abs=0.001)


def test_copies_that_differ_are_counted_and_miss_the_bar() -> None:
    pairs = {
        "alike": (_numbers(CALM), _numbers(CALM[::-1])),
        "untold": (_numbers(CALM), _numbers(WILD)),
        "differ": (_numbers(CALM), _numbers(HIGHER)),
        "differ again": (_numbers(CALM), _numbers(HIGHER)),
    }
    report = same.report_of(pairs)
    assert [row["answer"] for row in report["programs"].values()] == ["alike", "untold", "differ", "differ"]
    of = report["repeated"]["cpu_time_us"]
    assert (of["differ"], of["alike"], of["untold"], report["meets_bar"]) == (2, 1, 1, False)
    assert report["repeated"]["write_calls"]["alike"] == 4
    assert report["single"]["cpu_time_us"] > report["single"]["write_calls"] == 0
    del pairs["differ again"]
    assert same.report_of(pairs)["meets_bar"]


def test_copies_run_in_turns_in_the_jail(tmp_path: Path, work_root: Path) -> None:
    program = tmp_path / "cpp" / "tiny.cpp"
    program.parent.mkdir()
    program.write_text(
        '#include <cstdio>\nint main() { int n; return scanf("%d", &n) == 1 ? !printf("%d\\n", n) : 1; }\n'
    )
    (tmp_path / "package").mkdir()
    numbers = run_in_turns(program, "AB", 2, package_in(tmp_path / "package"))
    assert set(numbers) == {"A", "B"}
    assert numbers["A"]["write_calls"] == numbers["B"]["write_calls"] == [1, 1]
    assert all(set(own) == set(METRICS) for own in numbers.values())


def test_the_report_of_copies_has_every_program_and_adds_up() -> None:
    report = _report("same")
    assert set(report["programs"]) == set(timed_programs())
    assert len(report["programs"]) == report["programs_in_all"] == 30
    told = [row["answer"] for row in report["programs"].values()]
    of = report["repeated"]["cpu_time_us"]
    assert {answer: of[answer] for answer in ("differ", "alike", "untold")} == {
        answer: told.count(answer) for answer in ("differ", "alike", "untold")
    }
    assert report["meets_bar"] is (same.chance(of["differ"], 30, report["stated_rate"]) >= 0.05)
