"""A worker says what it can do and what it adds to a run, or why it takes no work."""

import os
import re
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.core.management import call_command
from django.utils import timezone
from pytest_django import Settings

from judge.grading import languages, selftest
from judge.grading.languages import Toolchain
from judge.grading.selftest import Tried
from judge.models import WorkerNode
from judge.workers import registration
from problems.columns import clean_json
from problems.translation import Sentence
from sandbox.doctor import doctor, health
from sandbox.doctor.overhead import USUAL_WALL_US, Overhead
from sandbox.errors import JailError

pytestmark = pytest.mark.jail


def _found(*, ok: bool) -> list[doctor.Check]:
    return [doctor.Check(name="the memory limit bites", ok=ok, detail="exited", remedy="Enable its controller.")]


def _tried(name: str = "memory", language: str = "python", verdict: str = "MLE", expected: str = "MLE") -> Tried:
    return Tried(name=name, language=language, verdict=verdict, expected=expected, detail="It said no.", wall_time_us=1)


@pytest.fixture
def _fit(monkeypatch: pytest.MonkeyPatch, settings: Settings, db: None) -> None:
    settings.SELF_TEST = True
    monkeypatch.setattr(doctor, "examine_host", lambda work_root: _found(ok=True))
    monkeypatch.setattr(selftest, "run", lambda *_: [_tried()])


@pytest.mark.usefixtures("_fit")
def test_fit_worker_is_registered_with_its_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = {"cpp": Toolchain(path="/usr/bin/g++", version="g++ 12"), "rust": Toolchain(problem="no rustc")}
    monkeypatch.setattr(languages, "detect_all", lambda: chains)
    assert registration.examine_and_register("tally@here") == ""
    node = WorkerNode.objects.alive().get()
    assert (node.name, node.languages, node.problem) == ("tally@here", {"cpp": "g++ 12"}, "")
    assert node.kernel == f"Linux {os.uname().release}"
    room = WorkerNode.objects.largest()
    assert room.cores == len(os.sched_getaffinity(0))
    total_kib = re.search(r"MemTotal:\s+(\d+) kB", Path("/proc/meminfo").read_text())
    assert total_kib
    assert room.memory_bytes == int(total_kib[1]) * 1_024


@pytest.mark.usefixtures("_fit")
def test_worker_measures_what_its_sandbox_adds() -> None:
    assert registration.examine_and_register("tally@here") == ""
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
    monkeypatch.setattr(registration, "measure", lambda sandbox, cpu: slow)
    assert registration.examine_and_register("tally@here") == ""
    assert WorkerNode.objects.alive().get().overhead_wall_us == slow.wall_us
    assert [record.getMessage() for record in caplog.records] == ["the sandbox adds 10.50 ms to each run"]


@pytest.mark.usefixtures("_fit")
def test_worker_that_cannot_measure_takes_no_work_and_forgets_what_it_measured_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_sandbox: object, _cpu: int) -> Overhead:
        raise JailError("the jail ended by itself")

    assert registration.examine_and_register("tally@here") == ""
    monkeypatch.setattr(registration, "measure", fail)
    assert registration.examine_and_register("tally@here").endswith("the jail ended by itself")
    node = WorkerNode.objects.get()
    assert node.problem.endswith("the jail ended by itself")
    assert [getattr(node, column) for column in WorkerNode.OVERHEAD_COLUMNS] == [None] * 4


@pytest.mark.usefixtures("_fit")
def test_worker_keeps_what_its_self_test_tried() -> None:
    assert registration.examine_and_register("tally@here", processes=3) == ""
    node = WorkerNode.objects.get()
    assert node.processes == 3
    assert [(each["name"], each["verdict"], each["is_ok"]) for each in node.self_test] == [("memory", "MLE", True)]


def test_what_a_self_test_says_is_kept_as_a_sentence() -> None:
    detail = Sentence("exit code %(code)s", code="3")
    trial = Tried(name="memory", language="cpp", verdict="RE", expected="MLE", detail=detail, wall_time_us=1)
    (kept,) = clean_json([trial.as_json()])
    assert kept["detail"] == detail.as_json()


@pytest.mark.usefixtures("_fit")
def test_limit_that_the_self_test_finds_broken_keeps_a_worker_from_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(selftest, "run", lambda *_: [_tried(verdict="AC")])
    problem = registration.examine_and_register("tally@here")
    assert problem == "Self-test: a program over its limit of memory got AC, not MLE. It said no."
    assert not WorkerNode.objects.alive().exists()
    assert WorkerNode.objects.get().self_test[0]["is_ok"] is False


