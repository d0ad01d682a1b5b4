"""A pipe between two programs that reveals whether each still has its end, though the host keeps ends too.

How it works: both ends that the programs get are marked by locks of their open files (F_OFD_SETLK: the writer's on byte
0, the reader's on byte 1). Such a lock lives as long as the open file does, whichever processes have it, and ends with
the last of them. The host has opened both ends a second time and asks by them (F_OFD_GETLK). A program that opened its
stream again by name has an end without a mark; then the host lets go of its own too early, which keeps nobody waiting.

Source: "Open file description locks" in fcntl(2).
"""

import fcntl
import os
import select
import struct
from contextlib import suppress

from sandbox.jail.streams import open_pipe

_LOCK = struct.Struct("hhqqi4x")  # struct flock: type, whence, start, length, process
WRITER, READER = 0, 1  # the byte that the lock of each end is on


class WatchedPipe:
    """`writer` and `reader` are for the programs. The end of the `with` closes all ends left here."""

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
            self._close(*self._open)
            raise

    def __enter__(self) -> "WatchedPipe":
        return self

    def __exit__(self, *_: object) -> None:
        self._close(*self._open)

    def hand_over(self, end: int) -> None:
        """Close our copy of the writer or the reader, which the program has now."""
        self._close(end)

    def is_held(self, byte: int) -> bool:
        """Return whether the handed-over end, WRITER or READER, is still open somewhere."""
        own = next(iter(self._open & {self._own_reader, self._own_writer}), None)
        if own is None:  # nobody asks any more
            return False
        answer = fcntl.fcntl(own, fcntl.F_OFD_GETLK, _lock(fcntl.F_WRLCK, byte))
        return bool(_LOCK.unpack(answer)[0] != fcntl.F_UNLCK)

    def end(self) -> None:
        """End the reader's input, unless somebody still has a write end."""
        self._close(self._own_writer)

    def refuse_flood(self) -> bool:
        """Stop all writing when the pipe is full, and return whether it is."""
        if self._own_writer not in self._open:  # nobody has to be stopped
            return False
        room = select.poll()
        room.register(self._own_writer, select.POLLOUT)
        is_full = not room.poll(0)
        if is_full:
            self._close(self._own_reader)
        return is_full

    def _kept(self, *descriptors: int) -> tuple[int, ...]:
        self._open |= {*descriptors}
        return descriptors

    def _close(self, *descriptors: int) -> None:
        for descriptor in self._open & {*descriptors}:
            with suppress(OSError):
                os.close(descriptor)
        self._open -= {*descriptors}


def _lock(kind: int, byte: int) -> bytes:
    return _LOCK.pack(kind, os.SEEK_SET, byte, 1, 0)


def _open_again(end: int, flags: int) -> int:
    return os.open(f"/proc/self/fd/{end}", flags | os.O_CLOEXEC)
