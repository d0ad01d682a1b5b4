"""The host's thread that waits for a run has a short slice and other cores, and gives neither to what it starts."""

import ctypes
import errno
import os
import platform
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator

import pytest

from sandbox import scheduling
from sandbox.errors import CommandError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import Side, run_pair
from sandbox.scheduling import CoreUsage, idle_times_s, leaving_cores, take_short_slices
from sandbox.types import Command, JailSpec, Limits

_CALL = {"x86_64": 315, "aarch64": 275}.get(platform.machine())  # sched_getattr
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
_SLEEPS = "import sys, time; print(flush=True); time.sleep(60)"
SHORT_NS = 100_000


def slice_ns(process: int = 0) -> int:
    """What the kernel says of a process, 0 of this thread."""
    assert _CALL is not None
    buffer = ctypes.create_string_buffer(_ATTRIBUTES.size)
    arguments = (_CALL, process, ctypes.addressof(buffer), _ATTRIBUTES.size, 0)
    assert ctypes.CDLL(None).syscall(*map(ctypes.c_long, arguments)) == 0
    return int(_ATTRIBUTES.unpack(buffer.raw)[5])


def in_a_thread(work: Callable[[], None]) -> None:
    """Do this in a thread with a short slice, so that this one keeps its own."""
    failed: list[BaseException] = []

    def do() -> None:
        try:
            take_short_slices()
            work()
        except BaseException as error:  # noqa: BLE001 - raised below
            failed.append(error)

    thread = threading.Thread(target=do)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]


@pytest.fixture
def kernel_with_slices() -> None:
    release = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
    if _CALL is None or release < (6, 12):
        pytest.skip("this kernel has no slices of a thread's own")


@pytest.mark.usefixtures("kernel_with_slices")
def test_what_a_thread_with_a_short_slice_starts_has_the_usual_one() -> None:
    def start() -> None:
        assert slice_ns() == SHORT_NS
        with subprocess.Popen([sys.executable, "-c", _SLEEPS], stdout=subprocess.PIPE) as child:
            assert child.stdout is not None
            child.stdout.readline()
            found = slice_ns(child.pid)
            child.kill()
        assert found not in (0, SHORT_NS)

    in_a_thread(start)


@pytest.mark.usefixtures("kernel_with_slices")
def test_a_nice_thread_stays_as_nice_as_it_was() -> None:
    def work() -> None:
        os.nice(3)
        take_short_slices()
        assert os.getpriority(os.PRIO_PROCESS, 0) == 3 + before

    before = os.getpriority(os.PRIO_PROCESS, 0)
    in_a_thread(work)


@pytest.mark.usefixtures("kernel_with_slices")
def test_a_process_with_priority_keeps_it_for_what_it_starts() -> None:
    take = "from sandbox.scheduling import take_short_slices; take_short_slices()"
    work = f"import os, subprocess; os.nice(-3); {take}; subprocess.run(['nice'])"
    told = subprocess.run([sys.executable, "-c", work], capture_output=True, text=True, check=True)
    assert int(told.stdout) == os.nice(0) - 3


@pytest.mark.usefixtures("kernel_with_slices")
def test_the_init_has_a_short_slice_and_its_programs_have_not(jail: OpenJail) -> None:
    seen: list[int] = []

    def look() -> None:
        for folder in jail._group._folders["memory"].glob("run-*"):
            for pid in map(int, (folder / "cgroup.procs").read_text().split()):
                seen.append(slice_ns(pid))

    timer = threading.Timer(0.3, look)
    timer.start()
    jail.run(Command(argv=("/bin/sleep", "1")), Limits())
    timer.join()
    assert slice_ns(jail._init.pid) == SHORT_NS
    assert seen
    assert SHORT_NS not in seen


