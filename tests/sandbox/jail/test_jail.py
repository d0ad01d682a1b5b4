"""The real jail: how runs end, and what is measured of them."""

import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Ending, JailSpec, Limits
from tests.sandbox.jailed import LIMITS, PYTHON, python


def test_a_program_reads_its_input_and_its_output_lands_in_the_file(jail: OpenJail, folder: Path) -> None:
    (folder / "in").write_text("41\n")
    command = Command(argv=(*PYTHON, "print(int(input()) + 1)"), stdin=folder / "in", stdout=folder / "out")
    outcome = jail.run(command, LIMITS)
    assert (outcome.ending, outcome.exit_code, outcome.stdout_bytes) == (Ending.EXITED, 0, 3)
    assert (folder / "out").read_text() == "42\n"


def test_the_exit_code_is_the_programs(jail: OpenJail) -> None:
    assert python(jail, "import sys; sys.exit(137)").exit_code == 137


def test_abort_is_sigabrt_and_not_a_segmentation_fault(jail: OpenJail) -> None:
    outcome = python(jail, "import os; os.abort()")
    assert (outcome.ending, outcome.signal) == (Ending.SIGNALLED, signal.SIGABRT)


def test_a_program_that_hides_its_books_is_not_our_failure(jail: OpenJail) -> None:
    # kernels differ in whether the init may then still read them
    prctl = "import ctypes; ctypes.CDLL(None).prctl(4, 0, 0, 0, 0); print(1)"
    script = "import os; f = os.memfd_create(''); os.sendfile(f, os.open('/usr/bin/true', 0), 0, 1 << 24)"
    for code in (prctl, script + "; os.fchmod(f, 0o111); os.execve(f, ['true'], {})"):
        outcome = python(jail, code)
        assert outcome.ending is Ending.SIGNALLED or outcome.io.read_calls > 0
        assert python(jail, "pass").exit_code == 0


def test_spinning_hits_the_cpu_limit_and_shows_a_real_time(jail: OpenJail) -> None:
    outcome = python(jail, "while True: pass", Limits(cpu_time_ms=200, wall_time_ms=5_000))
    assert outcome.ending is Ending.CPU_LIMIT
    assert outcome.usage.cpu_time_us > 200_000


def test_cpu_time_of_children_counts(jail: OpenJail) -> None:
    code = "import os\nfor _ in range(3):\n    os.fork()\nwhile True: pass"
    assert python(jail, code, Limits(cpu_time_ms=300, wall_time_ms=9_000)).ending is Ending.CPU_LIMIT


def test_cpu_time_of_a_child_that_nobody_waits_for_counts(jail: OpenJail) -> None:
    code = """
import os, signal, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
reader, writer = os.pipe()
if os.fork() == 0:
    while time.process_time() < 0.3: pass
    os._exit(0)
os.close(writer); os.read(reader, 1)  # its end; no fixed time is enough on a full machine
time.sleep(0.05)
"""
    assert python(jail, code).usage.cpu_time_us > 290_000


def test_sleeping_hits_the_wall_limit_with_hardly_any_cpu_time(jail: OpenJail) -> None:
    outcome = python(jail, "import time; time.sleep(60)", Limits(cpu_time_ms=1_000, wall_time_ms=1_000))
    assert outcome.ending is Ending.WALL_LIMIT
    assert outcome.usage.cpu_time_us < outcome.usage.wall_time_us / 2
    assert "wall" in outcome.detail


def test_a_program_that_stops_itself_is_killed(jail: OpenJail) -> None:
    code = "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"
    assert python(jail, code, Limits(cpu_time_ms=500, wall_time_ms=500)).ending is Ending.WALL_LIMIT


def test_memory_over_the_limit_is_a_memory_ending(jail: OpenJail) -> None:
    assert python(jail, "x = b'x' * (300 << 20)").ending is Ending.MEMORY_LIMIT


def test_reserved_address_space_is_not_memory(jail: OpenJail) -> None:
    outcome = python(jail, "import mmap; mmap.mmap(-1, 8 << 30, flags=mmap.MAP_PRIVATE | 0x4000)")
    assert outcome.exit_code == 0
    assert outcome.usage.peak_memory_bytes < 64 * MIB


def test_peak_memory_is_what_the_program_touched(jail: OpenJail) -> None:
    nothing = python(jail, "pass").usage.peak_memory_bytes
    touched = python(jail, "x = bytearray(64 << 20)").usage.peak_memory_bytes
    assert abs(touched - nothing - 64 * MIB) < 0.02 * 64 * MIB + MIB


