"""Run two programs that talk: a submission and its interactor, joined by pipes, each in its own jail.

How it works: the host makes both pipes (`WatchedPipe`), asks both inits at once and waits for whichever answers
first. It keeps ends of its own until a side has answered, dead with all its processes. So the other side notices an end
only after it was noted here: who ended first is a fact, not a matter of chance.

A side may also close a stream and live on. The host looks for that every few ms; when it saw the same twice, and so not
only the last moment of a process that ends, it lets go of its own end, and the other side notices.

Nor is it chance whether last words find a listener: what is written to a side that listens no more goes into the pipe,
as if it still did. Only who fills that pipe to the brim gets SIGPIPE.
"""

import fcntl
import os
import select
import struct
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from sandbox.errors import CommandError, JailError, LimitsError, MeterUnavailable, SandboxError
from sandbox.jail.doubt import Doubt, doubt_about_pair, make_room, noting_host_gap, repeated
from sandbox.jail.jail import OpenJail
from sandbox.jail.prepared import PreparedRun
from sandbox.jail.streams import PipeEnds, open_pipe
from sandbox.passes.claims import graded_run
from sandbox.passes.turns import cutting, noting_cut
from sandbox.patience import Patience
from sandbox.scheduling import leaving_cores
from sandbox.types import Command, Limits, Outcome, Profile

