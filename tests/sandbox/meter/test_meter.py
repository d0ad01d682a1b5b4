"""The kernel meter against strace, outside the jail: own small programs in a bare PID namespace."""

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.errors import MeterUnavailable
from sandbox.meter.meter import Meter, meter_problem
from sandbox.types import StreamUse
from tests.sandbox.metered import LOCK_CALLS, Streams, compiled, counting, kill_children_of, metered, straced
from tests.waiting import wait_for

PYTHON_ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0"}


@pytest.fixture
def streams(tmp_path: Path) -> Streams:
    stdin = tmp_path / "in"
    stdin.write_text("".join(f"{number}\n" for number in range(5000)))
    return Streams(stdin, tmp_path / "out", tmp_path / "err")


def test_this_host_can_count_by_name() -> None:
    assert meter_problem() is None


def test_a_meter_that_is_not_built_names_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sandbox.meter.meter.BUILD", tmp_path)
    with pytest.raises(MeterUnavailable, match="install clang and libbpf-dev"):
        Meter.load()


def test_a_meter_that_the_kernel_cannot_read_is_our_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "meter.bpf.o").write_bytes(b"no object file")
    (tmp_path / "syscalls.txt").write_text("0 read\n")
    monkeypatch.setattr("sandbox.meter.meter.BUILD", tmp_path)
    with pytest.raises(MeterUnavailable, match=r"cannot open meter\.bpf\.o"):
        Meter.load()


def test_root_without_the_capabilities_is_told_which_ones() -> None:
    drop = ("setpriv", "--bounding-set", "-bpf,-perfmon,-sys_admin", "--inh-caps", "-bpf,-perfmon,-sys_admin")
    ask = (sys.executable, "-c", "from sandbox.meter.meter import meter_problem; print(meter_problem())")
    said = subprocess.run([*drop, *ask], cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True)
    assert "CAP_BPF and CAP_PERFMON" in said.stdout
    assert said.stderr == ""


@pytest.mark.parametrize("source", ["thread_and_child.c", "lines.cpp", "signals.c"])
def test_the_table_of_a_compiled_program_equals_strace(source: str, streams: Streams, tmp_path: Path) -> None:
    program = compiled(source, tmp_path)
    expected = straced([program], streams)
    counted = dict(metered([program], streams).syscalls)
    if source == "signals.c":
        assert counted["rt_sigreturn"] == 10 + 1
        expected |= {"unknown": 1, "syscall_511": 1}  # strace -c leaves out numbers that it has no name for
    assert counted == expected


@pytest.mark.parametrize(
    "oddity",
    [
        *("kills_itself", "kills_its_thread", "terminates_itself", "is_terminated", "thread_terminates", "aborts"),
        *("thread_crashes", "other_thread_is_given", "other_thread_is_given blocked"),
        *("thread_executes", "leaves_sleepers", "vforks"),
    ],
)
def test_calls_that_do_not_come_back_are_counted_as_strace_counts_them(
    oddity: str, streams: Streams, tmp_path: Path
) -> None:
    argv = [compiled("oddities.c", tmp_path), *oddity.split()]
    expected = straced(argv, streams, PYTHON_ENVIRONMENT)
    assert metered(argv, streams, environment=PYTHON_ENVIRONMENT).syscalls == expected


def test_a_call_that_the_kernel_starts_again_counts_each_time(streams: Streams, tmp_path: Path) -> None:
    counted = metered([compiled("oddities.c", tmp_path), "restarts"], streams).syscalls
    reads = counted["read"] - 1  # the other one is the dynamic loader's
    assert 1 < reads <= counted["rt_sigreturn"] + 1  # a signal may also come before or after the read


@pytest.mark.skipif(platform.machine() != "x86_64", reason="only x86-64 has other machines' calls")
@pytest.mark.parametrize("oddity", ["i386", "x32"])
def test_calls_by_another_machines_numbers_are_unknown(oddity: str, streams: Streams, tmp_path: Path) -> None:
    program = compiled("oddities.c", tmp_path)
    plain, counted = (dict(metered([program, way], streams).syscalls) for way in ("nothing", oddity))
    assert counted == plain | {"unknown": 4}


