"""The keeper, one process per host, leads rounds of profile passes: `python -m sandbox.passes.keeper FOLDER PASSES`.

How it works: whoever wants a pass connects to the socket in the lock folder, names its jail's PID namespace and waits.
When a round is due (`sandbox.passes.rules`), the keeper has no new graded run begin, waits until those under way have
ended, which is when it gets the lock (`sandbox.passes.claims`), and attaches the meter, once for all. It tells as many
passes as there are cores to go, and others when these are done; it answers "done" with the counts. When all are done it
detaches the meter, lets go of the lock, and closes the connections of the graded runs that wait: they go on.

Whatever workers do, a pass is over after PASS_S + END_S by the keeper's clock if graded runs wait: one that is stopped
holds nobody up. One that dies is noticed by its connection. If the keeper dies, the kernel detaches the meter and frees
the lock, and passes begin anew with the next keeper. If it is stopped, whoever waits for it kills it
(`sandbox.passes.keeping`).

Blocking waits: the loop waits at the sockets until the next moment at which something is due, and a thread waits for
the lock. A lock is also asked for when no round is due: when the host grades nothing, the passes need not wait.
"""

import fcntl
import json
import math
import os
import selectors
import socket
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from sandbox.errors import MeterUnavailable
from sandbox.meter.meter import Meter, Reading
from sandbox.passes.claims import are_all_stopped, open_lock, replaced_lock, write_flag
from sandbox.passes.keeping import SOCKET
from sandbox.passes.rules import QUIET_S, RETRY_QUIET_S, Rules

_MOST_BYTES = 256
_BACKLOG = 1_024


@dataclass(eq=False, slots=True)
class _Guest:
    """One connection: of a graded run or of a pass."""

    line: socket.socket
    namespace: int = 0
    since: float = 0.0  # when it began to wait; of a pass under way, when that began
    is_cut: bool = False  # it was told to end
    reading: Reading | None = None


class _Acquisition:
    """The lock, alone: a thread waits for it, as long as it takes."""

    def __init__(self, descriptor: int, tell: Callable[[], object]) -> None:
        self.descriptor = descriptor
        self._tell = tell
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.is_done = True
        except BlockingIOError:
            self.is_done = False
            threading.Thread(target=self._wait, daemon=True).start()

    def _wait(self) -> None:
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        self.is_done = True
        self._tell()


class _Round:
    """A round under way: the meter is attached."""

    def __init__(self, meter: Meter, now: float) -> None:
        self.began = now
        self.passes: list[_Guest] = []
        self._meter = meter
        self._stack = ExitStack()
        self._stack.enter_context(meter.attached())

    def admit(self, guest: _Guest, now: float) -> None:
        """Have the next program in its namespace counted. Raises MeterUnavailable."""
        guest.reading, guest.since = self._meter.reading(guest.namespace), now
        self.passes.append(guest)

    def close(self) -> None:
        """Detach."""
        self._stack.close()


