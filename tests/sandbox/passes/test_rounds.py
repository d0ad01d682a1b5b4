"""Graded runs and profile passes of several worker processes, in real jails, on one host."""

import ctypes
import errno
import os
import platform
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sandbox.jail.leftovers import remove_leftovers
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.passes.claims import LOCK_FOLDER, graded_run
from sandbox.types import Command, Limits, Profile, StreamUse
from tests.processes import descendants, name_of
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jailed import TOOLS
from tests.sandbox.metered import PATIENCE_S, compiled
from tests.sandbox.passes.hosts import keeper_of, kill_keeper
from tests.waiting import wait_for

REPOSITORY = Path(__file__).parents[3]
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
    command = [
        sys.executable,
        "-m",
        "tests.sandbox.passes.passworker",
        kind,
        str(WORK_ROOT),
        str(programs),
        str(wanted),
    ]
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


def of_running(program: str, process: Worker) -> bool:
    """Whether a worker's jail runs this program."""
    return program in [name_of(pid) for pid in descendants(process.pid)]


@pytest.mark.usefixtures("sandbox")
def test_passes_go_together_never_beside_graded_runs_and_get_their_turn_on_a_busy_host(programs: Path) -> None:
    argv = compiled("clock.c", programs)
    with ExitStack() as stack:
        graders = [stack.enter_context(worker("graded", programs, 0, argv)) for _ in range(3)]
        first = [process.stdout.readline() for process in graders if process.stdout]
        profilers = [stack.enter_context(worker("profile", programs, PASSES, argv)) for _ in range(2)]
        # They end although graded runs are under way all the time.
        passes = [intervals(process.communicate(timeout=4 * PATIENCE_S)[0]) for process in profilers]
        runs = [
            intervals(line + process.communicate(timeout=PATIENCE_S)[0])
            for line, process in zip(first, graders, strict=True)
        ]
    assert [len(of_one) for of_one in passes] == [PASSES, PASSES]
    assert [overlaps(some, others) for some in passes for others in runs] == [0] * 6
    assert overlaps(passes[0], passes[1]) > 0
    every_run = [run for of_one in runs for run in of_one]
    for of_one in passes:
        assert any(of_one[0][1] < run[0] and run[1] < of_one[-1][0] for run in every_run)  # they took turns
    assert overlaps(runs[0], runs[1] + runs[2]) > 0  # graded runs need not wait for each other


def test_counts_are_exact_while_others_are_counted(sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import os, threading, time\n{start}\nfor _ in range({n}): os.write(2, b'abc')\n{end}"
    threads = "t = [threading.Thread(target=lambda: [os.write(1, b'x') for _ in range({n})]) for _ in range(2)]"

    def profile_of(count: int) -> Profile:
        start = f"{threads.format(n=count)}\n[x.start() for x in t]"
        source = program.format(n=count, start=start, end="[x.join() for x in t]")
        with sandbox.open_jail(TOOLS) as jail:
            return jail.profile(Command(argv=("/usr/bin/python3", "-I", "-c", source)), Limits(wall_time_ms=20_000))[1]

    counts = [500 * number for number in range(1, 9)]
    with ThreadPoolExecutor(len(counts)) as pool:
        profiles = list(pool.map(profile_of, counts))
    assert [profile.stopped_after_ms for profile in profiles] == [0] * len(counts)
    assert [profile.streams["stderr"] for profile in profiles] == [StreamUse(calls=n, bytes=3 * n) for n in counts]
    assert [profile.streams["stdout"] for profile in profiles] == [StreamUse(calls=2 * n, bytes=2 * n) for n in counts]
    assert [profile.syscalls["write"] for profile in profiles] == [3 * n for n in counts]


@pytest.mark.usefixtures("sandbox")
def test_a_graded_run_whose_worker_was_stopped_delays_no_pass_and_is_made_again(programs: Path) -> None:
    argv = compiled("clock.c", programs)
    with worker("graded", programs, 1, argv, "1000") as process:
        wait_for(lambda: of_running("clock-c", process), "a graded run is under way", look_every_s=0.002)
        process.send_signal(signal.SIGSTOP)
        with worker("profile", programs, 1, argv) as profiler:
            passes = intervals(profiler.communicate(timeout=PATIENCE_S)[0])
        process.send_signal(signal.SIGCONT)
        runs = intervals(process.communicate(timeout=PATIENCE_S)[0])
    assert len(passes) == len(runs) == 1
    assert runs[0][0] > passes[0][1]  # the first one, which the pass may have taxed, does not count


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
def test_a_worker_killed_in_a_pass_leaves_nothing_attached_and_the_host_free(programs: Path) -> None:
    with worker("profile", programs, 1, "/bin/sleep", "50") as process:
        wait_for(lambda: of_running("sleep", process), "the pass is under way", look_every_s=0.01)
        keeper = keeper_of(LOCK_FOLDER)
        assert keeper
        wait_for(lambda: len(link_ids(keeper)) >= 2, "the meter is attached", look_every_s=0.01)
        held = link_ids(keeper)
        assert all(is_attached(link_id) for link_id in held)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_S)
        with graded_run(wait_ms=PATIENCE_S * 1_000):
            assert not any(map(is_attached, held))
    assert remove_leftovers(WORK_ROOT)


@pytest.mark.usefixtures("sandbox")
def test_a_pass_whose_keeper_is_killed_is_made_again_and_nothing_stays_attached(programs: Path) -> None:
    with worker("profile", programs, 1, compiled("clock.c", programs), "400") as process:
        wait_for(lambda: of_running("clock-c", process), "the pass is under way", look_every_s=0.002)
        keeper = keeper_of(LOCK_FOLDER)
        assert keeper
        held = link_ids(keeper)
        kill_keeper(LOCK_FOLDER)
        wait_for(lambda: not any(map(is_attached, held)), "nothing is attached")
        assert len(intervals(process.communicate(timeout=PATIENCE_S)[0])) == 1
    assert keeper_of(LOCK_FOLDER) != keeper
