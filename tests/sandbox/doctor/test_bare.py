"""Bare execution: what jails are compared with must be the same program, fairly started and rightly measured."""

import os
import signal
from pathlib import Path

import pytest

from sandbox.doctor import overhead
from sandbox.doctor.overhead import BareRunner
from sandbox.errors import JailError
from sandbox.jail.jail import OpenJail
from sandbox.types import Command, Limits
from tests.processes import children, is_running
from tests.waiting import wait_for


def test_program_gets_its_arguments_and_streams(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(b"from stdin\n")
    with BareRunner() as runner:
        runner.run(("/bin/cat",), stdin=tmp_path / "in", stdout=tmp_path / "out")
        runner.run(("/usr/bin/printf", "%s|", "a b", ""), stdout=tmp_path / "printed")
    assert (tmp_path / "out").read_bytes() == b"from stdin\n"
    assert (tmp_path / "printed").read_bytes() == b"a b||"


def test_program_sees_the_environment_of_a_jail(tools_jail: OpenJail, tmp_path: Path) -> None:
    with BareRunner() as runner:
        runner.run(("/usr/bin/env",), stdout=tmp_path / "bare")
    tools_jail.run(Command(argv=("/usr/bin/env",), stdout=tmp_path / "jailed"), Limits())
    alone, jailed = ((tmp_path / name).read_text().splitlines() for name in ("bare", "jailed"))
    assert sorted(alone) == sorted(jailed) != []


def test_program_runs_on_the_core_that_was_asked_for(tmp_path: Path) -> None:
    core = max(os.sched_getaffinity(0))
    with BareRunner(core) as runner:
        runner.run(("/bin/grep", "Cpus_allowed_list", "/proc/self/status"), stdout=tmp_path / "cores")
    assert (tmp_path / "cores").read_text().split() == ["Cpus_allowed_list:", str(core)]


def test_times_are_those_of_the_program() -> None:
    count_to = "i=0; while [ $i -lt {} ]; do i=$((i+1)); done"
    with BareRunner() as runner:
        little = runner.run(("/bin/sh", "-c", count_to.format(10)))
        much = runner.run(("/bin/sh", "-c", count_to.format(200_000)))
        slept = runner.run(("/bin/sleep", "0.2"))
    assert much.cpu_time_us > 5 * little.cpu_time_us
    assert much.wall_time_us >= much.cpu_time_us * 0.95
    assert slept.wall_time_us >= 200_000 > slept.cpu_time_us * 2


@pytest.mark.parametrize(("argv", "code"), [(("/bin/false",), "1"), (("/no/such/program",), "127")])
def test_program_that_fails_is_an_error_and_the_next_one_runs(argv: tuple[str, ...], code: str) -> None:
    with BareRunner() as runner:
        with pytest.raises(JailError, match=f"{argv[0]} failed outside the jail: exit code {code}"):
            runner.run(argv)
        assert runner.run(("/bin/true",)).wall_time_us > 0


def test_core_that_is_not_there_is_an_error() -> None:
    with BareRunner(1_000) as runner, pytest.raises(JailError, match="the core is not there"):
        runner.run(("/bin/true",))


def test_unbuilt_runner_names_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(overhead, "BARE", tmp_path / "bare")
    with pytest.raises(JailError, match="run make -C sandbox/native"):
        BareRunner()


def test_a_program_that_does_not_end_is_ended_with_its_runner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "_LONGEST_RUN_S", 0.1)
    monkeypatch.setattr(overhead, "_END_S", 0.1)
    with BareRunner() as runner:
        with pytest.raises(JailError, match="timed out"):
            runner.run(("/bin/sleep", "600"))
        wait_for(lambda: children(runner._process.pid), "the program runs")
        (program,) = children(runner._process.pid)
    wait_for(lambda: not is_running(program), "the program is ended")


def test_a_runner_that_cannot_be_killed_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overhead, "_LONGEST_RUN_S", 0.1)
    monkeypatch.setattr(overhead, "_END_S", 0.1)
    with monkeypatch.context() as patched, BareRunner() as runner:
        patched.setattr("os.killpg", lambda group, number: None)  # as if it were deep in a call of the kernel's
        with pytest.raises(JailError, match="timed out"):
            runner.run(("/bin/sleep", "20"))
    assert is_running(runner._process.pid)
    os.killpg(runner._process.pid, signal.SIGKILL)
    runner._process.wait(20)