_LOOK_S = 0.02  # between looks at which streams are closed, and whether a side floods one that listens no more
_LOCK = struct.Struct("hhqqi4x")  # struct flock: type, whence, start, length, process
WRITER, READER = 0, 1  # the byte that the lock of each end is on


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One of two programs. The pipes replace its command's stdin and stdout; stderr is the command's."""

    jail: OpenJail
    command: Command
    limits: Limits


@dataclass(frozen=True, kw_only=True, slots=True)
class PairOutcome:
    """The outcome of both. A pipe keeps no output: `stdout_bytes` is 0; `io` has the bytes sent."""

    program: Outcome
    interactor: Outcome
    interactor_ended_first: bool
    program_left_early: bool = False  # it closed its stdout, or its stdin to one that floods it, and lived on
    profile: Profile | None = None  # of the program
    doubt: Doubt = Doubt.NONE  # whether a wall limit was its own doing, where the run cannot be made again here


def run_pair(program: Side, interactor: Side, *, is_profiled: bool = False) -> PairOutcome:
    """Run both programs, each within its own limits, until both have ended.

    A side that waits for ever ends at its own wall limit. Raises CommandError when the program cannot be started, other
    SandboxErrors for the rest, the interactor's start among it; then neither jail can be used again. When both
    are one jail, LimitsError before anything begins.

    While it is in doubt whose time it was when a wall limit ended one, both are run again (`sandbox.jail.doubt`); where
    one goes on in what an earlier run left, that is left to the caller. A profile pass is run again only if its round
    was over before.
    """
    if program.jail is interactor.jail:
        raise LimitsError("two programs that talk need two jails: each runs one program at a time")

    def make_room_for_both() -> None:
        for side in (program, interactor):
            make_room(side.command)

    attempt = partial(_run, program, interactor, is_profiled=is_profiled)
    if is_profiled:
        return repeated(attempt, lambda pair: Doubt.NONE if pair.profile else Doubt.OURS, make_room_for_both)
    if program.command.goes_on or interactor.command.goes_on:
        return attempt()
    return replace(repeated(attempt, lambda pair: pair.doubt, make_room_for_both), doubt=Doubt.NONE)


def _run(program: Side, interactor: Side, *, is_profiled: bool) -> PairOutcome:
    """Run both once, as a graded run or with the program under the meter: without a profile if its round was over."""
    with ExitStack() as stack:
        claim = None if is_profiled else stack.enter_context(graded_run())
        stack.enter_context(_abandoned_on_failure(program.jail, interactor.jail))
        ends = _Ends(stack)
        prepared = [
            stack.enter_context(side.jail.prepared(side.command, side.limits, own))
            for side, own in zip((program, interactor), ends.of, strict=True)
        ]
        if claim is not None:
            pair = _talk(prepared, ends, program, interactor)
            doubt = Doubt.OURS if claim.is_void else doubt_about_pair(pair.program, pair.interactor)
            return replace(pair, doubt=doubt)
        turn = stack.enter_context(program.jail.metered(prepared[0]))
        with cutting([run.group for run in prepared], turn) as cut:
            pair = _talk(prepared, ends, program, interactor)
        profile = turn.profile()
        return replace(pair, profile=profile and noting_cut(profile, pair.program, cut))


def _talk(prepared: list[PreparedRun], ends: "_Ends", program: Side, interactor: Side) -> PairOutcome:
    with leaving_cores({*program.jail.cpus, *interactor.jail.cpus}):
        outcomes, ended_us = _converse(prepared, ends, (program.jail, interactor.jail))
    return PairOutcome(
        program=outcomes[0],
        interactor=outcomes[1],
        interactor_ended_first=ended_us[1] < ended_us[0],
        program_left_early=0 in ends.left_early,
    )


class WatchedPipe:
    """A pipe that reveals whether each program still has its end, though the host keeps ends too. `writer` and `reader`
    are for the programs. The end of the `with` closes all ends left here.

    How it works: both ends that the programs get are marked by locks of their open files (F_OFD_SETLK: the writer's on
    byte 0, the reader's on byte 1). Such a lock lives as long as the open file does, whichever processes have it, and
    ends with the last of them. The host has opened both ends a second time and asks by them (F_OFD_GETLK). A program
    that opened its stream again by name has an end without a mark; then the host lets go of its own too early, which
    keeps nobody waiting. Source: "Open file description locks" in fcntl(2).
    """

    def __init__(self) -> None:
        """Raises OSError."""
        self._open: set[int] = set()
        self.reader, self.writer = self._kept(*open_pipe())
        try:
            (self._own_reader,) = self._kept(_open_again(self.reader, os.O_RDONLY))
            (self._own_writer,) = self._kept(_open_again(self.writer, os.O_WRONLY))
            fcntl.fcntl(self.writer, fcntl.F_OFD_SETLK, _lock(fcntl.F_WRLCK, WRITER))
            fcntl.fcntl(self.reader, fcntl.F_OFD_SETLK, _lock(fcntl.F_RDLCK, READER))
        except OSError:
            self.close(*self._open)
            raise

    def __enter__(self) -> "WatchedPipe":
        return self

    def __exit__(self, *_: object) -> None:
        self.close(*self._open)

    def is_held(self, byte: int) -> bool:
        """Return whether the handed-over end, WRITER or READER, is still open somewhere."""
        own = next(iter(self._open & {self._own_reader, self._own_writer}), None)
        if own is None:  # nobody asks any more
            return False
        answer = fcntl.fcntl(own, fcntl.F_OFD_GETLK, _lock(fcntl.F_WRLCK, byte))
        return bool(_LOCK.unpack(answer)[0] != fcntl.F_UNLCK)

    def end(self) -> None:
        """End the reader's input, unless somebody still has a write end."""
        self.close(self._own_writer)

    def refuse_flood(self) -> bool:
        """Stop all writing when the pipe is full, and return whether it is."""
        if self._own_writer not in self._open:  # nobody has to be stopped
            return False
        room = select.poll()
        room.register(self._own_writer, select.POLLOUT)
        is_full = not room.poll(0)
        if is_full:
            self.close(self._own_reader)
        return is_full

    def _kept(self, *descriptors: int) -> tuple[int, ...]:
        self._open |= {*descriptors}
        return descriptors

    def close(self, *descriptors: int) -> None:
        """Close some of the ends that we have."""
        for descriptor in self._open & {*descriptors}:
            with suppress(OSError):
                os.close(descriptor)
        self._open -= {*descriptors}


def _lock(kind: int, byte: int) -> bytes:
    return _LOCK.pack(kind, os.SEEK_SET, byte, 1, 0)


def _open_again(end: int, flags: int) -> int:
    return os.open(f"/proc/self/fd/{end}", flags | os.O_CLOEXEC)


class _Ends:
    """Both ends of both pipes: `of[0]` are the program's, `of[1]` the interactor's."""

    def __init__(self, stack: ExitStack) -> None:
        try:
            pipes = [stack.enter_context(WatchedPipe()) for _ in range(2)]
        except OSError as error:
            raise SandboxError(f"cannot make a pipe: {error.strerror}") from error
        self._from = (pipes[1], pipes[0])  # what each side writes to
        self._to = (pipes[0], pipes[1])  # what each side reads
        self.of = tuple(PipeEnds(stdin=self._to[side].reader, stdout=self._from[side].writer) for side in (0, 1))
        self._seen: set[tuple[int, str]] = set()  # side and stream: closed when we looked the last time
        self.left_early: set[int] = set()

    def hand_over(self, side: int) -> None:
        """Close our copies of the ends that the side has received."""
        self._to[side].close(self._to[side].reader)
        self._from[side].close(self._from[side].writer)

    def release(self, side: int) -> None:
        """End the other side's input, because this one has ended; it can still be written to."""
        self._from[side].end()

    def look(self, living: set[int]) -> None:
        """Close the ends that living sides have closed, so that their partners notice."""
        closed = {(side, "stdout") for side in living if not self._from[side].is_held(WRITER)}
        closed |= {(side, "stdin") for side in living if not self._to[side].is_held(READER)}
        for side, stream in closed & self._seen:
            if stream == "stdout":
                self._from[side].end()
                self._note(side, living)
        for side in (0, 1):
            listens_no_more = side not in living or (side, "stdin") in closed & self._seen
            if listens_no_more and self._to[side].refuse_flood():
                self._note(side, living)
        self._seen = closed

    def _note(self, side: int, living: set[int]) -> None:
        if living == {0, 1}:
            self.left_early.add(side)


def _converse(
    prepared: list[PreparedRun], ends: _Ends, jails: tuple[OpenJail, OpenJail]
) -> tuple[list[Outcome], list[int]]:
    """Run both; return each side's outcome and end time. Raises JailError when no init replies in time."""
    outcomes: dict[int, Outcome] = {}
    ended_us: dict[int, int] = {}
    patience, poll = Patience(0), select.poll()
    for side in (1, 0):  # the interactor first: the program is to find it there
        prepared[side].start()
        ends.hand_over(side)
    for jail in jails:
        jail.tidy()
    waiting = {run.init.fileno(): side for side, run in enumerate(prepared)}
    for descriptor in waiting:
        poll.register(descriptor, select.POLLIN)
    while waiting:
        living = set(waiting.values())
        patience.renew(max(prepared[side].patience_s for side in living))
        while slice_s := patience.slice(_LOOK_S):
            if ready := poll.poll(slice_s * 1_000):
                break
            ends.look(living)
        else:
            raise JailError(f"an init did not answer within {patience.patience_s:g} s")
        patience.back()
        for descriptor, _ in ready:
            side = waiting.pop(descriptor)
            poll.unregister(descriptor)
            outcomes[side], ended_us[side] = _finish(prepared[side], is_program=side == 0)
            ends.release(side)
    gap_us = patience.gap_us  # nobody passed on that a side had ended
    return [noting_host_gap(outcomes[side], gap_us) for side in (0, 1)], [ended_us[0], ended_us[1]]


def _finish(run: PreparedRun, *, is_program: bool) -> tuple[Outcome, int]:
    """Return one side's outcome and end time. A CommandError is always the program's."""
    try:
        return run.finish(Patience(run.patience_s))
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
