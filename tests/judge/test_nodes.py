"""A worker says what it can do and what it adds to a run, or why it takes no work."""

import os
import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from judge import languages, nodes
from judge.languages import Toolchain
from judge.models import WorkerNode
from sandbox import doctor
from sandbox.errors import JailError
from sandbox.overhead import USUAL_WALL_US, Overhead


def _found(*, ok: bool) -> list[doctor.Check]:
    return [doctor.Check(name="the memory limit bites", ok=ok, detail="exited", remedy="Enable its controller.")]


@pytest.fixture
def _fit(monkeypatch: pytest.MonkeyPatch, db: None) -> None:
    monkeypatch.setattr(doctor, "examine", lambda work_root: _found(ok=True))


@pytest.mark.usefixtures("_fit")
def test_fit_worker_is_registered_with_its_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = {"cpp": Toolchain(path="/usr/bin/g++", version="g++ 12"), "rust": Toolchain(problem="no rustc")}
    monkeypatch.setattr(languages, "detect_all", lambda: chains)
    assert nodes.examine_and_register("tally@here") == ""
    node = WorkerNode.objects.alive().get()
    assert (node.name, node.languages, node.problem) == ("tally@here", {"cpp": "g++ 12"}, "")
    room = WorkerNode.objects.largest()
    assert room.cores == len(os.sched_getaffinity(0))
    total_kib = re.search(r"MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    assert total_kib
    assert room.memory_bytes == int(total_kib[1]) * 1_024


@pytest.mark.usefixtures("_fit")
def test_worker_measures_what_its_sandbox_adds() -> None:
    assert nodes.examine_and_register("tally@here") == ""
    node = WorkerNode.objects.get()
    wall, added, empty, runs = (getattr(node, column) for column in WorkerNode.OVERHEAD_COLUMNS)
    assert wall > 0
    assert empty - added > 0  # a program that does nothing takes some CPU time without a sandbox, too
    assert runs > 1


@pytest.mark.usefixtures("_fit")
def test_unusual_overhead_is_a_warning_and_no_refusal(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slow = Overhead(wall_us=USUAL_WALL_US + 500, cpu_us=-3, empty_cpu_us=260, runs=100)
    monkeypatch.setattr(nodes, "measure", lambda sandbox, cpu: slow)
    assert nodes.examine_and_register("tally@here") == ""
    assert WorkerNode.objects.alive().get().overhead_wall_us == slow.wall_us
    assert [record.getMessage() for record in caplog.records] == ["the sandbox adds 10.50 ms to each run"]


@pytest.mark.usefixtures("_fit")
def test_worker_that_cannot_measure_takes_no_work_and_forgets_what_it_measured_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_sandbox: object, _cpu: int) -> Overhead:
        raise JailError("the jail ended by itself")

    assert nodes.examine_and_register("tally@here") == ""
    monkeypatch.setattr(nodes, "measure", fail)
    assert nodes.examine_and_register("tally@here").endswith("the jail ended by itself")
    node = WorkerNode.objects.get()
    assert node.problem.endswith("the jail ended by itself")
    assert [getattr(node, column) for column in WorkerNode.OVERHEAD_COLUMNS] == [None] * 4


@pytest.mark.usefixtures("_fit")
def test_worker_without_any_language_takes_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "detect_all", lambda: {"rust": Toolchain(problem="no rustc")})
    assert nodes.examine_and_register("tally@here") == "no rustc"
    assert not WorkerNode.objects.alive().exists()


@pytest.mark.django_db
def test_limit_that_does_not_bite_keeps_a_worker_from_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "examine", lambda work_root: _found(ok=False))
    problem = nodes.examine_and_register("tally@here")
    assert problem == "the memory limit bites: exited. Enable its controller."
    assert WorkerNode.objects.get().problem == problem


def test_full_disk_keeps_a_worker_from_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(nodes, "LEAST_FREE_BYTES", 2**62)
    assert nodes.why_unfit(tmp_path).startswith(f"The disk of {tmp_path} is full")


@pytest.mark.parametrize("setting", ["BASE_DIR", "VAR_DIR", "STORE_DIR"])
def test_worker_whose_hidden_tests_a_jail_would_show_takes_no_work(
    settings: Settings, tmp_path: Path, setting: str
) -> None:
    setattr(settings, setting, Path("/usr/src/tally"))
    assert nodes.why_unfit(tmp_path).startswith("Every submission could read /usr/src/tally")


@pytest.mark.usefixtures("_fit")
def test_worker_with_a_problem_or_silent_is_not_alive() -> None:
    assert nodes.examine_and_register("tally@here") == ""
    nodes.report_problem("tally@here", "x" * 1000)
    assert not WorkerNode.objects.alive().exists()
    nodes.examine_and_register("tally@here")
    WorkerNode.objects.update(last_seen_at=timezone.now() - timedelta(seconds=100))
    assert not WorkerNode.objects.alive().exists()
    nodes.seen("tally@here")
    assert WorkerNode.objects.alive().exists()


@pytest.mark.usefixtures("_fit")
def test_check_says_by_its_exit_code_whether_the_worker_takes_work() -> None:
    def exit_code() -> int:
        with pytest.raises(SystemExit) as ended:
            call_command("worker", "--check", "--name", "tally@here")
        return int(str(ended.value.code))

    assert exit_code() == 1
    nodes.examine_and_register("tally@here")
    assert exit_code() == 0