def test_output_adds_nothing_to_memory(jail: OpenJail, folder: Path) -> None:
    code = "import sys\nfor _ in range(64): sys.stdout.buffer.write(bytes(1 << 20))"
    limits = Limits(cpu_time_ms=5_000, wall_time_ms=15_000, output_bytes=65 * MIB, memory_bytes=64 * MIB)
    outcome = jail.run(Command(argv=(*PYTHON, code), stdout=folder / "out"), limits)
    assert (outcome.ending, outcome.stdout_bytes) == (Ending.EXITED, 64 * MIB)
    assert outcome.usage.peak_memory_bytes < 24 * MIB


def test_output_over_the_limit_names_the_stream(jail: OpenJail) -> None:
    code = "import sys\nwhile True: sys.{}.write('x' * 100000)"
    limits = Limits(cpu_time_ms=4_000, wall_time_ms=9_000, output_bytes=MIB, stderr_bytes=MIB)
    assert python(jail, code.format("stdout"), limits).detail.endswith("on stdout")
    assert python(jail, code.format("stderr"), limits).detail.endswith("on stderr")


def test_processes_are_limited(jail: OpenJail) -> None:
    spawn = "import os, time\nfor _ in range(99):\n    if os.fork() == 0:\n        time.sleep(30)\n        os._exit(0)"
    outcome = python(jail, spawn)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 1)


def test_a_program_may_ask_for_more_stack_than_it_began_with(jail: OpenJail) -> None:
    asks = "import resource, sys; resource.setrlimit(resource.RLIMIT_STACK, 2 * (resource.RLIM_INFINITY,))"
    recurses = """
import functools, sys
sys.setrecursionlimit(1_000_000)
@functools.cache
def depth(n): return 1 + depth(n - 1) if n else 0
sys.exit(depth(30_000) != 30_000)
"""
    limits = replace(LIMITS, stack_bytes=4 * MIB)
    assert python(jail, recurses, limits).signal == signal.SIGSEGV
    assert python(jail, asks + recurses, limits).exit_code == 0


def test_what_a_program_leaves_behind_is_killed_and_changes_nothing(jail: OpenJail) -> None:
    outcome = python(jail, "import os, time\nif os.fork() == 0:\n    os.setpgid(0, 0)\n    time.sleep(60)")
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    assert python(jail, "import os; os._exit(len([p for p in os.listdir('/proc') if p.isdigit()]))").exit_code == 1


def test_threads_and_free_counts_are_exact(jail: OpenJail, folder: Path) -> None:
    code = """
import os, threading
def write(): [os.write(1, b'ab') for _ in range(500)]
threads = [threading.Thread(target=write) for _ in range(2)]
[t.start() for t in threads]; [t.join() for t in threads]
if os.fork() == 0: write(); os._exit(0)
os.wait()
"""
    outcome = jail.run(Command(argv=(*PYTHON, code), stdout=folder / "out"), LIMITS)
    assert (outcome.io.write_calls, outcome.io.write_bytes, outcome.stdout_bytes) == (1_500, 3_000, 3_000)


@pytest.mark.thorough
def test_a_machine_that_gives_no_core_is_nobodys_wall_limit(sandbox: NsjailSandbox) -> None:
    spin = "import time\nwhile time.process_time() < {}: pass"
    limits = Limits(cpu_time_ms=2_000, wall_time_ms=300)
    with sandbox.open_jail(JailSpec(cpu=0)) as busy, sandbox.open_jail(JailSpec(cpu=0)) as jail:
        rival = threading.Thread(
            target=python, args=(busy, spin.format(1.5), replace(limits, cpu_time_ms=4_000, wall_time_ms=60_000))
        )
        rival.start()
        # whatever share of the core it gets, one of these takes longer than the limit and less than twice as long
        crowded = [python(jail, spin.format(seconds), limits) for seconds in 2 * (0.25, 0.15, 0.08, 0.04)]
        asleep = python(jail, "import time; time.sleep(0.5)", limits)
        rival.join()
    for outcome in crowded:
        counted_us = outcome.usage.wall_time_us - min(outcome.usage.queued_time_us, 300_000)
        assert (outcome.ending is Ending.EXITED) is (counted_us <= 300_000)
    assert any(outcome.ending is Ending.EXITED and outcome.usage.wall_time_us > 300_000 for outcome in crowded)
    assert asleep.ending is Ending.WALL_LIMIT


def test_time_without_a_core_is_the_machines_and_sleep_is_the_programs(sandbox: NsjailSandbox) -> None:
    spin = "import time\nwhile time.process_time() < 0.4: pass"
    with sandbox.open_jail(JailSpec(cpu=0)) as busy, sandbox.open_jail(JailSpec(cpu=0)) as jail:
        rival = threading.Thread(target=python, args=(busy, spin))
        rival.start()
        crowded = python(jail, spin).usage
        rival.join()
        asleep = python(jail, "import time; time.sleep(0.3)").usage
    assert crowded.queued_time_us > 0.2 * crowded.cpu_time_us
    assert crowded.waiting_time_us < crowded.queued_time_us
    assert asleep.waiting_time_us > 0.9 * 300_000