def test_the_table_of_a_python_program_equals_strace(streams: Streams) -> None:
    argv = [sys.executable, "-I", str(Path(__file__).parents[1] / "programs" / "prints.py")]
    expected = straced(argv, streams, PYTHON_ENVIRONMENT)
    counted = metered(argv, streams, environment=PYTHON_ENVIRONMENT).syscalls
    assert counted["write"] == 300 + 20 + 100 + 1
    assert {name: n for name, n in counted.items() if name not in LOCK_CALLS} == {
        name: n for name, n in expected.items() if name not in LOCK_CALLS
    }


def test_programs_started_by_the_program_are_counted_too(streams: Streams, tmp_path: Path) -> None:
    argv = [compiled("starts_others.c", tmp_path)]
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C"}
    expected = straced(argv, streams, environment)
    assert metered(argv, streams, environment=environment).syscalls == expected
    assert expected["execve"] == 5


def test_other_processes_of_the_machine_are_not_counted(streams: Streams, tmp_path: Path) -> None:
    program = compiled("thread_and_child.c", tmp_path)

    def make_noise(_: int) -> None:
        for _ in range(2000):
            Path("/proc/self/stat").read_bytes()

    assert metered([program], streams, meanwhile=make_noise) == metered([program], streams)


def test_streams_are_told_apart_by_what_is_open_not_by_descriptor(streams: Streams, tmp_path: Path) -> None:
    streams = Streams(Path("/dev/null"), streams.stdout, streams.stderr)
    program = compiled("streams.c", tmp_path)
    profile = metered([program], streams)
    assert streams.stderr.read_text() == "errormoved"
    loader = metered(["/bin/true"], streams)  # what the dynamic loader reads comes on top
    assert profile.streams == {
        "stdin": StreamUse(calls=1, bytes=0),
        "stdout": StreamUse(calls=5, bytes=5 + 3 + 3 + 1 + 10),
        "stderr": StreamUse(calls=2, bytes=5 + 5),
        "files": StreamUse(
            calls=loader.streams["files"].calls + 6, bytes=loader.streams["files"].bytes + 7 + 10 + 1 + 4 + 10
        ),
    }


def test_stdout_and_stderr_in_one_file_are_told_apart_by_descriptor(streams: Streams) -> None:
    writes = "import os; os.write(1, b'one\\n'); os.write(2, b'second\\n'); os.write(2, b'third\\n')"
    profile = metered([sys.executable, "-I", "-c", writes], Streams(streams.stdin, streams.stdout, streams.stdout))
    assert profile.streams["stdout"] == StreamUse(calls=1, bytes=4)
    assert profile.streams["stderr"] == StreamUse(calls=2, bytes=13)


def test_a_killed_run_is_counted_up_to_its_last_call(streams: Streams, tmp_path: Path) -> None:
    program = compiled("writes_forever.c", tmp_path)

    def kill_after_a_while(shell: int) -> None:
        wait_for(lambda: streams.stdout.stat().st_size >= 20_000, "the program writes", look_every_s=0.01)
        kill_children_of(shell)

    profile = metered([program], streams, meanwhile=kill_after_a_while)
    written = streams.stdout.stat().st_size
    assert written >= 20_000
    assert profile.streams["stdout"] == StreamUse(calls=written, bytes=written)
    assert profile.syscalls["write"] == written
    assert "pause" not in profile.syscalls  # it never came back


def test_each_run_starts_at_zero(streams: Streams) -> None:
    argv = ["/bin/echo", "hello"]
    assert metered(argv, streams) == metered(argv, streams)


def test_a_run_that_never_started_has_no_profile() -> None:
    with counting(1) as reading, pytest.raises(MeterUnavailable, match="no program start"):
        reading.profile()