class Keeper:
    """Leads the rounds of one host."""

    def __init__(self, folder: Path, at_once: int) -> None:
        self._folder = folder
        self._rules = Rules(at_once)
        self._meter: Meter | None = None
        self._descriptor = open_lock(folder)
        self._acquisition: _Acquisition | None = None
        self._voided: list[_Acquisition] = []  # of files that others have replaced: stopped holders keep them
        self._round: _Round | None = None
        self._graded: list[_Guest] = []
        self._waiting: list[_Guest] = []  # passes, the oldest first
        self._shut_at = math.inf  # since when no graded run begins, before a round
        self._quiet_until = self._ask_at = -math.inf
        self._was_waited_for = False
        self._guests = 0
        self._is_orphan = False
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ, lambda: self._woken.recv(_MOST_BYTES))

    def listen(self, path: Path) -> None:
        """Accept connections from now on."""
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listener.bind(str(path))
        path.chmod(0o600)
        listener.listen(_BACKLOG)
        self._selector.register(listener, selectors.EVENT_READ, lambda: self._welcome(listener.accept()[0]))
        self._selector.register(sys.stdin.fileno(), selectors.EVENT_READ, self._note_orphaned)
        write_flag(self._descriptor, is_shut=False)

    def lead(self) -> None:
        """Lead rounds until nobody needs this process."""
        while True:
            now = time.monotonic()
            self._act(now)
            if self._is_orphan and not self._guests:
                return
            wait_s = self._next_moment() - now
            for key, _ in self._selector.select(None if wait_s == math.inf else max(0.0, wait_s)):
                key.data()

    # What comes in

    def _note_orphaned(self) -> None:
        self._selector.unregister(sys.stdin.fileno())
        self._is_orphan = True

    def _welcome(self, line: socket.socket) -> None:
        guest = _Guest(line)
        self._guests += 1
        self._selector.register(line, selectors.EVENT_READ, lambda: self._hear(guest))

    def _hear(self, guest: _Guest) -> None:
        try:
            message = guest.line.recv(_MOST_BYTES)
        except OSError:
            message = b""
        if message == b"grade":
            guest.since = time.monotonic()
            self._graded.append(guest)
        elif message.startswith(b"pass "):
            guest.namespace, guest.since = int(message[5:]), time.monotonic()
            self._waiting.append(guest)
        elif message == b"done" and guest.reading is not None:
            try:
                profile = guest.reading.profile()
                streams = {name: (use.calls, use.bytes) for name, use in profile.streams.items()}
                answer = json.dumps({"syscalls": dict(profile.syscalls), "streams": streams}).encode()
            except MeterUnavailable as error:
                answer = b"no %s" % json.dumps(asdict(error.problem)).encode()
            self._tell(guest, answer)
            self._dismiss(guest)
        else:  # it has ended, or makes no sense
            self._dismiss(guest)

    def _tell(self, guest: _Guest, message: bytes) -> None:
        with suppress(OSError):  # it is gone: noticed when it is heard
            guest.line.send(message)

    def _dismiss(self, guest: _Guest) -> None:
        self._selector.unregister(guest.line)
        guest.line.close()
        self._guests -= 1
        if guest.reading is not None:
            guest.reading.close()
        for guests in (self._graded, self._waiting, self._round.passes if self._round else []):
            if guest in guests:
                guests.remove(guest)

    # What follows from it

    def _act(self, now: float) -> None:
        for voided in [claim for claim in self._voided if claim.is_done]:
            os.close(voided.descriptor)
            self._voided.remove(voided)
        if self._graded and (self._round or self._shut_at < math.inf):
            self._was_waited_for = True
        if self._round:
            self._lead_on(self._round, now)
        elif not self._waiting:
            self._open()
        elif self._has_lock():
            self._use_lock(now)
        elif self._shut_at < math.inf:
            self._drain(now)
        else:
            self._open_or_shut(now)

    def _next_moment(self) -> float:
        """When something is due, if nothing comes in."""
        if self._round:
            moments = (self._over_at(entry) if entry.is_cut else self._cut_at(entry) for entry in self._round.passes)
            return min(moments, default=-math.inf)
        if not self._waiting:
            return math.inf
        if self._has_lock():
            return self._quiet_until
        if self._shut_at < math.inf:
            return self._drain_until()
        due_at = self._rules.due_at(len(self._waiting), self._waiting[0].since)
        return due_at if self._acquisition else min(due_at, self._ask_at)

    def _has_lock(self) -> bool:
        return self._acquisition is not None and self._acquisition.is_done

    def _cut_at(self, guest: _Guest) -> float:
        return min(self._rules.cut_at(guest.since, self._waited_since()), self._over_at(guest))

    def _over_at(self, guest: _Guest) -> float:
        return self._rules.over_at(guest.since, self._waited_since())

    def _waited_since(self) -> float:
        return self._graded[0].since if self._graded else math.inf

    def _drain_until(self) -> float:
        return self._shut_at + self._rules.drain_s(self._shut_at, self._waiting[0].since)

    def _ask(self) -> None:
        if self._acquisition is None:
            self._acquisition = _Acquisition(self._descriptor, lambda: self._wake.send(b"."))

    def _open(self) -> None:
        """Let graded runs begin."""
        if self._shut_at < math.inf or self._has_lock():
            write_flag(self._descriptor, is_shut=False)
            self._shut_at = math.inf
        if self._acquisition is not None and self._acquisition.is_done:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
            self._acquisition = None
        self._quiet_until = -math.inf
        self._was_waited_for = False
        for guest in list(self._graded):
            self._dismiss(guest)

    def _open_or_shut(self, now: float) -> None:
        """No round is due yet, or it is just now."""
        for guest in list(self._graded):
            self._dismiss(guest)
        if now >= self._rules.due_at(len(self._waiting), self._waiting[0].since):
            write_flag(self._descriptor, is_shut=True)
            self._shut_at = now
            self._ask()
        elif now >= self._ask_at:
            self._ask()
        if self._has_lock():
            self._use_lock(now)

    def _use_lock(self, now: float) -> None:
        """No graded run is under way: begin, or see for a moment whether this is only the time between two."""
        if self._shut_at < math.inf:
            self._begin(now)
        elif self._graded:
            self._ask_at = now + RETRY_QUIET_S
            self._open()
        elif self._quiet_until == -math.inf:
            self._quiet_until = now + QUIET_S
        elif now >= self._quiet_until:
            self._begin(now)

    def _drain(self, now: float) -> None:
        if now < self._drain_until():
            return
        if are_all_stopped(self._descriptor):
            assert self._acquisition is not None
            self._voided.append(self._acquisition)
            self._descriptor = replaced_lock(self._folder, self._descriptor)
            self._acquisition = _Acquisition(self._descriptor, lambda: self._wake.send(b"."))
            self._begin(now)
        else:
            self._rules.gave_up(now, now - self._shut_at)
            self._open()

    def _begin(self, now: float) -> None:
        try:
            self._meter = self._meter or Meter.load()
            self._round = _Round(self._meter, now)
        except MeterUnavailable as error:
            for guest in list(self._waiting):
                self._tell(guest, b"no %s" % json.dumps(asdict(error.problem)).encode())
                self._dismiss(guest)
            self._open()
        else:
            self._lead_on(self._round, now)

    def _lead_on(self, led: _Round, now: float) -> None:
        for guest in [entry for entry in led.passes if now >= self._cut_at(entry) and not entry.is_cut]:
            self._tell(guest, b"cut")
            guest.is_cut = True
        for guest in [entry for entry in led.passes if now >= self._over_at(entry)]:
            self._dismiss(guest)
        while (
            self._waiting
            and len(led.passes) < self._rules.at_once
            and self._rules.admits(now, led.began, is_waited_for=bool(self._graded))
        ):
            guest = self._waiting.pop(0)
            try:
                led.admit(guest, now)
            except MeterUnavailable as error:
                self._tell(guest, b"no %s" % json.dumps(asdict(error.problem)).encode())
                self._dismiss(guest)
            else:
                self._tell(guest, b"go")
        if not led.passes:
            self._round = None
            led.close()
            now = time.monotonic()
            held_s = now - min(self._shut_at, led.began) if self._was_waited_for else 0.0
            self._rules.ended(now, held_s, max(0.0, led.began - self._shut_at))
            self._ask_at = now + RETRY_QUIET_S if held_s else now
            self._open()


def main(folder: Path, at_once: int) -> None:
    """Lead rounds if nobody else does; says on stdout how the start went."""
    if os.fork():
        os._exit(0)  # nobody is our parent
    os.setsid()
    alone = os.open(folder / "tally-meter.keeper", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(alone, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("busy")
        return
    keeper = Keeper(folder, at_once)
    keeper.listen(folder / SOCKET)
    print("ready", flush=True)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (1, 2):
        os.dup2(nothing, stream)
    keeper.lead()
    os._exit(0)  # a thread may wait for a lock still


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
