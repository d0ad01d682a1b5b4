"""Do profile passes cost a host with many slots its throughput? `python -m bench.slots [--quick]` measures, and writes
bench/reports/slots.json.

How it works: each slot is a process that grades again and again: it opens a jail, runs a program that sleeps in it, for
each case once, closes the jail, and asks for a profile pass. As many other processes make the passes, each in a jail
that stays open: it is the lock that is measured, not how long a jail takes to open. Programs that sleep use no core, so
two cores carry many slots, and a round has as many passes as there are slots, as on a host with that many cores.
Without and with passes alternate. A pass that is not made by the end is told.

Then the tax: 500,000 writes in a graded run, with other slots making passes all the time, and without, in turns.

The lock folder is one of its own (a mount namespace), so that no other worker of the host takes part.
"""

import argparse
import json
import multiprocessing as mp
import queue
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing.synchronize import Barrier, Event
from pathlib import Path
from typing import Any

from bench import reporting
from bench.jail.contest import INSIDE, LIMITS, built_programs, jail_spec
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.passes import keeping
from sandbox.passes.claims import LOCK_FOLDER
from sandbox.types import Command, JailSpec, Outcome

AT_LEAST_PCT, MOST_TAX = 90, 1.05
WORK_ROOT = Path("/var/lib/tally/bench-slots")
MIXES = ((50, 20), (300, 10))  # ms of sleep, cases
SLOTS = (2, 8, 16, 32)
_ROUNDS, _TAX_ROUNDS, _TAX_RUNS = 2, 5, 4
_WAIT_S = 600
_LOOK_S = 0.05
_INSIDE = "--in-own-namespace"


@dataclass(frozen=True, kw_only=True, slots=True)
class Graded:
    """What the slots did: submissions per second; medians of one submission's parts in ms."""

    per_s: float
    open_ms: float  # opening and closing the jail, and what else a submission takes
    case_ms: float  # a run
    submissions: int
    passes: int = 0
    passes_left: int = 0
    table_s_p50: float = 0.0  # from the end of grading to the counts
    table_s_max: float = 0.0


def _checked(outcome: Outcome) -> Outcome:
    if outcome.exit_code != 0:
        raise SystemExit(f"a program did not pass in the jail: {outcome.ending.value} {outcome.detail}")
    return outcome


class Host:
    """Slots and profilers on this machine."""

    def __init__(self, sandbox: NsjailSandbox, programs: Path) -> None:
        self._sandbox = sandbox
        self._spec = JailSpec(mounts=jail_spec(programs, 0).mounts)

    def grade(self, slots: int, ms: int, cases: int, seconds: float, *, is_profiled: bool) -> Graded:
        """Let the slots work for some seconds."""
        command = Command(argv=(f"{INSIDE}/sleeps", str(ms)))
        _let_keeper_end()
        keeping.at_once = slots  # as if there were that many cores
        asked: Any = mp.Queue()
        told: Any = mp.Queue()
        tables: Any = mp.Queue()
        go, over = mp.Barrier(slots + 1), mp.Event()
        with _processes(
            [(self._slot, (command, cases, seconds, asked if is_profiled else None, told, go))] * slots
            + [(self._profiler, (command, asked, tables, over))] * (slots if is_profiled else 0)
        ):
            go.wait(_WAIT_S)
            reports = [told.get(timeout=_WAIT_S) for _ in range(slots)]
            over.set()
            waits = [tables.get(timeout=_WAIT_S) for _ in range(slots if is_profiled else 0)]
        table_s = [wait for wait_list in waits for wait in wait_list]
        done = sum(len(opens) for _, opens, _ in reports)
        return Graded(
            per_s=round(sum(len(opens) / took_s for took_s, opens, _ in reports), 3),
            open_ms=round(1_000 * statistics.median(each for _, opens, _ in reports for each in opens), 2),
            case_ms=round(1_000 * statistics.median(each for _, _, runs in reports for each in runs), 2),
            submissions=done,
            passes=len(table_s),
            passes_left=done - len(table_s) if is_profiled else 0,
            table_s_p50=round(statistics.median(table_s), 2) if table_s else 0.0,
            table_s_max=round(max(table_s), 2) if table_s else 0.0,
        )

    def tax(self, rounds: int, runs: int) -> dict[str, Any]:
        """CPU time of 500,000 writes in a graded run while others make passes, over that without."""
        wanted, over = mp.Event(), mp.Event()
        count = mp.Value("i", 0)
        seen: dict[bool, list[float]] = {False: [], True: []}
        _let_keeper_end()
        keeping.at_once = 2
        command, passes = Command(argv=(f"{INSIDE}/writes",)), 0
        with _processes([(self._busy_profiler, (wanted, over, count))] * 2), self._jail() as jail:
            jail.run(command, LIMITS)
            for number in range(2 * rounds):
                is_profiled = bool(number % 2)
                (wanted.set if is_profiled else wanted.clear)()
                time.sleep(0.2)
                before = count.value
                for _ in range(runs):
                    seen[is_profiled].append(_checked(jail.run(command, LIMITS)).usage.cpu_time_us)
                passes += (count.value - before) if is_profiled else 0
            over.set()
            wanted.set()
        without, beside = (statistics.median(seen[each]) for each in (False, True))
        return {
            "writes": 500_000,
            "without_us": round(without),
            "beside_passes_us": round(beside),
            "passes": passes,
            "ratio": round(beside / without, 4),
            "at_most": MOST_TAX,
        }

    def _jail(self) -> Any:
        return self._sandbox.open_jail(self._spec)

    def _slot(self, command: Command, cases: int, seconds: float, asked: Any, told: Any, go: Barrier) -> None:
        opens: list[float] = []
        runs: list[float] = []
        self._submission(command, cases, [])
        go.wait(_WAIT_S)
        began = time.monotonic()
        while time.monotonic() < began + seconds:
            opens.append(self._submission(command, cases, runs))
            if asked is not None:
                asked.put(time.monotonic())
        told.put((time.monotonic() - began, opens, runs))

    def _submission(self, command: Command, cases: int, runs: list[float]) -> float:
        """Grade once; how long it took besides the runs."""
        began, before = time.monotonic(), sum(runs)
        with self._jail() as jail:
            for _ in range(cases):
                at = time.monotonic()
                _checked(jail.run(command, LIMITS))
                runs.append(time.monotonic() - at)
        return time.monotonic() - began - (sum(runs) - before)

    def _profiler(self, command: Command, asked: Any, tables: Any, over: Event) -> None:
        waits = []
        with self._jail() as jail:
            while not over.is_set():
                try:
                    since = asked.get(timeout=0.2)
                except queue.Empty:
                    continue
                _, profile = jail.profile(command, LIMITS)
                assert profile.syscalls["execve"] == 1
                if not over.is_set():
                    waits.append(time.monotonic() - since)
        tables.put(waits)
        asked.cancel_join_thread()

    def _busy_profiler(self, wanted: Event, over: Event, count: Any) -> None:
        command = Command(argv=(f"{INSIDE}/sleeps", "3"))
        with self._jail() as jail:
            assert isinstance(jail, OpenJail)
            while wanted.wait() and not over.is_set():
                jail.profile(command, LIMITS)
                with count.get_lock():
                    count.value += 1


