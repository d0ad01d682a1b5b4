"""Two programs that talk to each other: a submission and its interactor, joined by pipes, each in a jail of its own.

How it works: the host makes both pipes, asks both inits at once and waits for whichever answers first. It keeps its own
copies of a side's ends until that side has answered, dead with all its processes. So the other side notices an end
only after it was noted here: who ended first is a fact, not a matter of chance.

Nor is it chance whether last words find a listener: what is written to a side that has ended goes into the pipe, as if
it were still there. Only who fills that pipe to the brim gets SIGPIPE.
"""

import os
import select
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace

from sandbox.errors import CommandError, JailError, MeterUnavailable, SandboxError
from sandbox.jail import OpenJail
from sandbox.meterlock import brief, graded_run_lock, noting_cut, profile_pass_lock
from sandbox.prepared import PreparedRun
from sandbox.streams import PipeEnds, open_pipe
from sandbox.types import Command, Limits, Outcome, Profile

_LOOK_MS = 50  # between looks at whether a side floods one that has ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One of the two. Its stdin and stdout are the pipes, whatever the command says; stderr is the command's."""

    jail: OpenJail
    command: Command
    limits: Limits


@dataclass(frozen=True, kw_only=True, slots=True)
class PairOutcome:
    """What became of both. A pipe keeps no output: `stdout_bytes` is 0, what was sent is in `io`."""

    program: Outcome
    interactor: Outcome
    interactor_ended_first: bool
    profile: Profile | None = None  # of the program


def run_pair(program: Side, interactor: Side, *, is_profiled: bool = False) -> PairOutcome:
    """Run both until both have ended, each within its own limits.

    A side that closes a stream early and lives on keeps the other one waiting, as if it were silent; a side that waits
    for ever ends at its own wall limit. Raises CommandError when the program cannot be started, other SandboxErrors for
    the rest, the interactor's start among it; then neither jail can be used again.
    """
    with ExitStack() as stack:
        stack.enter_context(profile_pass_lock() if is_profiled else graded_run_lock())
        stack.enter_context(_abandoned_on_failure(program.jail, interactor.jail))
        ends = _Ends(stack)
        limits_of_both = _brief(program, interactor) if is_profiled else (program.limits, interactor.limits)
        prepared = [
            stack.enter_context(side.jail.prepared(side.command, limits, own))
            for side, limits, own in zip((program, interactor), limits_of_both, ends.of, strict=True)
        ]
        meter = program.jail.metered(prepared[0]) if is_profiled else nullcontext()
        with meter as reading:
            outcomes, ended_us = _converse(prepared, ends, (program.jail, interactor.jail))
            profile = noting_cut(reading.profile(), program.limits, outcomes[0]) if reading else None
        return PairOutcome(
            program=outcomes[0],
            interactor=outcomes[1],
            interactor_ended_first=ended_us[1] < ended_us[0],
            profile=profile,
        )


def _brief(program: Side, interactor: Side) -> tuple[Limits, Limits]:
    """The limits of a profile pass. Both lose the same, so that the interactor is no less patient than it was."""
    limits = brief(program.limits)
    lost_ms = program.limits.wall_time_ms - limits.wall_time_ms
    return limits, replace(interactor.limits, wall_time_ms=max(1, interactor.limits.wall_time_ms - lost_ms))


class _Ends:
    """Both pipes: `of[0]` are the program's ends, `of[1]` the interactor's."""

    def __init__(self, stack: ExitStack) -> None:
        self._open: set[int] = set()
        stack.callback(self._close, self._open)
        to_program, to_interactor = self._pipe(), self._pipe()
        self.of = (
            PipeEnds(stdin=to_program[0], stdout=to_interactor[1]),
            PipeEnds(stdin=to_interactor[0], stdout=to_program[1]),
        )

    def release(self, side: int) -> None:
        """Let the other side know that this one has ended: nothing more comes from it. It may still be written to."""
        self._close({self.of[side].stdout})

    def refuse_flood(self, side: int) -> None:
        """Let nobody write to this side any more, which has ended, if its pipe is full."""
        room = select.poll()
        room.register(self.of[1 - side].stdout, select.POLLOUT)
        if not room.poll(0):
            self._close({self.of[side].stdin})

    def _pipe(self) -> tuple[int, int]:
        try:
            made = open_pipe()
        except OSError as error:
            raise SandboxError(f"cannot make a pipe: {error.strerror}") from error
        self._open |= {*made}
        return made

    def _close(self, descriptors: set[int]) -> None:
        for descriptor in self._open & descriptors:
            os.close(descriptor)
        self._open -= descriptors


def _converse(
    prepared: list[PreparedRun], ends: _Ends, jails: tuple[OpenJail, OpenJail]
) -> tuple[list[Outcome], list[int]]:
    """Run both; what became of each, and when each had ended."""
    outcomes: dict[int, Outcome] = {}
    ended_us: dict[int, int] = {}
    for run in reversed(prepared):  # the interactor first: the program is to find it there
        run.start()
    for jail in jails:
        jail.tidy()
    waiting = {run.init.fileno(): side for side, run in enumerate(prepared)}
    poll = select.poll()
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    while waiting:
        patience_ms = max(prepared[side].patience_ms for side in waiting.values())
        for descriptor in _answers(poll, patience_ms, ends, gone=next(iter(outcomes), None)):
            side = waiting.pop(descriptor)
            poll.unregister(descriptor)
            outcomes[side], ended_us[side] = _finish(prepared[side], is_program=side == 0)
            ends.release(side)
    return [outcomes[0], outcomes[1]], [ended_us[0], ended_us[1]]


def _answers(poll: select.poll, patience_ms: int, ends: _Ends, gone: int | None) -> list[int]:
    """The inits that have answered; `gone` is the side that already has. Raises JailError after `patience_ms`."""
    deadline = time.monotonic() + patience_ms / 1_000
    while time.monotonic() < deadline:
        ready = poll.poll(patience_ms if gone is None else _LOOK_MS)
        if ready:
            return [descriptor for descriptor, _ in ready]
        if gone is not None:
            ends.refuse_flood(gone)
    raise JailError(f"an init did not answer within {patience_ms / 1_000:g} s")


def _finish(run: PreparedRun, *, is_program: bool) -> tuple[Outcome, int]:
    """What became of one side, and when. A CommandError is always the program's."""
    try:
        return run.finish()
    except CommandError as error:
        if is_program:
            raise
        raise JailError(f"the interactor: {error}") from error


@contextmanager
def _abandoned_on_failure(*jails: OpenJail) -> Iterator[None]:
    try:
        yield
    except MeterUnavailable:  # after both had ended, or before they began
        raise
    except BaseException:
        for jail in jails:
            jail.abandon()
        raise
