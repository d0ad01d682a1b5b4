"""CPU time sampled from outside of the jail: the functions and lines that used it, in their known proportions."""

import json
import os
import signal
import subprocess
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sandbox.errors import LimitsError, MeterUnavailable
from sandbox.image.reading import Reader, Reading
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.meter.perf import ClockEvents, sampling_problem, wished_bytes
from sandbox.meter.python_frames import UnreadableMemory, lines_of
from sandbox.types import Command, CpuSampling, Ending, Frames, JailSpec, Limits, Mount, Outcome
from sandbox.unwinding.elf import ElfFile
from sandbox.unwinding.tables import CannotUnwind, Unwinder
from sandbox.workdir import fresh_folder
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.metered import SLOWNESS, compiled
from tests.waiting import wait_for

LIMITS = Limits(cpu_time_ms=10_000 * SLOWNESS, wall_time_ms=30_000 * SLOWNESS)
READING = Limits(
    cpu_time_ms=20_000 * SLOWNESS, wall_time_ms=60_000 * SLOWNESS, memory_bytes=1 << 30, output_bytes=32 << 20
)
PROGRAM = "/bin-of-test/clocked-c"
LONGER = 2 * SLOWNESS - 1  # factor of the programs' work: in an emulator starting takes a larger part
TOLERANCE = 0.06  # of a share
MISSED = 0.1 if SLOWNESS == 1 else 0.2  # of the samples, between two clocks
LOST = 0.1 if SLOWNESS == 1 else 0.25  # of the samples: a ring is full where its reader waits for a core


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    with fresh_folder(WORK_ROOT, "clocked-") as folder:
        (folder / "bin").mkdir(mode=0o755)
        compiled("clocked.c", folder / "bin")
        yield folder / "bin"


@pytest.fixture
def clocked_jail(sandbox: NsjailSandbox, programs: Path) -> Iterator[OpenJail]:
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=programs, target="/bin-of-test"),), cpu=0)) as opened:
        yield opened


@pytest.fixture
def clocked(sandbox: NsjailSandbox, clocked_jail: OpenJail, programs: Path, folder: Path) -> "Clocked":
    return Clocked(sandbox, clocked_jail, programs, folder)


@dataclass(frozen=True, slots=True)
class Stack:
    frames: tuple[int, ...]
    samples: int
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Samples:
    """A run's outcome and its call chains, the most frequent first."""

    outcome: Outcome
    stacks: list[Stack]

    @property
    def number(self) -> int:
        return sum(stack.samples for stack in self.stacks)

    @property
    def lost(self) -> int:
        assert self.outcome.cpu_samples is not None
        return self.outcome.cpu_samples.lost


class Clocked:
    """The compiled program in a jail: runs it sampled, and has its samples read."""

    def __init__(self, sandbox: NsjailSandbox, jail: OpenJail, programs: Path, folder: Path) -> None:
        self._reader = Reader(sandbox=sandbox, work_root=folder, packages=("sandbox.unwinding",))
        self._mount = Mount(source=programs, target="/bin-of-test")
        self._jail = jail
        self._target = folder / "samples"

    def run(self, *road: str, limits: Limits = LIMITS, stdin: Path | None = None, may_lose: bool = False) -> Samples:
        sampling = CpuSampling(period_us=997, frames=Frames.NATIVE, file=PROGRAM, target=self._target)
        command = Command(
            argv=(PROGRAM, *road), environment={"LONGER": str(LONGER)}, stdin=stdin, cpu_sampling=sampling
        )
        outcome = self._jail.run(command, limits)
        reading = Reading(
            module="sandbox.unwinding", arguments=(PROGRAM,), stdin=self._target, mounts=(self._mount,), limits=READING
        )
        samples = Samples(outcome, stacks_in(self._reader.read(reading)))
        assert may_lose or samples.lost <= LOST * samples.number
        return samples


def stacks_in(answer: object) -> list[Stack]:
    assert isinstance(answer, dict)
    return [Stack(tuple(frames), number, is_cut) for frames, number, is_cut in answer["stacks"]]


