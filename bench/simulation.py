"""What do rounds of profile passes cost a host with 64 slots? `python -m bench.simulation` plays discrete events, and
writes bench/reports/simulation.json.

How it works: slots grade submissions case by case, each submission then asks for a pass, and as many profilers as slots
make them. Claims and rounds follow `sandbox.passes.rules` itself and what `sandbox.passes.keeper` does with it. The
report bench/reports/slots.json says how long a case, a jail and an empty round take. First the cells of that report are
played, each with the times that were measured in it: they say how far to trust the rest. Then hosts that nobody has
here.

Not in it: the cores. A pass takes its slot's core for its own jail and run, whatever the lock does; programs that sleep
do not show that either.
"""

import argparse
import heapq
import itertools
import json
import math
import random
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from bench import reporting
from sandbox.passes.rules import QUIET_S, RETRY_QUIET_S, Rules

AT_LEAST_PCT, WITHIN_PCT = 90, 5
SLOTS = (2, 8, 16, 32, 64)
_SECONDS, _SEED = 300.0, 20
_SPREAD, _OPEN_SPREAD = 0.1, 0.5  # of the time of a case, and of a jail, around its median


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """What the slots do; seconds."""

    slots: int
    cases: int
    case_s: float
    open_s: float
    round_s: float  # of a round besides its passes: the meter is attached and detached, graded runs are woken
    long_s: float = 0.0  # one slot has cases of this length instead; 0: none has


@dataclass(frozen=True, kw_only=True, slots=True)
class Played:
    """What came of it."""

    share_pct: float  # of the throughput without passes
    passes: int
    passes_left: int
    rounds: int
    given_up: int  # drains
    table_s_p50: float
    table_s_max: float


class Host:
    """One simulated host."""

    def __init__(self, load: Load, seed: int = _SEED, *, is_profiled: bool = True) -> None:
        self._load = load
        self._is_profiled = is_profiled
        self._random = random.Random(seed)  # noqa: S311 - a simulation
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self.now = 0.0
        self.submissions = self.rounds = self.given_up = 0
        self.table_s: list[float] = []
        self._rules = Rules(load.slots)
        self._running = 0  # graded runs
        self._graded: list[Callable[[], None]] = []  # waiting
        self._waiting: list[tuple[float, float]] = []  # passes: since when at the keeper, and since when asked for
        self._asked: list[float] = []  # no profiler has them yet
        self._idle_profilers = load.slots
        self._shut_at = math.inf
        self._round_began = math.inf
        self._passes = 0  # under way
        self._was_waited_for = False
        self._quiet_until = self._ask_at = -math.inf
        self._look = -math.inf  # when to look next whether a round is due

    def play(self, seconds: float) -> None:
        """Let so much time pass."""
        for slot in range(self._load.slots):
            at_s = self._random.random() * (self._load.open_s + self._load.cases * self._load.case_s)
            self._after(at_s, partial(self._submission, slot))
        while self._events and self._events[0][0] <= seconds:
            self.now, _, event = heapq.heappop(self._events)
            event()
        self.now = seconds

    def _after(self, wait_s: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + wait_s, next(self._order), event))

    def _submission(self, slot: int) -> None:
        open_s = self._load.open_s * (1 + _OPEN_SPREAD * self._random.uniform(-1, 1))
        self._after(open_s, lambda: self._claim(slot, self._load.cases))

    def _claim(self, slot: int, left: int) -> None:
        if left == 0:
            self.submissions += 1
            if self._is_profiled:
                self._asked.append(self.now)
                self._take_passes()
            self._submission(slot)
        elif self._shut_at < math.inf or self._round_began < math.inf:
            self._was_waited_for = True
            self._graded.append(lambda: self._claim(slot, left))
        else:
            if self._quiet_until > -math.inf:  # the keeper has the lock, and lets go of it
                self._quiet_until, self._ask_at = -math.inf, self.now + RETRY_QUIET_S
            self._running += 1
            case_s = self._load.long_s if slot == 0 and self._load.long_s else self._load.case_s
            self._after(case_s * (1 + _SPREAD * self._random.uniform(-1, 1)), lambda: self._ended(slot, left))

    def _ended(self, slot: int, left: int) -> None:
        self._running -= 1
        self._keep()
        self._claim(slot, left - 1)

    def _take_passes(self) -> None:
        while self._asked and self._idle_profilers:
            self._idle_profilers -= 1
            asked = self._asked.pop(0)
            self._arrive(asked)

    def _arrive(self, asked: float) -> None:
        self._waiting.append((self.now, asked))
        self._keep()

    def _keep(self) -> None:
        """What `Keeper._act` does."""
        if self._round_began < math.inf:
            self._admit()
        elif not self._waiting:
            self._open()
        elif self._shut_at < math.inf:
            self._drain()
        elif self.now >= (due_at := self._due_at()):
            self._shut_at = self.now
            self._drain()
        else:
            self._look_at(due_at)
            self._be_quiet()

    def _look_at(self, due_at: float) -> None:
        if not self.now < self._look <= due_at:
            self._look = max(self.now, due_at)
            self._after(self._look - self.now, self._keep_if_due)

    def _keep_if_due(self) -> None:
        if self._waiting and self._round_began == self._shut_at == math.inf and self.now >= self._due_at():
            self._keep()

    def _due_at(self) -> float:
        return self._rules.due_at(len(self._waiting), self._waiting[0][0])

    def _be_quiet(self) -> None:
        if self._running or self.now < self._ask_at:
            return
        if self._quiet_until == -math.inf:
            self._quiet_until = self.now + QUIET_S
            self._after(QUIET_S, self._keep)
        elif self.now >= self._quiet_until:
            self._begin()

    def _drain(self) -> None:
        drain_s = self._rules.drain_s(self._shut_at, self._waiting[0][0])
        if not self._running:
            self._begin()
        elif self.now >= self._shut_at + drain_s:
            self.given_up += 1
            self._rules.gave_up(self.now, self.now - self._shut_at)
            self._open()
            self._look_at(self._due_at())
        else:
            self._after(self._shut_at + drain_s - self.now, self._keep_if_draining)

    def _keep_if_draining(self) -> None:
        if self._shut_at < math.inf and self._round_began == math.inf and self._waiting:
            self._drain()

    def _open(self) -> None:
        self._shut_at, self._quiet_until, self._was_waited_for = math.inf, -math.inf, False
        graded, self._graded = self._graded, []
        for claim in graded:
            claim()

    def _begin(self) -> None:
        self.rounds += 1
        self._round_began, self._quiet_until = self.now, -math.inf
        self._admit()

    def _admit(self) -> None:
        while (
            self._waiting
            and self._passes < self._rules.at_once
            and self._rules.admits(self.now, self._round_began, is_waited_for=bool(self._graded))
        ):
            _, asked = self._waiting.pop(0)
            self._passes += 1
            self._after(self._load.case_s, partial(self._passed, asked))

    def _passed(self, asked: float) -> None:
        self._passes -= 1
        self._idle_profilers += 1
        self.table_s.append(self.now - asked)
        self._take_passes()
        self._admit()
        if not self._passes:
            self._after(self._load.round_s, self._end)

    def _end(self) -> None:
        if self._passes:  # one came at the last moment
            return
        held_s = self.now - min(self._shut_at, self._round_began) if self._was_waited_for else 0.0
        self._rules.ended(self.now, held_s, max(0.0, self._round_began - self._shut_at))
        self._ask_at = self.now + RETRY_QUIET_S if held_s else self.now
        self._round_began = math.inf
        self._open()
        self._keep()


