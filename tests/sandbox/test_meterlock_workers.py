"""Graded runs and profile passes of several worker processes, in real jails, on one host."""

import ctypes
import errno
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sandbox.jail.leftovers import remove_leftovers
from sandbox.meter import meterlock
from sandbox.meter.meterlock import profile_pass_lock
from sandbox.nsjail import NsjailSandbox
from sandbox.types import Command, Ending, Limits
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jailed import TOOLS
from tests.sandbox.metered import PATIENCE_S, compiled
from tests.waiting import wait_for

REPOSITORY = Path(__file__).parents[2]
PASSES = 8
BPF_SYSCALL = {"x86_64": 321, "aarch64": 280}[platform.machine()]
BPF_LINK_GET_FD_BY_ID = 30  # <linux/bpf.h>

Worker = subprocess.Popen[bytes]
Interval = tuple[int, int]


@pytest.fixture
def programs(folder: Path) -> Path:
    made = folder / "programs"
    made.mkdir(mode=0o755)
    return made


@contextmanager
def worker(kind: str, programs: Path, wanted: int, *argv: str) -> Iterator[Worker]:
    """A worker process, ended at the latest when the `with` ends."""
    command = [sys.executable, "-m", "tests.sandbox.meterworker", kind, str(WORK_ROOT), str(programs), str(wanted)]
    process = subprocess.Popen([*command, *argv], cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def intervals(output: bytes) -> list[Interval]:
    """When each run was, in nanoseconds."""
    return [(int(begin), int(end)) for begin, end in (line.split() for line in output.splitlines())]


def overlaps(some: list[Interval], others: list[Interval]) -> int:
    return sum(begin < other_end and other_begin < end for begin, end in some for other_begin, other_end in others)


@pytest.mark.usefixtures("sandbox")
def test_a_profile_pass_has_the_host_alone_and_gets_its_turn_on_a_busy_one(programs: Path) -> None:
    argv = compiled("clock.c", programs)
    with ExitStack() as stack:
        graders = [stack.enter_context(worker("graded", programs, 0, argv)) for _ in range(3)]
        first = [process.stdout.readline() for process in graders if process.stdout]
        profilers = [stack.enter_context(worker("profile", programs, PASSES, argv)) for _ in range(2)]
        # They end although graded runs are under way all the time.
        passes = [intervals(process.communicate(timeout=2 * PATIENCE_S)[0]) for process in profilers]
        runs = [
            intervals(line + process.communicate(timeout=PATIENCE_S)[0])
            for line, process in zip(first, graders, strict=True)
        ]
    assert [len(of_one) for of_one in passes] == [PASSES, PASSES]
    assert [overlaps(some, others) for some in passes for others in runs] == [0] * 6
    assert overlaps(passes[0], passes[1]) == 0
    every_run = [run for of_one in runs for run in of_one]
    for of_one in passes:
        assert any(of_one[0][1] < run[0] and run[1] < of_one[-1][0] for run in every_run)  # they took turns
    assert overlaps(runs[0], runs[1] + runs[2]) > 0  # graded runs need not wait for each other


def link_ids(pid: int) -> set[int]:
    """The attached kernel programs that a process holds."""
    found = set()
    for entry in Path(f"/proc/{pid}/fdinfo").iterdir():
        try:
            lines = dict(line.split(":", 1) for line in entry.read_text().splitlines() if ":" in line)
        except FileNotFoundError:  # closed just now
            continue
        if "link_id" in lines:
            found.add(int(lines["link_id"]))
    return found


def is_attached(link_id: int) -> bool:
    """Whether the kernel still has this link: bpf(2)."""
    attributes = (ctypes.c_uint32 * 8)(link_id)
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.syscall(BPF_SYSCALL, BPF_LINK_GET_FD_BY_ID, attributes, ctypes.sizeof(attributes))
    if descriptor >= 0:
        os.close(descriptor)
        return True
    assert ctypes.get_errno() == errno.ENOENT
    return False


@pytest.mark.usefixtures("sandbox")
def test_a_worker_killed_in_a_profile_pass_leaves_nothing_attached_and_the_lock_free(programs: Path) -> None:
    with worker("profile", programs, 1, "/bin/sleep", "50") as process:
        wait_for(lambda: len(link_ids(process.pid)) >= 2, "both programs are attached", look_every_s=0.01)
        held = link_ids(process.pid)
        assert all(is_attached(link_id) for link_id in held)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
        with profile_pass_lock(wait_ms=PATIENCE_S * 1_000):
            pass
        wait_for(lambda: not any(map(is_attached, held)), "nothing is attached")
    assert remove_leftovers(WORK_ROOT)


def test_a_profile_pass_ends_in_time_for_the_others_and_says_when_it_was_cut(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    # on a machine that gives it no core half of the time, with the pause after it
    longest_pass_ms = 2 * meterlock.PROFILE_WALL_MS + 1_000 * meterlock.LONGEST_PAUSE_S
    assert 2 * longest_pass_ms <= meterlock.PROFILE_WAIT_MS < meterlock.GRADED_WAIT_MS - 2 * longest_pass_ms
    monkeypatch.setattr("sandbox.meter.meterlock.PROFILE_WALL_MS", 200)
    sleep = Command(argv=("/bin/sleep", "30"))
    with sandbox.open_jail(TOOLS) as jail:
        outcome, profile = jail.profile(sleep, Limits(wall_time_ms=20_000))
        assert (outcome.ending, profile.stopped_after_ms) == (Ending.WALL_LIMIT, 200)
        outcome, profile = jail.profile(sleep, Limits(wall_time_ms=100))
        assert (outcome.ending, profile.stopped_after_ms) == (Ending.WALL_LIMIT, 0)
        outcome, profile = jail.profile(Command(argv=("/bin/true",)), Limits(wall_time_ms=20_000))
        assert (outcome.ending, profile.stopped_after_ms) == (Ending.EXITED, 0)