class Functions:
    """The functions of the compiled program by their addresses."""

    def __init__(self, program: Path) -> None:
        lines = subprocess.run(["nm", "-S", program], check=True, capture_output=True, text=True).stdout.splitlines()
        rows = [line.split() for line in lines]
        self._ranges = [(int(row[0], 16), int(row[1], 16), row[3]) for row in rows if len(row) == 4]

    def name(self, address: int) -> str:
        return next((name for begin, size, name in self._ranges if begin <= address < begin + size), "?")

    def shares(self, samples: Samples) -> tuple[Counter[str], Counter[str]]:
        """The share of each function: innermost of the program's own, and anywhere in the chain."""
        own: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for stack in samples.stacks:
            names = [self.name(address) for address in stack.frames]
            own[names[0] if names else "nobody"] += stack.samples
            total.update(dict.fromkeys(names, stack.samples))
        whole = samples.number
        return (
            Counter({name: count / whole for name, count in own.items()}),
            Counter({name: count / whole for name, count in total.items()}),
        )


@pytest.fixture(scope="module")
def functions(programs: Path) -> Functions:
    return Functions(programs / "clocked-c")


@pytest.mark.parametrize("road", ["parts", "thread", "child", "executes"])
def test_time_is_told_to_the_function_that_used_it(road: str, clocked: Clocked, functions: Functions) -> None:
    own, total = functions.shares(clocked.run(road))
    assert own["burn"] > (0.95 if SLOWNESS == 1 else 0.9)
    assert total["three_parts"] == pytest.approx(0.75, abs=TOLERANCE)
    assert total["one_part"] == pytest.approx(0.25, abs=TOLERANCE)


@pytest.mark.parametrize("cpu", [0, None])
def test_threads_on_several_cores_are_sampled(
    cpu: int | None, sandbox: NsjailSandbox, programs: Path, functions: Functions, folder: Path
) -> None:
    mounts = (Mount(source=programs, target="/bin-of-test"),)
    with sandbox.open_jail(JailSpec(mounts=mounts, cpu=cpu, cores=2)) as jail:
        samples = Clocked(sandbox, jail, programs, folder).run("thread")
    periods = samples.outcome.usage.cpu_time_us / 997
    assert samples.number + samples.lost == pytest.approx(periods, rel=MISSED)
    assert functions.shares(samples)[1]["three_parts"] == pytest.approx(0.75, abs=TOLERANCE)


def test_there_is_a_sample_for_each_period_of_cpu_time(clocked: Clocked) -> None:
    samples = clocked.run("parts")
    assert samples.number + samples.lost == pytest.approx(samples.outcome.usage.cpu_time_us / 997, rel=MISSED)


def test_a_sampler_that_is_delayed_loses_nothing(clocked: Clocked) -> None:
    """As on a loaded host: 120 samples of 8 KiB wait, while the smallest ring holds 60."""
    with ThreadPoolExecutor(1) as beside:
        stopped = beside.submit(_stop_for_a_while)
        samples = clocked.run("parts")
        assert stopped.result()
    assert samples.number > 120
    assert samples.lost == 0


def _stop_for_a_while() -> bool:
    wait_for(_samplers, "the sampler")
    time.sleep(0.1)  # within the run of a few tenths of a second, most likely: earlier or later it does no harm
    for sampler in _samplers():
        os.kill(sampler, signal.SIGSTOP)
        time.sleep(0.12)
        os.kill(sampler, signal.SIGCONT)
        return True
    return False


def _samplers() -> list[int]:
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    pids = [int(pid) for path in children for pid in path.read_text().split()]
    return [pid for pid in pids if b"sandbox.meter.sampler" in Path(f"/proc/{pid}/cmdline").read_bytes()]