@pytest.fixture
def idle_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else runs on the host."""
    monkeypatch.setattr(CoreUsage, "idle_share", lambda *_: 1.0)


@pytest.fixture
def pinned_jail(sandbox: NsjailSandbox) -> Iterator[OpenJail]:
    """A jail on one of several cores."""
    with sandbox.open_jail(JailSpec(cpu=max(os.sched_getaffinity(0)))) as jail:
        if not jail.cpus or not os.sched_getaffinity(0).difference(jail.cpus):
            pytest.skip("this machine has no core beside the runs'")
        yield jail


@pytest.mark.usefixtures("idle_host")
def test_the_thread_that_waits_for_a_run_leaves_the_core_to_it(
    sandbox: NsjailSandbox, pinned_jail: OpenJail, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, seen = os.sched_getaffinity(0), list[set[int]]()
    monkeypatch.setattr(pinned_jail, "tidy", lambda: seen.append(os.sched_getaffinity(0)))  # called during each run
    true = Command(argv=("/bin/true",))
    pinned_jail.run(true, Limits())
    with sandbox.open_jail(JailSpec()) as other:
        sides = [Side(jail=jail, command=true, limits=Limits()) for jail in (pinned_jail, other)]
        run_pair(*sides)
        run_pair(*reversed(sides))
    assert seen == [before.difference(pinned_jail.cpus)] * 3
    assert os.sched_getaffinity(0) == before


@pytest.mark.usefixtures("idle_host")
def test_after_a_run_that_failed_the_thread_may_use_all_cores(pinned_jail: OpenJail) -> None:
    before = os.sched_getaffinity(0)
    with pytest.raises(CommandError):
        pinned_jail.run(Command(argv=("/nowhere",)), Limits())
    assert os.sched_getaffinity(0) == before


def test_the_thread_stays_while_the_other_cores_are_busy(
    pinned_jail: OpenJail, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, asked = os.sched_getaffinity(0), list[Collection[int]]()

    def idle_share(_: CoreUsage, cores: Collection[int]) -> float:
        asked.append(cores)
        return 0.49

    monkeypatch.setattr(CoreUsage, "idle_share", idle_share)
    with leaving_cores(pinned_jail.cpus):
        assert os.sched_getaffinity(0) == before
    assert asked == [before.difference(pinned_jail.cpus)]


def test_cores_are_as_idle_as_they_were_between_the_last_two_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    times, clock = dict[int, float](), [1_000.0]
    usage = CoreUsage(lambda: clock[0])
    monkeypatch.setattr(scheduling, "idle_times_s", lambda _: dict(times))

    def later(seconds: float, *idle_s: float) -> None:
        clock[0] += seconds
        times.update(enumerate(idle_s))

    times.update({0: 50.0, 1: 70.0})
    assert usage.idle_share([0, 1]) == 1  # the first look
    later(0.1, 50.09, 70.05)
    assert usage.idle_share([0]) == pytest.approx(0.9)
    assert usage.idle_share([0, 1]) == pytest.approx(0.7)
    later(0.01, 50.09, 70.05)
    assert usage.idle_share([0, 1]) == pytest.approx(0.7)  # too early for the next look
    later(0.09, 50.09, 70.05)
    assert usage.idle_share([0, 1]) == pytest.approx(0)
    later(0.1, 50.21, 70.04)  # a tick too many, and one that went to another account
    assert usage.idle_share([0]) == 1
    assert usage.idle_share([1]) == 0
    later(10, 51, 71)
    assert usage.idle_share([0, 1]) == 1  # long ago
    times.clear()  # a look that failed
    later(0.1)
    assert usage.idle_share([0, 1]) == 0
    later(0.1, 60, 80)
    assert usage.idle_share([0, 1]) == 0
    later(0.1, 60.1, 80.1)
    assert usage.idle_share([0, 1]) == pytest.approx(1)
    assert usage.idle_share([0, 7]) == pytest.approx(0.5)  # a core that the host does not list


def test_a_core_is_idle_also_while_it_waits_for_a_disk() -> None:
    stat = """cpu  1100 2200 3300 4400 5500 6600 7700 8800 9900 1000
cpu0 100 200 300 400 500 600 700 800 900 0
cpu11 1000 2000 3000 4000 5000 6000 7000 8000 9000 1000
intr 123 4 5
ctxt 67
"""
    per_s = os.sysconf("SC_CLK_TCK")
    assert idle_times_s(stat) == {0: 900 / per_s, 11: 9_000 / per_s}
    assert idle_times_s("") == {}


def test_the_cores_of_this_host_are_read() -> None:
    assert idle_times_s(scheduling._read_stat()).keys() >= os.sched_getaffinity(0)


def test_without_a_descriptor_nothing_is_known_of_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_descriptor(*_: object) -> int:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(os, "open", no_descriptor)
    usage = CoreUsage()
    assert usage.idle_share([0]) == 0


@pytest.mark.usefixtures("idle_host")
def test_a_thread_that_may_use_no_other_core_stays() -> None:
    before = os.sched_getaffinity(0)
    with leaving_cores(before):
        assert os.sched_getaffinity(0) == before
    with leaving_cores(()):
        assert os.sched_getaffinity(0) == before