def _let_keeper_end() -> None:
    """It ends when the processes that started it have; the next one knows of how many passes to make at once."""
    deadline = time.monotonic() + _WAIT_S
    while (line := keeping.Line.to_keeper(LOCK_FOLDER)) is not None:
        with line:
            if time.monotonic() > deadline:
                raise SystemExit("the keeper of the last measurement does not end")
        time.sleep(_LOOK_S)


@contextmanager
def _processes(works: list[tuple[Callable[..., None], tuple[Any, ...]]]) -> Iterator[None]:
    processes = [mp.Process(target=work, args=arguments, daemon=True) for work, arguments in works]
    for process in processes:
        process.start()
    try:
        yield
        for process in processes:
            process.join(_WAIT_S)
    finally:
        for process in processes:
            process.kill()


def compare(host: Host, slots: int, mix: tuple[int, int], seconds: float, rounds: int) -> dict[str, Any]:
    """Without and with passes in turns; the medians of the rounds."""
    without, beside = [], []
    for _ in range(rounds):
        without.append(host.grade(slots, *mix, seconds, is_profiled=False))
        beside.append(host.grade(slots, *mix, seconds, is_profiled=True))
    own, profiled = (statistics.median(each.per_s for each in graded) for graded in (without, beside))
    found = {
        "ms": mix[0],
        "cases": mix[1],
        "slots": slots,
        "without_per_s": round(own, 3),
        "with_per_s": round(profiled, 3),
        "share_pct": round(100 * profiled / own, 1),
        "without": [asdict(each) for each in without],
        "with": [asdict(each) for each in beside],
    }
    print({key: value for key, value in found.items() if key != "without"}, file=sys.stderr, flush=True)
    return found


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Everything that the report has."""
    sandbox = NsjailSandbox(WORK_ROOT)
    slots, seconds, rounds = ((2, 8), 4.0, 1) if options.quick else (SLOTS, options.seconds, _ROUNDS)
    with built_programs(WORK_ROOT) as programs:
        host = Host(sandbox, programs)
        return {
            "tax": host.tax(2 if options.quick else _TAX_ROUNDS, _TAX_RUNS),
            "cells": [compare(host, count, mix, seconds, rounds) for mix in options.mixes for count in slots],
        }


def main(arguments: list[str] | None = None) -> int:
    """Measure, write and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="2 and 8 slots for a few seconds, printed and not kept")
    parser.add_argument("--seconds", type=float, default=12.0, help="of each measurement (default: %(default)s)")
    parser.add_argument("--mixes", type=_mixes, default=MIXES, help="milliseconds x cases, such as 50x20,300x10")
    parser.add_argument(_INSIDE, action="store_true", help=argparse.SUPPRESS)
    reporting.add_switches(parser, "slots")
    options = parser.parse_args(arguments)
    if not options.in_own_namespace:
        return _in_own_namespace(sys.argv[1:] if arguments is None else arguments)
    described, began = reporting.begin(options), time.monotonic()
    measured = measure(options)
    report = {"machine": described, "took_s": round(time.monotonic() - began), "at_least_pct": AT_LEAST_PCT, **measured}
    reporting.write(report, options)
    print(json.dumps({key: report[key] for key in ("tax",)}, indent=1))
    for cell in report["cells"]:
        print(f"{cell['cases']} x {cell['ms']} ms, {cell['slots']} slots: {cell['share_pct']} %")
    slow = [cell for cell in report["cells"] if cell["share_pct"] < AT_LEAST_PCT]
    return int(bool(slow) or report["tax"]["ratio"] > MOST_TAX)


def _mixes(written: str) -> tuple[tuple[int, int], ...]:
    pairs = (mix.split("x") for mix in written.split(","))
    return tuple((int(ms), int(cases)) for ms, cases in pairs)


def _in_own_namespace(arguments: list[str]) -> int:
    LOCK_FOLDER.mkdir(parents=True, exist_ok=True)
    alone = f'mount -t tmpfs -o mode=0700 tmpfs {LOCK_FOLDER} && exec "$@"'
    command = ["unshare", "--mount", "sh", "-c", alone, "sh", sys.executable, "-m", "bench.slots", _INSIDE, *arguments]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