@pytest.mark.parametrize(
    ("rings", "may_lock", "ring_bytes"),
    [(1, 8 << 20, 4 << 20), (2, 8 << 20, 2 << 20), (1, 64 << 10, 512 << 10), (8, -1, 2 << 20), (64, -1, 512 << 10)],
)
def test_a_ring_is_as_large_as_the_worker_may_lock(
    rings: int, may_lock: int, ring_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.meter.perf.resource.getrlimit", lambda _: (may_lock, may_lock))
    assert wished_bytes(rings) == ring_bytes


def test_a_librarys_time_is_its_callers(clocked: Clocked, functions: Functions) -> None:
    own, _ = functions.shares(clocked.run("library"))
    assert own["fills"] > 0.9


def test_the_kernels_time_is_its_callers(clocked: Clocked, functions: Functions) -> None:
    samples = clocked.run("kernel", stdin=Path("/dev/zero"))
    own, _ = functions.shares(samples)
    assert samples.outcome.usage.system_time_us > samples.outcome.usage.user_time_us
    assert own["asks_the_kernel"] > 0.9


def test_a_recursion_is_in_its_chain(clocked: Clocked, functions: Functions) -> None:
    samples = clocked.run("deep", "20")
    own, total = functions.shares(samples)
    assert own["burn"] > 0.9
    assert total["deep"] > 0.9
    assert total["main"] > 0.9
    most = samples.stacks[0]
    assert sum(functions.name(address) == "deep" for address in most.frames) == 21
    assert not most.is_cut


def test_a_chain_deeper_than_the_copied_stack_is_cut_and_says_so(clocked: Clocked, functions: Functions) -> None:
    samples = clocked.run("deep", "5000")
    own, total = functions.shares(samples)
    assert own["burn"] > 0.9
    assert total["deep"] > 0.9
    assert samples.stacks[0].is_cut


@pytest.mark.thorough
def test_a_flood_of_mappings_costs_samples_at_most(clocked: Clocked, functions: Functions) -> None:
    samples = clocked.run("maps", may_lose=True)
    assert samples.outcome.exit_code == 0
    own, _ = functions.shares(samples)
    assert own["maps"] > 0.9 - own["nobody"]


def test_waiting_has_no_samples(clocked: Clocked) -> None:
    samples = clocked.run("sleeps", may_lose=True)
    assert samples.outcome.usage.wall_time_us > 300_000
    assert samples.number < 20 * SLOWNESS


def test_a_run_that_is_stopped_has_its_samples(clocked: Clocked, functions: Functions) -> None:
    limits = Limits(cpu_time_ms=50 * LONGER, wall_time_ms=5_000 * SLOWNESS, overrun_percent=0)
    samples = clocked.run("parts", limits=limits)
    assert samples.outcome.ending is Ending.CPU_LIMIT
    own, _ = functions.shares(samples)
    assert own["burn"] > 0.8


def test_one_run_after_the_other_has_its_own(clocked: Clocked, functions: Functions) -> None:
    numbers = [clocked.run("parts").number for _ in range(2)]
    assert numbers[1] < 1.5 * numbers[0]


def test_no_sampler_is_left_after_its_run(clocked: Clocked) -> None:
    clocked.run("sleeps", may_lose=True)
    assert _samplers() == []


def test_a_sampler_that_ends_too_soon_is_no_end_of_the_run(
    clocked: Clocked, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.meter.cpu_samples._SAMPLER", "sandbox.unwinding")  # which knows nothing of it
    with pytest.raises(MeterUnavailable, match="the sampler ended"):
        clocked.run("sleeps")


def test_an_ordinary_run_has_none(clocked_jail: OpenJail) -> None:
    outcome = clocked_jail.run(Command(argv=(PROGRAM, "sleeps")), LIMITS)
    assert outcome.cpu_samples is None


SHARES = f"""
import threading, sys, os
from time import thread_time
def three():
    end = thread_time() + {0.3 * LONGER}
    while thread_time() < end: sum(range(10_000))  #@ three
def one():
    end = thread_time() + {0.1 * LONGER}
    while thread_time() < end: sum(range(10_000))  #@ one
"""
ROADS = {
    "calls": "three()\none()\n",
    "thread": "t = threading.Thread(target=three)\nt.start()\nt.join()\none()\n",
    "child": "if os.fork() == 0:\n    three()\n    os._exit(0)\none()\nos.wait()\n",
}


def python_shares(samples: Samples) -> Counter[int]:
    own: Counter[int] = Counter()
    for stack in samples.stacks:
        own[stack.frames[0] if stack.frames else 0] += stack.samples
    return own


def run_python(sandbox: NsjailSandbox, folder: Path, source: str, file: str = "/files/program.py") -> Samples:
    (folder / "shown").mkdir(mode=0o755, exist_ok=True)
    (folder / "shown" / "program.py").write_text(source)
    target = folder / "samples"
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=folder / "shown", target="/files"),), cpu=0)) as jail:
        sampling = CpuSampling(period_us=997, frames=Frames.PYTHON, file=file, target=target)
        outcome = jail.run(Command(argv=("/usr/bin/python3", "-I", "/files/program.py"), cpu_sampling=sampling), LIMITS)
    samples = Samples(outcome, stacks_in(json.loads(target.read_bytes())))
    assert samples.lost <= LOST * samples.number
    return samples


@pytest.mark.parametrize("road", ROADS)
def test_time_is_told_to_the_line_of_a_python_program(road: str, sandbox: NsjailSandbox, folder: Path) -> None:
    source = SHARES + ROADS[road]
    samples = run_python(sandbox, folder, source)
    assert samples.outcome.exit_code == 0
    own = python_shares(samples)
    line = {name: 1 + source[: source.index(f"#@ {name}")].count("\n") for name in ("three", "one")}
    told = own[line["three"]] + own[line["one"]]
    assert own[line["three"]] / told == pytest.approx(0.75, abs=TOLERANCE)
    start = python_shares(run_python(sandbox, folder, SHARES))  # in an emulation it takes a third of all
    assert told / (own.total() - start.total()) > 0.85