@pytest.mark.usefixtures("_fit")
def test_language_in_which_nothing_is_accepted_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    chains = {"cpp": Toolchain(version="g++ 12"), "rust": Toolchain(version="rustc 1")}
    monkeypatch.setattr(languages, "detect_all", lambda: chains)
    right = partial(_tried, "a right answer", expected="AC")
    monkeypatch.setattr(selftest, "run", lambda *_: [right("cpp", "AC"), right("rust", "CE")])
    assert registration.examine_and_register("tally@here") == ""
    assert WorkerNode.objects.get().languages == {"cpp": "g++ 12"}
    monkeypatch.setattr(selftest, "run", lambda *_: [right("cpp", "CE"), right("rust", "CE")])
    assert "accepted in no language" in registration.examine_and_register("tally@here")


def _register(monkeypatch: pytest.MonkeyPatch, *, is_ok: bool) -> WorkerNode:
    monkeypatch.setattr(doctor, "examine_host", lambda work_root: _found(ok=is_ok))
    registration.examine_and_register("tally@here")
    return WorkerNode.objects.get()


@pytest.mark.usefixtures("_fit")
def test_worker_that_fell_sick_is_sick_until_it_is_well(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not _register(monkeypatch, is_ok=False).is_sick  # it never was well
    assert _register(monkeypatch, is_ok=True).problem == ""
    registration.report_problem("tally@here", registration.as_sick("A jail does not open."))
    node = _register(monkeypatch, is_ok=False)
    assert (node.is_sick, node.is_unfit) == (True, True)
    assert node.problem == f"{WorkerNode.SICK}the memory limit bites: exited. Enable its controller."
    registration.stopping("tally@here")
    assert WorkerNode.objects.get().is_sick
    assert _register(monkeypatch, is_ok=True).problem == ""


@pytest.mark.usefixtures("_fit")
def test_worker_that_starts_on_a_sick_kernel_takes_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "why_kernel_sick", lambda: "Processes hang.")
    assert _register(monkeypatch, is_ok=True).problem == f"{WorkerNode.SICK}Processes hang."


@pytest.mark.usefixtures("_fit")
def test_worker_without_any_language_takes_no_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(languages, "detect_all", lambda: {"rust": Toolchain(problem="no rustc")})
    assert registration.examine_and_register("tally@here") == "no rustc"
    assert not WorkerNode.objects.alive().exists()


@pytest.mark.django_db
def test_limit_that_does_not_bite_keeps_a_worker_from_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "examine_host", lambda work_root: _found(ok=False))
    problem = registration.examine_and_register("tally@here")
    assert problem == "the memory limit bites: exited. Enable its controller."
    assert WorkerNode.objects.get().problem == problem


def test_full_disk_keeps_a_worker_from_work(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(registration, "LEAST_FREE_BYTES", 2**62)
    assert registration.why_unfit(tmp_path).startswith(f"The disk of {tmp_path} is full")


@pytest.mark.parametrize("setting", ["BASE_DIR", "VAR_DIR", "STORE_DIR"])
def test_worker_whose_hidden_tests_a_jail_would_show_takes_no_work(
    settings: Settings, tmp_path: Path, setting: str
) -> None:
    setattr(settings, setting, Path("/usr/src/tally"))
    assert registration.why_unfit(tmp_path).startswith("Every submission could read /usr/src/tally")


@pytest.mark.usefixtures("_fit")
def test_worker_with_a_problem_or_silent_is_not_alive() -> None:
    assert registration.examine_and_register("tally@here") == ""
    registration.report_problem("tally@here", "x" * 1000)
    assert not WorkerNode.objects.alive().exists()
    registration.examine_and_register("tally@here")
    WorkerNode.objects.update(last_seen_at=timezone.now() - timedelta(seconds=100))
    assert not WorkerNode.objects.alive().exists()
    registration.seen("tally@here")
    assert WorkerNode.objects.alive().exists()


@pytest.mark.usefixtures("_fit")
def test_worker_that_was_told_to_stop_is_not_alive_until_it_is_started_again() -> None:
    registration.examine_and_register("tally@here")
    registration.stopping("tally@here")
    registration.seen("tally@here")  # it still finishes something
    node = WorkerNode.objects.get()
    assert not WorkerNode.objects.alive().exists()
    assert (node.is_stopped, node.is_unfit) == (True, False)
    registration.examine_and_register("tally@here")
    assert WorkerNode.objects.alive().exists()
    registration.report_problem("tally@here", "the disk is full")
    registration.stopping("tally@here")
    assert WorkerNode.objects.get().problem == "the disk is full"


@pytest.mark.usefixtures("_fit")
def test_check_says_by_its_exit_code_whether_the_worker_takes_work() -> None:
    def exit_code() -> int:
        with pytest.raises(SystemExit) as ended:
            call_command("worker", "--check", "--name", "tally@here")
        return int(str(ended.value.code))

    assert exit_code() == 1
    registration.examine_and_register("tally@here")
    assert exit_code() == 0
