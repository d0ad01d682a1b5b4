"""Take all samples of one report round by round, so that a drifting machine affects every sandbox alike.

In a round each sandbox has its turn at each program, bare execution among them; who begins moves on by one each round.
A turn at a short program is one run that is not counted, since whoever was there before has taken the caches, and then
as many as are. At the end of a round each opens what it opens for a submission, and runs the smallest program with a
busy loop on every core. A sandbox that once does not do what it should is out, with the reason, and none of its samples
count.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from bench.jail.conditions import kept_busy
from bench.jail.contest import built_programs, jail_spec
from bench.jail.measuring import PYTHON, TINY, WRITES
from bench.peer import gojudge
from bench.peer.commands import FreshIsolate, Isolate, Nsjail
from bench.peer.runs import Bare, Opens, Places, Program, Run, Sandbox, Tally, WrongRun
from sandbox.doctor.overhead import BareRunner
from sandbox.jail.nsjail import NsjailSandbox, find_nsjail
from sandbox.workdir import fresh_folder

BARE, TALLY = "bare", "Tally"
NSJAIL, GO_JUDGE = "nsjail", "go-judge"
ISOLATE, ISOLATE_FRESH = "isolate, box kept", "isolate, box made anew"
SHORT_PER_ROUND = 6
PROGRAMS = {
    "tiny": Program(argv=TINY, prints=b"3\n"),
    "python": Program(argv=PYTHON, prints=b"3\n"),
    "bound": Program(argv=("{}/integer", "500"), prints=b"4566555497866234657\n"),  # about half a second
    "writes": Program(argv=WRITES, prints=b"123456\n" * 500_000),
}
_SHORT = ("tiny", "python")
CROWDED = "tiny"
OPENINGS_PER_ROUND = 2
_MEMORY = Path("/dev/shm")  # noqa: S108 - a file system


@dataclass(frozen=True, kw_only=True, slots=True)
class Binaries:
    """The peers' programs, built by the user. None: not given."""

    isolate: Path | None
    go_judge: Path | None


@dataclass(kw_only=True, slots=True)
class Samples:
    """The runs of each sandbox: sandbox -> program -> runs. `left_out` has the reason for the others: sandbox ->
    reason.
    """

    runs: dict[str, dict[str, list[Run]]] = field(default_factory=dict)
    crowded: dict[str, list[Run]] = field(default_factory=dict)  # of the smallest program, with all cores busy
    openings: dict[str, list[float]] = field(default_factory=dict)  # microseconds; of those that open anything
    left_out: dict[str, str] = field(default_factory=dict)

    def leave_out(self, name: str, reason: str) -> None:
        """Drop it, with all its samples."""
        for measured in (self.runs, self.crowded, self.openings):
            measured.pop(name, None)
        self.left_out[name] = reason


def measure(work_root: Path, binaries: Binaries, rounds: int) -> Samples:
    """Measure on the last core. Raises SandboxError, and WrongRun when bare execution or Tally goes wrong."""
    samples, every = Samples(), sorted(os.sched_getaffinity(0))
    with built_programs(work_root) as programs, fresh_folder(_MEMORY, "tally-peers-") as written, ExitStack() as stack:
        sandboxes = _opened(stack, samples, binaries, work_root, Places(programs=programs, written=written))
        take(samples, sandboxes, rounds, lambda: kept_busy(every, programs))
    return samples


def take(
    samples: Samples,
    sandboxes: Mapping[str, Sandbox],
    rounds: int,
    crowd: Callable[[], AbstractContextManager[None]] = nullcontext,
) -> None:
    """All rounds; `crowd` keeps all cores busy. Raises WrongRun when bare execution or Tally goes wrong."""
    samples.runs = {name: {program: [] for program in PROGRAMS} for name in sandboxes}
    samples.crowded = {name: [] for name in sandboxes}
    samples.openings = {name: [] for name, sandbox in sandboxes.items() if isinstance(sandbox, Opens)}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        for program in PROGRAMS:
            for name in _in_turn(samples, number):
                with _left_out_if_wrong(samples, name):
                    samples.runs[name][program] += _turn(sandboxes[name], program)
        for name in _in_turn(samples, number):
            opens = sandboxes[name]
            if isinstance(opens, Opens):
                with _left_out_if_wrong(samples, name):
                    samples.openings[name] += [opens.opening_us() for _ in range(OPENINGS_PER_ROUND)]
        with crowd():
            for name in _in_turn(samples, number):
                with _left_out_if_wrong(samples, name):
                    samples.crowded[name] += _turn(sandboxes[name], CROWDED)


def _in_turn(samples: Samples, number: int) -> list[str]:
    """Those that are still in, another one first in each round."""
    names = list(samples.runs)
    first = number % len(names)
    return names[first:] + names[:first]


def _turn(sandbox: Sandbox, program: str) -> list[Run]:
    if program not in _SHORT:
        return [sandbox.run(PROGRAMS[program])]
    return [sandbox.run(PROGRAMS[program]) for _ in range(1 + SHORT_PER_ROUND)][1:]


@contextmanager
def _left_out_if_wrong(samples: Samples, name: str) -> Iterator[None]:
    try:
        yield
    except WrongRun as error:
        if name in (BARE, TALLY):
            raise
        samples.leave_out(name, str(error))


def _opened(
    stack: ExitStack, samples: Samples, binaries: Binaries, work_root: Path, places: Places
) -> dict[str, Sandbox]:
    """All that are there, each of which has run each program once."""
    cpu = max(os.sched_getaffinity(0))
    runner = stack.enter_context(BareRunner(cpu))
    tally, spec = NsjailSandbox(work_root), jail_spec(places.programs, cpu)
    jail = stack.enter_context(tally.open_jail(spec))
    openings: dict[str, Callable[[], Sandbox]] = {
        BARE: lambda: Bare(runner, places),
        TALLY: lambda: Tally(jail, places, tally, spec),
        NSJAIL: lambda: Nsjail(find_nsjail(), runner, places),
    }
    if isolate := binaries.isolate:
        openings[ISOLATE] = lambda: stack.enter_context(Isolate(isolate, runner, places, is_fresh=False).kept())
        openings[ISOLATE_FRESH] = lambda: FreshIsolate(isolate, runner, places, is_fresh=True)
    if go_judge := binaries.go_judge:
        openings[GO_JUDGE] = lambda: stack.enter_context(gojudge.started(go_judge, work_root, places.programs))
    samples.left_out = dict.fromkeys((ISOLATE, ISOLATE_FRESH, GO_JUDGE), "its program was not given")
    found: dict[str, Sandbox] = {}
    for name, opening in openings.items():
        samples.left_out.pop(name, None)
        with _left_out_if_wrong(samples, name):
            sandbox = opening()
            for program in PROGRAMS.values():
                sandbox.run(program)
            found[name] = sandbox
    return found