def test_what_a_python_library_does_is_its_callers(sandbox: NsjailSandbox, folder: Path) -> None:
    source = "import random\nx = 0\nfor i in range(400_000):\n    x += random.randrange(9)\n"
    own = python_shares(run_python(sandbox, folder, source))
    assert own[4] / own.total() > 0.7


def test_a_python_recursion_is_read_whole(sandbox: NsjailSandbox, folder: Path) -> None:
    source = "def deep(n):\n    return sum(range(40_000_000)) if n == 0 else deep(n - 1)\ndeep(50)\n"
    most = run_python(sandbox, folder, source).stacks[0]
    assert most.frames == (2,) * 51 + (3,)
    assert not most.is_cut


def test_code_in_the_place_of_other_code_is_told_apart(sandbox: NsjailSandbox, folder: Path) -> None:
    """Each round compiles a function anew, mostly where the one before it lay, and with other lines."""
    source = """
for number in range(40):
    text = "\\n" * number + "def work():\\n" + "    x = 1\\n" * (number % 7) + "    return sum(range(STEPS))\\n"
    space = {}
    exec(compile(text, "/files/made.py", "exec"), space)
    space["work"]()
    del space
"""
    source = source.replace("STEPS", str(400_000 * SLOWNESS))
    own = python_shares(run_python(sandbox, folder, source, "/files/made.py"))
    assert own.keys() <= {number + 1 + number % 7 + 1 for number in range(40)} | {0, 1}
    assert len(own) > 20
    assert own[0] < 0.2 * own.total()


@pytest.mark.parametrize("period_us", [99, 1_000_001, 997.0])
def test_a_period_that_is_none_is_refused(period_us: int, clocked_jail: OpenJail, folder: Path) -> None:
    sampling = CpuSampling(period_us=period_us, frames=Frames.NATIVE, file=PROGRAM, target=folder / "samples")
    with pytest.raises(LimitsError, match="period_us must be"):
        clocked_jail.run(Command(argv=(PROGRAM,), cpu_sampling=sampling), LIMITS)


def test_this_host_can_sample() -> None:
    assert sampling_problem() is None


def test_closed_events_leave_no_descriptors() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        ClockEvents(1, 1_000).close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def _with_lines(source: str) -> Iterator[tuple[list[int], list[int]]]:
    codes = [compile(source, "x", "exec")]
    while codes:
        code = codes.pop()
        codes += [each for each in code.co_consts if isinstance(each, type(code))]
        ours = list(lines_of(code.co_linetable, code.co_firstlineno))
        theirs = [line or 0 for begin, end, line in code.co_lines() for _ in range(begin, end, 2)]
        yield ours, theirs


def test_the_table_of_lines_is_read_as_python_reads_it() -> None:
    for path in (Path(__file__), Path(subprocess.__file__), Path(threading.__file__)):
        for ours, theirs in _with_lines(path.read_text()):
            assert ours == theirs


@given(st.binary(max_size=200))
def test_any_table_of_lines_is_read(table: bytes) -> None:
    try:
        lines = list(lines_of(table, 1))
    except UnreadableMemory:
        return
    assert len(lines) <= 8 * len(table)
    assert all(abs(line) < 1 << 45 for line in lines)


def test_the_tables_of_a_library_are_understood(programs: Path) -> None:
    file = ElfFile(programs / "clocked-c")
    functions = Functions(programs / "clocked-c")
    unwinder = Unwinder(file)
    for begin, size, name in functions._ranges:
        if name in ("burn", "deep", "fills", "three_parts", "main"):
            for address in range(begin, begin + size):
                assert unwinder.row(address).cfa


@given(place=st.integers(0, 20_000), content=st.binary(max_size=60))
def test_a_damaged_file_raises_nothing_else(place: int, content: bytes, programs: Path) -> None:
    """It fails by what is raised: a damaged file has no right rows."""
    whole = (programs / "clocked-c").read_bytes()
    damaged = programs.parent / "damaged"
    damaged.write_bytes(whole[:place] + content + whole[place + len(content) :])
    try:
        file = ElfFile(damaged)
    except ValueError:
        return
    unwinder = Unwinder(file)
    file.symbol("main")
    for address in range(0x1000, 0x1800, 64):
        try:
            unwinder.row(address)
        except CannotUnwind:
            continue
