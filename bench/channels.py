"""Measure how fast two simultaneous submissions can communicate through what jails share: `python -m bench.channels`.

Needs root and gcc, and takes about a minute. docs/security.md says what such channels are good for. Each channel is
tried with slots of several lengths; its bandwidth is the best of slot rate times the capacity of a binary symmetric
channel with the errors that were counted, at the best threshold.

    channels    bits per second, the slot in microseconds and the share of wrong bits, by channel
"""

import argparse
import math
import random
import subprocess
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench import reporting
from bench.experiment.page import machine_line, placed, table
from sandbox.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Limits, Mount
from sandbox.workdir import fresh_folder

PAGE = Path(__file__).parents[1] / "docs" / "security.md"
MEANINGS = {
    "futex": "a lock on a page of the C library",
    "cache": "a line of the processor's cache, of the C library's code",
    "processes": "the number of the host's processes (sysinfo)",
}
WORK_ROOT = Path("/var/lib/tally/bench")
SOURCE = Path(__file__).parent / "programs" / "channel.c"
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


def figures(report: Mapping[str, Any]) -> str:
    """The table of a report, for the page about security."""
    heading = ("channel", "bits per second", "wrong bits")
    rows: list[tuple[str, ...]] = [
        (MEANINGS[kind], f"{found['bits_per_second']:,.0f}", f"{found['wrong']:.1%}")
        for kind, found in report["channels"].items()
    ]
    return "\n\n".join((table(heading, rows), f"{machine_line(report)}."))


def main() -> None:
    """Measure and print; keep the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reporting.add_switches(parser, "channels")
    options = parser.parse_args()
    began_on = reporting.begin(options)
    channels = {}
    with fresh_folder(WORK_ROOT, "channels-") as folder:
        (folder / "program").mkdir(mode=0o755)
        subprocess.run(["gcc", "-O2", "-o", folder / "program" / "channel", SOURCE], check=True)
        sandbox = NsjailSandbox(WORK_ROOT)
        for kind, slots in SLOTS_US.items():
            best = max((send(sandbox, folder, kind, slot) for slot in slots), key=lambda sent: sent.bits_per_second)
            channels[kind] = {
                "bits_per_second": round(best.bits_per_second, 1),
                "slot_us": best.slot_us,
                "wrong": round(best.wrong, 4),
            }
            print(f"{kind}: {best.bits_per_second:.0f} bits/s (slots of {best.slot_us} us, {best.wrong:.1%} wrong)")
    report = {"machine": began_on, "channels": channels}
    if reporting.write(report, options) and reporting.is_committed(options):
        PAGE.write_text(placed(PAGE.read_text("utf-8"), "the channels", figures(report), "bench/channels.py"), "utf-8")


if __name__ == "__main__":
    main()