def played(load: Load, seconds: float = _SECONDS) -> Played:
    """The same host without and with passes."""
    plain, profiled = Host(load, is_profiled=False), Host(load)
    for host in (plain, profiled):
        host.play(seconds)
    table_s = sorted(profiled.table_s)
    return Played(
        share_pct=round(100 * profiled.submissions / plain.submissions, 1),
        passes=len(table_s),
        passes_left=profiled.submissions - len(table_s),
        rounds=profiled.rounds,
        given_up=profiled.given_up,
        table_s_p50=round(table_s[len(table_s) // 2], 2) if table_s else 0.0,
        table_s_max=round(table_s[-1], 2) if table_s else 0.0,
    )


def validated(slots_report: dict[str, Any]) -> list[dict[str, Any]]:
    """The measured cells, played with the times that their slots had without passes."""
    found = []
    for cell in slots_report["cells"]:
        own = cell["without"][0]
        load = Load(
            slots=cell["slots"],
            cases=cell["cases"],
            case_s=own["case_ms"] / 1_000,
            open_s=own["open_ms"] / 1_000,
            round_s=slots_report["round_ms"] / 1_000,
        )
        came = played(load)
        found.append(
            {
                **{key: cell[key] for key in ("ms", "cases", "slots")},
                "measured_pct": cell["share_pct"],
                "played_pct": came.share_pct,
                "differs_pct": round(abs(came.share_pct - cell["share_pct"]), 1),
            }
        )
    return found


def foretold(slots_report: dict[str, Any]) -> list[dict[str, Any]]:
    """Hosts with up to 64 slots, with the times that one slot has; and with one run of 10 s among the others."""
    found = []
    for one in slots_report["one_slot"]:
        for slots, long_s in [*((slots, 0.0) for slots in SLOTS), (SLOTS[-1], 10.0)]:
            load = Load(
                slots=slots,
                cases=one["cases"],
                case_s=one["case_ms"] / 1_000,
                open_s=one["open_ms"] / 1_000,
                round_s=slots_report["round_ms"] / 1_000,
                long_s=long_s,
            )
            cell = {"ms": one["ms"], "cases": one["cases"], "slots": slots, "long_s": long_s}
            found.append({**cell, **asdict(played(load))})
    return found


def main(arguments: list[str] | None = None) -> int:
    """Play, write and print; 1 when the simulation differs from what was measured, or 64 slots miss the bar."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reporting.add_switches(parser, "simulation")
    options = parser.parse_args(arguments)
    described = reporting.begin(options)
    slots_report = json.loads((reporting.REPORTS / "slots.json").read_text("utf-8"))
    checks, cells = validated(slots_report), foretold(slots_report)
    report = {
        "machine": described,
        "seconds_played": _SECONDS,
        "at_least_pct": AT_LEAST_PCT,
        "within_pct": WITHIN_PCT,
        "validated": checks,
        "cells": cells,
    }
    reporting.write(report, options)
    for row in (*checks, *cells):
        print(row)
    is_wrong = any(check["differs_pct"] > WITHIN_PCT for check in checks)
    is_slow = any(cell["share_pct"] < AT_LEAST_PCT for cell in cells if cell["slots"] == SLOTS[-1])
    return int(is_wrong or is_slow)


if __name__ == "__main__":
    sys.exit(main())
