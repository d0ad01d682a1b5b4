"""Which jury submissions set the time limit where a package gives none, and how far they can."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.verification.calibration import found_limit_ms
from problems.package import Expectation, Package, TimeRule
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import SUM, verified, with_submissions
from tests.judge.packages import make_package

RULE = TimeRule(ac_to_time_limit=2.0, time_limit_to_tle=1.5, resolution_ms=100)
SPIN = "import time\nwhile time.process_time() < {}: pass\n"
ASKS_FOR_THREE = """
import sys
print("1 2", flush=True)
sys.exit(42 if sys.stdin.readline().strip() == "3" else 43)
"""
SLOW_ON_SECRET = "a, b = map(int, input().split())\n" + SPIN.format("(0.15 if a == 1 else 1.2)") + "print(a + b)"


def unlimited(package: Package, sources: dict[str, str]) -> Package:
    package = with_submissions(package, sources)
    return replace(package, is_time_limit_given=False, time_rule=RULE)


def changed(package: Package, name: str, **columns: object) -> Package:
    """The package with something else expected of this submission."""
    submissions = tuple(replace(one, **columns) if one.name == name else one for one in package.submissions)  # type: ignore[arg-type]
    return replace(package, submissions=submissions)


def wrong_and_bound(package: Package, name: str) -> Package:
    """As the format 2025-09 has it: a wrong answer must come in time."""
    return changed(package, name, expected=frozenset({"AC", "WA"}), time_limit_bound="lower")


def test_one_that_goes_on_after_its_rejection_does_not_set_it(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    interactive = make_package(
        tmp_path, {"secret/1": ("", "")}, validator=("interactor.py", ASKS_FOR_THREE), is_interactive=True
    )
    loops = "print(0, flush=True)\nwhile True: pass"
    package = unlimited(interactive, {"accepted/a.py": SUM, "wrong_answer/loops.py": loops})
    report, _, _ = verified(wrong_and_bound(package, "wrong_answer/loops.py"), sandbox, work_root)
    accepted, loops_on = report.submissions
    assert (report.errors, loops_on.verdict and loops_on.verdict.value) == ((), "WA")
    assert loops_on.bound_us is None
    assert report.time_limit_ms == found_limit_ms(accepted.max_cpu_time_us, RULE)


@pytest.mark.thorough
def test_one_that_must_be_in_time_on_a_part_sets_it_by_that_part(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    cases = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("2 2\n", "4\n")}
    sources = {"accepted/a.py": SUM, "time_limit_exceeded/slow.py": SLOW_ON_SECRET}
    package = unlimited(make_package(tmp_path, cases), sources)
    found, _, _ = verified(package, sandbox, work_root)
    assert found.as_json()["time_limit_ms"] < 300  # from the accepted one alone
    part = Expectation(cases="sample", permitted=frozenset({"AC"}), time_limit_bound="lower")
    report, _, told = verified(
        changed(package, "time_limit_exceeded/slow.py", expectations=(part,)), sandbox, work_root
    )
    slow = report.submissions[-1]
    assert report.errors == ()
    assert slow.bound_us is not None
    assert slow.bound_us >= 150_000
    assert report.as_json()["time_limit_ms"] >= 300
    assert (slow.verdict and slow.verdict.value, slow.slowest_case) == ("TLE", "secret/1")
    assert any("submissions/time_limit_exceeded/slow.py" in warning for warning in report.warnings)
    assert [one.submission.name for one in told] == ["accepted/a.py", "time_limit_exceeded/slow.py"]


def test_a_wrong_one_that_needs_more_than_the_right_ones_raises_it(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    sources = {"accepted/a.py": SUM, "wrong_answer/slow.py": SPIN.format(0.25) + "print(7)"}
    package = unlimited(make_package(tmp_path, {"secret/1": ("1 2\n", "3\n")}), sources)
    report, _, _ = verified(wrong_and_bound(package, "wrong_answer/slow.py"), sandbox, work_root)
    slow = report.submissions[-1]
    assert report.errors == ()
    assert (slow.verdict and slow.verdict.value, slow.problems) == ("WA", ())
    assert slow.max_cpu_time_us >= 250_000  # not what the first limit let it have
    assert report.time_limit_ms == found_limit_ms(slow.max_cpu_time_us, RULE)


def test_no_submission_sets_more_than_a_time_limit_can_be(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = unlimited(
        make_package(tmp_path, {"secret/1": ("1 2\n", "3\n")}), {"accepted/a.py": SPIN.format(0.35) + SUM}
    )
    package = replace(package, time_rule=replace(RULE, ac_to_time_limit=1_000.0))
    report, _, _ = verified(package, sandbox, work_root)
    assert report.time_limit_ms == 300_000
    assert report.errors == (
        "problem.yaml: limits.time_limit: would have to be more than the 300 s that it can be at most: "
        "it is to be 1000 times what the slowest accepted submission needs",
    )
