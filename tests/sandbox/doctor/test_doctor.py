"""The doctor finds what is there and names what is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.doctor import doctor
from sandbox.doctor.doctor import Check, examine, why_unfit
from sandbox.doctor.overhead import USUAL_WALL_US, Overhead
from sandbox.errors import CgroupError, JailError
from sandbox.types import MIB, Sandbox
from tests.sandbox.conftest import WORK_ROOT


def test_this_machine_can_judge_and_every_limit_bites() -> None:
    checks = examine(WORK_ROOT)
    assert why_unfit(checks) is None
    assert sum("bites" in check.name for check in checks) == 5
    assert [check.needed for check in checks if check.name == "what a run adds"] == [False]  # it could be measured


def test_only_the_trial_of_the_cpu_time_limit_may_run_out_of_it() -> None:
    """A slow machine needs a tenth of a second to start a program that sleeps."""
    assert [trial.name for trial in doctor._TRIALS if trial.limits.cpu_time_ms < 2_000] == ["the CPU time limit bites"]


def test_a_memory_limit_that_does_not_bite_keeps_a_worker_from_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.cgroups.cgroup.SLACK_BYTES", 512 * MIB)
    assert "the memory limit bites: memory_limit" in str(why_unfit(examine(WORK_ROOT)))


def test_without_control_groups_the_doctor_says_what_to_mount(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise CgroupError("no control groups are mounted")

    monkeypatch.setattr(doctor, "find_hierarchies", missing)
    assert "mount cgroup2" in str(why_unfit(examine(WORK_ROOT)))


def test_without_nsjail_the_doctor_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: Path) -> None:
        raise JailError("nsjail is not installed")

    monkeypatch.setattr(doctor, "NsjailSandbox", missing)
    assert "nsjail is not installed. install what sandbox/README.md lists" in str(why_unfit(examine(WORK_ROOT)))


def test_groups_that_are_shut_to_a_container_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def shut(_: Path) -> None:  # what a v2 host says in a container with a namespace of its own for groups
        raise JailError("the jail ended by itself (nsjail: cannot enter a control group: No such file or directory)")

    monkeypatch.setattr(doctor, "NsjailSandbox", shut)
    assert "in a container use --cgroupns host" in str(why_unfit(examine(WORK_ROOT)))


def test_a_niced_worker_is_told_that_its_runs_are_niced_and_may_work() -> None:
    code = "import sys; from sandbox.doctor.doctor import Path, examine_host\n"
    code += "for each in examine_host(Path(sys.argv[1])): print(each.name, each.ok, each.needed, each.detail, sep=';')"
    command = [sys.executable, "-c", code, str(WORK_ROOT)]
    niceness = min(19, os.nice(0) + 3)
    said = subprocess.run(["nice", "-n", "3", *command], capture_output=True, text=True, check=True, timeout=60).stdout
    why = f"this process is niced by {niceness}, and so is every run"
    assert f"runs are not niced;False;False;{why}\n" in said


def test_a_missing_meter_does_not_keep_a_worker_from_work() -> None:
    assert why_unfit([Check(name="meter", ok=False, detail="no BPF", needed=False)]) is None


def test_an_unusual_overhead_is_a_warning_and_no_refusal(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(_: Sandbox, runs: int) -> Overhead:
        return Overhead(wall_us=USUAL_WALL_US + 1, cpu_us=0, empty_cpu_us=200, runs=runs)

    monkeypatch.setattr(doctor, "measure", slow)
    checks = examine(WORK_ROOT)
    assert [check.ok for check in checks if check.name == "what a run adds"] == [False]
    assert why_unfit(checks) is None


def test_an_overhead_that_cannot_be_measured_keeps_a_worker_from_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Sandbox, runs: int) -> Overhead:
        raise JailError("bare cannot be started")

    monkeypatch.setattr(doctor, "measure", fail)
    assert "bare cannot be started. install what sandbox/README.md lists" in str(why_unfit(examine(WORK_ROOT)))
