"""Measure how much submissions can communicate through what jails share: `python -m bench.channels`.

Needs root and gcc, and takes about a minute. docs/security.md says what such channels are good for.

Two submissions at the same time: each channel is tried with slots of several lengths; its bandwidth is the best of slot
rate times the capacity of a binary symmetric channel with the errors that were counted, at the best threshold.

One after the other: a run moves a counter of the kernel for a second of CPU time, and what the next jails read of it
while nobody moves it is noise. What is left is the logarithm of the steps in that second over those of the noise.

    channels    bits per second, the slot in microseconds and the share of wrong bits, by channel
    counters    steps that a run can make in a second of CPU time, those between two jails (the least and the most),
                and the bits that a run can leave for the next one, by counter
"""

import argparse
import math
import random
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from bench import reporting
from bench.experiment.page import machine_line, placed, table
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Limits, Mount
from sandbox.workdir import fresh_folder

PAGE = Path(__file__).parents[1] / "docs" / "security.md"
MEANINGS = {
    "futex": "a lock on a page of the C library",
    "cache": "a line of the processor's cache, of the C library's code",
    "processes": "the number of the host's processes (sysinfo)",
}
COUNTERS = {
    "pipe": "the number of a pipe's inode",
    "memory": "the number of the inode of a file in memory",
}
JAILS = 40  # whose readings of a counter are compared
WORK_ROOT = Path("/var/lib/tally/bench")
SOURCE = Path(__file__).parent / "programs" / "channel.c"
COUNTER = SOURCE.with_name("counter.c")
SLOTS_US = {"futex": (150, 500, 2_000), "cache": (150, 500, 2_000), "processes": (2_000, 5_000, 20_000)}
LIMITS = Limits(cpu_time_ms=30_000, wall_time_ms=30_000)
BITS = 400
_UNTIL_START_US = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """One transmission: `wrong` of the bits arrived inverted."""

    slot_us: int
    wrong: float

    @property
    def bits_per_second(self) -> float:
        """Slots per second times what one of them carries (Shannon)."""
        p = self.wrong
        entropy = -p * math.log2(p) - (1 - p) * math.log2(1 - p) if 0 < p < 1 else 0.0
        return (1 - entropy) * 1e6 / self.slot_us


def _wrong(bits: str, levels: list[int]) -> float:
    """The share of wrong bits at the best threshold."""
    return min(
        sum((level >= threshold) != (bit == "1") for bit, level in zip(bits, levels, strict=True)) / len(bits)
        for threshold in {*levels, max(levels) + 1}
    )


def send(sandbox: NsjailSandbox, folder: Path, kind: str, slot_us: int) -> Sent:
    """Send random bits from one jail to another."""
    bits = "".join(random.choices("01", k=BITS))  # noqa: S311 - to be measured, not to be kept secret
    start = str(int(time.time() * 1e6) + _UNTIL_START_US)
    output = folder / f"{kind}-{slot_us}"
    spec = JailSpec(mounts=(Mount(source=folder / "program", target="/program"),))

    def run(role: str, stdout: Path | None) -> None:
        with sandbox.open_jail(spec) as jail:
            argv = ("/program/channel", kind, role, start, str(slot_us), bits)
            outcome = jail.run(Command(argv=argv, stdout=stdout), LIMITS)
            assert outcome.exit_code == 0, outcome

    with ThreadPoolExecutor() as both:
        for done in [both.submit(run, "send", None), both.submit(run, "receive", output)]:
            done.result()
    return Sent(slot_us=slot_us, wrong=_wrong(bits, [int(line) for line in output.read_text().split()]))


def read_counter(sandbox: NsjailSandbox, folder: Path, kind: str, seconds: float) -> tuple[int, int, int]:
    """Run `counter` in a jail of its own: the first number, the last one, the steps between."""
    spec = JailSpec(mounts=(Mount(source=folder / "program", target="/program"),), cpu=0)
    output = folder / "counter"
    with sandbox.open_jail(spec) as jail:
        outcome = jail.run(Command(argv=("/program/counter", kind, str(seconds)), stdout=output), LIMITS)
        assert outcome.exit_code == 0, outcome
    first, last, steps = map(int, output.read_text().split())
    output.unlink()
    return first, last, steps


def count(sandbox: NsjailSandbox, folder: Path, kind: str) -> dict[str, Any]:
    """Measure what a run can leave in a counter for the next one."""
    _, _, steps = read_counter(sandbox, folder, kind, 1)
    readings = [read_counter(sandbox, folder, kind, 0) for _ in range(JAILS)]
    between = sorted(after[0] - before[1] for before, after in pairwise(readings))
    bits = math.log2(max(1, steps / max(1, between[-1] - between[0])))
    return {"steps": steps, "noise": [between[0], between[-1]], "bits": round(bits, 1)}


def figures(report: Mapping[str, Any]) -> str:
    """The table of a report, for the page about security."""
    heading = ("channel", "bits per second", "wrong bits")
    rows: list[tuple[str, ...]] = [
        (MEANINGS[kind], f"{found['bits_per_second']:,.0f}", f"{found['wrong']:.1%}")
        for kind, found in report["channels"].items()
    ]
    of_counters = ("counter", "steps in a second of CPU time", "steps between two jails", "bits left of a second")
    counters: list[tuple[str, ...]] = [
        (COUNTERS[kind], f"{found['steps']:,}", "{:,} to {:,}".format(*found["noise"]), f"{found['bits']:.0f}")
        for kind, found in report["counters"].items()
    ]
    after = "One run after the other:"
    return "\n\n".join((table(heading, rows), after, table(of_counters, counters), f"{machine_line(report)}."))


def main() -> None:
    """Measure and print; keep the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reporting.add_switches(parser, "channels")
    options = parser.parse_args()
    began_on = reporting.begin(options)
    channels = {}
    with fresh_folder(WORK_ROOT, "channels-") as folder:
        (folder / "program").mkdir(mode=0o755)
        for source in (SOURCE, COUNTER):
            subprocess.run(["gcc", "-O2", "-o", folder / "program" / source.stem, source], check=True)
        sandbox = NsjailSandbox(WORK_ROOT)
        for kind, slots in SLOTS_US.items():
            best = max((send(sandbox, folder, kind, slot) for slot in slots), key=lambda sent: sent.bits_per_second)
            channels[kind] = {
                "bits_per_second": round(best.bits_per_second, 1),
                "slot_us": best.slot_us,
                "wrong": round(best.wrong, 4),
            }
            print(f"{kind}: {best.bits_per_second:.0f} bits/s (slots of {best.slot_us} us, {best.wrong:.1%} wrong)")
        counters = {kind: count(sandbox, folder, kind) for kind in COUNTERS}
        for kind, found in counters.items():
            print(f"{kind}: {found['bits']} bits ({found['steps']:,} steps, noise {found['noise']})")
    report = {"machine": began_on, "channels": channels, "counters": counters}
    if reporting.write(report, options) and reporting.is_committed(options):
        PAGE.write_text(placed(PAGE.read_text("utf-8"), "the channels", figures(report), "bench/channels.py"), "utf-8")


if __name__ == "__main__":
    main()
