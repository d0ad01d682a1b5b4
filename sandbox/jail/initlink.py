"""The host's end of the socket to a jail's init: one request, one reply, each with a timeout."""

import array
import os
import re
import select
import socket
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

from sandbox.errors import JailError
from sandbox.forkserver import Forked
from sandbox.jail.protocol import MAX_COLLECTS, REPLY_BYTES, Reply, ReplyKind, decode_reply
from sandbox.patience import Patience

_START_S = 15.0  # for nsjail and the init to say that they are ready
_WORK_ROOTS = 2  # descriptors that come with the first reply
_END_S = 5.0  # for nsjail to end after its init did
_LOG_BYTES = 4_096  # at its end, that are looked at
_LOG_PREFIX = re.compile(r"^(\[[^]]*\])+ ?")  # level, time, process
_SCM_CREDENTIALS = 2  # <asm-generic/socket.h>; not in Python's socket module


class InitLink:
    """The host's end of the socket to a jail's init."""

    def __init__(self, nsjail: "Forked | subprocess.Popen[bytes]", control: socket.socket, log: Path) -> None:
        self._nsjail = nsjail
        self._control = control
        self._log = log
        self.pid = 0
        self._is_ready = False
        reply, files = self.receive(Patience(_START_S))
        if reply.kind is not ReplyKind.READY:
            raise JailError(f"the init cannot work: {os.strerror(reply.error)}")
        self._is_ready = True
        self.work_roots = tuple(files)  # the work folder, in two mounts that have nothing else: the second is read-only

    def fileno(self) -> int:
        """Return the descriptor that becomes readable when a reply is there."""
        return self._control.fileno()

    def has_answered(self) -> bool:
        """Return whether a reply is there."""
        poll = select.poll()
        poll.register(self._control, select.POLLIN)
        return bool(poll.poll(0))

    def send(self, packet: bytes, descriptors: list[int]) -> None:
        """Send a request. Raises JailError."""
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
        try:
            self._control.sendmsg([packet], [rights])
        except OSError as error:
            raise JailError(f"the jail is gone: {error.strerror}{self._last_words()}") from error

    def receive(self, patience: Patience) -> tuple[Reply, list[int]]:
        """Wait for the reply; the caller closes the files' descriptors. Raises JailError."""
        packet, ancillary, flags = self._answer(patience)
        patience.back()
        files = array.array("i")
        for level, kind, data in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                files.frombytes(data[: len(data) - len(data) % files.itemsize])
            elif level == socket.SOL_SOCKET and kind == _SCM_CREDENTIALS:
                self.pid = struct.unpack("3i", data)[0]
        try:
            if flags & socket.MSG_CTRUNC:
                raise JailError("no descriptors are left for what the init sends: raise the limit (ulimit -n)")
            return self._understand(packet, len(files)), list(files)
        except JailError:
            for descriptor in files:
                os.close(descriptor)
            raise

    def _answer(self, patience: Patience) -> tuple[bytes, list[tuple[int, int, bytes]], int]:
        space = socket.CMSG_SPACE(MAX_COLLECTS * 4) + socket.CMSG_SPACE(struct.calcsize("3i"))
        while slice_s := patience.slice():
            self._control.settimeout(slice_s)
            try:
                return self._control.recvmsg(REPLY_BYTES + 1, space, socket.MSG_CMSG_CLOEXEC)[:3]
            except TimeoutError:
                continue
            except ConnectionResetError:  # it ended, with a message of ours that it had yet to read
                return b"", [], 0
            except OSError as error:
                raise JailError(f"the jail is gone: {error.strerror}{self._last_words()}") from error
        self._control.close()  # its late answer must not be taken for that to the next request
        raise JailError(f"the init did not answer within {patience.patience_s:g} s{self._last_words()}")

    def _understand(self, packet: bytes, files: int) -> Reply:
        if not packet:
            raise JailError(f"the jail ended by itself{self._last_words()}")
        try:
            reply = decode_reply(packet)
        except ValueError as error:
            raise JailError(f"the init cannot be understood: {error}{self._last_words()}") from error
        named = reply.collected.bit_count() if reply.kind is ReplyKind.DONE else 0
        is_first = reply.kind is ReplyKind.READY and not self._is_ready
        if named != files and not (is_first and files == _WORK_ROOTS):
            raise JailError(f"the init names {named} files and sends {files}")
        return reply

    def _last_words(self) -> str:
        try:
            with self._log.open("rb") as log:
                log.seek(max(0, os.fstat(log.fileno()).st_size - _LOG_BYTES))
                words = log.read(_LOG_BYTES).decode("utf-8", "replace").strip().splitlines()
        except OSError:
            return ""
        message = "; ".join(_LOG_PREFIX.sub("", line) for line in words[-3:])[:400]
        printable = "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in message)
        return f" (nsjail: {printable})" if printable else ""

    def close(self) -> None:
        """Close the socket, which ends the init, and wait for nsjail."""
        self._control.close()
        for descriptor in self.work_roots:
            os.close(descriptor)
        self.work_roots = ()
        with suppress(subprocess.TimeoutExpired):
            self._nsjail.wait(_END_S)
            return
        self._nsjail.kill()
        with suppress(subprocess.TimeoutExpired):  # it is in a system call that does not end; its groups tell of it
            self._nsjail.wait(_END_S)
