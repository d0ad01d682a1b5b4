"""The time limit that follows from jury submissions: the arithmetic, and a package without a limit in the real jail."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.verification.calibration import Calibration, Timed, calibration_of, found_limit_ms, overrun_percent
from problems.loading.loading import UNGIVEN_LIMIT
from problems.package import Package, PackageError, TimeRule
from problems.translation import Sentence
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import SUM, verified, with_submissions
from tests.judge.packages import LIMITS, make_package

RULE = TimeRule(ac_to_time_limit=2.0, time_limit_to_tle=1.5, resolution_ms=100)
SPIN = "import time\nwhile time.process_time() < {}: pass\n" + SUM


def timed(name: str, cpu_time_us: int, language: str = "python") -> Timed:
    return Timed(name=name, language=language, cpu_time_us=cpu_time_us)


@pytest.mark.parametrize(
    ("slowest_us", "resolution_ms", "limit_ms"),
    [
        (500_000, 1_000, 1_000),
        (500_001, 1_000, 2_000),
        (0, 1_000, 1_000),
        (8_000, 100, 100),
        (150_000, 100, 300),
        (150_001, 100, 400),
        (150_000, 1, 300),
    ],
)
def test_the_limit_is_the_least_multiple_with_enough_room(slowest_us: int, resolution_ms: int, limit_ms: int) -> None:
    assert found_limit_ms(slowest_us, replace(RULE, resolution_ms=resolution_ms)) == limit_ms


def test_margins_are_those_of_the_nearest_on_each_side() -> None:
    found = calibration_of(
        1_000, RULE, [timed("a", 100_000), timed("b", 400_000)], [timed("c", 2_000_000), timed("d", 3_000_000)]
    )
    assert (found.slowest_in_time, found.in_time_factor) == (timed("b", 400_000), 2.5)
    assert (found.fastest_too_slow, found.too_slow_factor) == (timed("c", 2_000_000), 2.0)


def test_without_submissions_there_are_no_margins() -> None:
    waiting = replace(timed("sleeps.py", 10_000), is_measured=False)
    assert calibration_of(1_000, RULE, [], [waiting]) == Calibration(rule=RULE)


@pytest.mark.parametrize(("factor", "percent"), [(1.0, 20), (1.5, 51), (2.0, 101), (9.0, 180)])
def test_runs_over_the_limit_go_on_as_far_as_the_margin_asks(factor: float, percent: int) -> None:
    assert overrun_percent(replace(RULE, time_limit_to_tle=factor)) == percent


def test_the_slowest_of_each_language_is_named() -> None:
    ones = [timed("a.py", 5), timed("b.py", 9), timed("c.cpp", 1, "cpp")]
    assert calibration_of(1_000, RULE, ones, []).by_language == (timed("b.py", 9), timed("c.cpp", 1, "cpp"))


def unlimited(tmp_path: Path, sources: dict[str, str]) -> Package:
    package = make_package(tmp_path, {"secret/1": ("1 2\n", "3\n")}, limits=replace(LIMITS, time_limit_ms=1_000))
    return replace(with_submissions(package, sources), is_time_limit_given=False, time_rule=RULE)


def test_the_slowest_accepted_one_sets_the_limit_for_all(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    sources = {
        "accepted/fast.py": SUM,
        "accepted/slow.py": SPIN.format(0.15),
        "time_limit_exceeded/spins.py": SPIN.format(30),
    }
    ungiven = PackageError("problem.yaml", "limits.time_limit", Sentence(UNGIVEN_LIMIT, time_limit="1"))
    package = replace(unlimited(tmp_path, sources), warnings=(ungiven.sentence,))
    report, _, told = verified(package, sandbox, work_root)
    answer = report.as_json()
    assert (report.errors, answer["time_limit_source"]) == ((), "calibrated")
    slow = next(one for one in answer["submissions"] if one["path"] == "accepted/slow.py")
    assert answer["time_limit_ms"] == found_limit_ms(slow["max_cpu_time_us"], RULE)
    assert answer["calibration"]["slowest_in_time"]["name"] == "accepted/slow.py"
    assert answer["calibration"]["in_time_factor"] >= 2
    assert answer["calibration"]["too_slow_factor"] >= 1.5
    assert [one.submission.name for one in told][-1] == "time_limit_exceeded/spins.py"  # under the limit found before
    (warning,) = [warning for warning in report.warnings if "limits.time_limit" in warning]
    assert "is not given" in warning
    assert "submissions/accepted/slow.py" in warning


def test_an_excluded_one_sets_no_limit_and_may_be_too_slow(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    sources = {"accepted/fast.py": SUM, "accepted/slow.py": SPIN.format(5)}
    package = unlimited(tmp_path, sources)
    report, _, _ = verified(package, sandbox, work_root, frozenset({"accepted/slow.py"}))
    answer = report.as_json()
    assert answer["calibration"]["excluded"] == ["accepted/slow.py"]
    assert answer["calibration"]["slowest_in_time"]["name"] == "accepted/fast.py"
    slow = answer["submissions"][1]
    assert (slow["expected"], slow["verdict"], slow["ok"]) == (["AC", "TLE"], "TLE", True)
    assert report.errors == ()


def test_to_exclude_what_is_not_there_is_a_warning(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = unlimited(tmp_path, {"accepted/fast.py": SUM})
    report, _, _ = verified(package, sandbox, work_root, frozenset({"accepted/typo.py"}))
    assert any(warning.startswith("submissions/accepted/typo.py: ") for warning in report.warnings)


def test_without_one_to_set_it_the_limit_is_the_usual_one(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    report, _, _ = verified(unlimited(tmp_path, {"wrong_answer/a.py": "print(7)"}), sandbox, work_root)
    assert (report.time_limit_ms, report.time_limit_source) == (1_000, "default")
    assert any("no submission that was run sets it: 1 s is used" in warning for warning in report.warnings)


@pytest.mark.thorough
def test_margins_that_are_too_small_are_warnings(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    sources = {"accepted/close.py": SPIN.format(0.25), "time_limit_exceeded/close.py": SPIN.format(0.5)}
    package = with_submissions(
        make_package(tmp_path, {"secret/1": ("1 2\n", "3\n")}, limits=replace(LIMITS, time_limit_ms=400)), sources
    )
    report, _, _ = verified(replace(package, time_rule=RULE), sandbox, work_root)
    assert report.errors == ()
    close = [warning.split(": ")[0] for warning in report.warnings if "close.py" in warning]
    assert close == ["submissions/accepted/close.py", "submissions/time_limit_exceeded/close.py"]


def test_one_that_only_waits_says_nothing_about_the_margin(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, {"secret/1": ("1 2\n", "3\n")}, limits=replace(LIMITS, time_limit_ms=100))
    package = with_submissions(package, {"time_limit_exceeded/sleeps.py": "import time\ntime.sleep(60)"})
    report, _, _ = verified(package, sandbox, work_root)
    assert report.errors == ()
    assert report.as_json()["calibration"]["fastest_too_slow"] is None
    assert not any("sleeps.py" in warning for warning in report.warnings)


def test_the_later_cases_count_where_the_first_too_slow_ones_are_close(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    cases = {f"secret/{number}": (f"{number} 0\n", f"{number}\n") for number in range(1, 5)}
    source = (
        "import time\nn = int(input().split()[0])\nwhile time.process_time() < 0.13 * (1 + n // 3 * 3): pass\nprint(n)"
    )
    package = make_package(tmp_path, cases, limits=replace(LIMITS, time_limit_ms=100))
    package = replace(with_submissions(package, {"time_limit_exceeded/grows.py": source}), time_rule=RULE)
    report, _, _ = verified(package, sandbox, work_root)
    assert report.submissions[0].slowest_case in ("secret/3", "secret/4")
    assert not any("grows.py" in warning for warning in report.warnings)
