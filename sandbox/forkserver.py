"""Start nsjail by forking a process that has loaded it, which takes a third of the CPU time of executing it.

How it works: the first jail of a process starts a fork server (`native/preloads/forkserver.c`), an nsjail with a
preloaded library in place of its main(). Each later request forks it; the child enters the jail's control groups and
runs nsjail's own main(). The server reads requests from a socket and ends when the other end is closed, so it does not
outlive this process. A process that was forked from this one starts a server of its own.

An nsjail that is linked statically, or a script in its place, cannot have a preloaded library: `fork` returns None, and
nsjail is executed for each jail. nsjail is also executed for a request that is too large for the server.
"""

import array
import functools
import logging
import os
import select
import signal
import socket
import struct
import subprocess
import threading
import weakref
from contextlib import ExitStack, suppress
from pathlib import Path

from sandbox.errors import JailError
from sandbox.patience import Patience

FIRST_KEPT = 20  # number of the first descriptor that the forked program keeps
_MOST_ARGUMENTS, _MOST_BYTES = 512, 64 * 1024  # MAX_ARGUMENTS and MAX_MESSAGE of native/preloads/forkserver.c
_ANSWER_S = 15.0  # for a new server to be ready, and for a fork
_ELF = b"\x7fELF"
_logger = logging.getLogger(__name__)


class Forked:
    """A process that a fork server started."""

    def __init__(self, pidfd: int) -> None:
        self._pidfd = pidfd
        self._close = weakref.finalize(self, os.close, pidfd)

    def wait(self, timeout: float) -> None:
        """Wait until it has ended. Raises subprocess.TimeoutExpired."""
        if not self._close.alive:
            return
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        if not poll.poll(timeout * 1_000):
            raise subprocess.TimeoutExpired("nsjail", timeout)
        self._close()

    def kill(self) -> None:
        """Kill it; one that has ended stays as it is."""
        if self._close.alive:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)


class _Server:
    """A running server; it ends with this object."""

    def __init__(self, program: Path, library: Path) -> None:
        """Raises OSError."""
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as unless_started, theirs:
            unless_started.callback(self.control.close)
            process = subprocess.Popen(
                [str(program)],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={"LD_PRELOAD": str(library), "LD_BIND_NOW": "1"},  # symbols are looked up once, not per jail
                cwd="/",
                start_new_session=True,  # a Ctrl-C on the terminal is for the worker to handle
            )
            unless_started.pop_all()
        self.end = weakref.finalize(self, _end, process, self.control)


def _end(process: "subprocess.Popen[bytes]", control: socket.socket) -> None:
    control.close()
    process.kill()  # in a process that was forked from its owner this does nothing: it is no child there
    process.wait()


class ForkServer:
    """The fork server of one program; any number of threads may use it."""

    def __init__(self, program: Path, library: Path) -> None:
        self.program = program
        self._library = library
        self._is_possible = True
        self.forget()
        _all.add(self)

    def forget(self) -> None:
        """Have no server: the one that this process had before it was forked is its parent's."""
        self._turn = threading.Lock()
        self._server: _Server | None = None

    def fork(self, arguments: list[str], stderr: int, descriptors: list[int], entrances: list[int]) -> Forked | None:
        """Start the program, which has the descriptors as FIRST_KEPT and the numbers after it, and enters the control
        groups of `entrances`. None if there is no server, or the request is too large for it. Raises JailError if the
        server has the request and does not answer: it may have forked.
        """
        packet = struct.pack("=I", len(descriptors)) + os.fsencode("\0".join((*arguments, "")))
        if len(arguments) > _MOST_ARGUMENTS or len(packet) > _MOST_BYTES:
            return None
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [stderr, *descriptors, *entrances]))
        with self._turn:
            try:
                server = self._running()
                if server is None:
                    return None
                server.control.sendmsg([packet], [rights])
            except OSError as error:
                self._end()
                _logger.warning("the fork server of %s cannot be used for one jail: %s", self.program, error)
                return None
            try:
                return Forked(_pidfd(server.control))
            except OSError as error:
                self._end()  # before it forks after all
                raise JailError(f"the fork server of {self.program} does not answer: {error}") from error

    def _running(self) -> _Server | None:
        """Return the server, started if necessary; None if this program cannot be one. Raises OSError."""
        if self._server is None and self._is_possible:
            with self.program.open("rb") as file:
                is_elf = file.read(len(_ELF)) == _ELF
            server = _Server(self.program, self._library) if is_elf else None
            if server is None or _received(server.control)[0] != b"!":
                self._is_possible = False
                _logger.warning("no library can be preloaded into %s: each jail takes longer to open", self.program)
            else:
                self._server = server
        return self._server

    def _end(self) -> None:
        if self._server is not None:
            self._server.end()
            self._server = None


@functools.cache
def fork_server(program: Path, library: Path) -> ForkServer:
    """Return this process's fork server of a program, which all its sandboxes share."""
    return ForkServer(program, library)


_all: "weakref.WeakSet[ForkServer]" = weakref.WeakSet()


def _forget_all() -> None:
    for server in _all:
        server.forget()


os.register_at_fork(after_in_child=_forget_all)


def _pidfd(control: socket.socket) -> int:
    """Receive the answer to a request. Raises OSError, and JailError if there is an answer that we cannot take."""
    packet, ancillary = _received(control)
    if not packet:
        raise OSError("it has ended")
    if not ancillary:
        raise JailError("no descriptors are left for what the fork server sends: raise the limit (ulimit -n)")
    return int(struct.unpack("i", ancillary[0][2])[0])


def _received(control: socket.socket) -> tuple[bytes, list[tuple[int, int, bytes]]]:
    """Return an answer and what came with it; b"" at the end. Raises OSError."""
    patience = Patience(_ANSWER_S)
    while slice_s := patience.slice():
        control.settimeout(slice_s)
        try:
            return control.recvmsg(1, socket.CMSG_SPACE(4), socket.MSG_CMSG_CLOEXEC)[:2]
        except TimeoutError:
            continue
        finally:
            control.settimeout(None)
    raise TimeoutError(f"no answer within {_ANSWER_S:g} s")
