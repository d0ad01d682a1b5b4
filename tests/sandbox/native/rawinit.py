"""A real jail's init that is told anything: packets and descriptors of every kind, past what the host would check."""

import array
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.cgroups.cgroupfs import processes
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.protocol import _REQUEST, REPLY_BYTES, Flag, Reply, decode_reply, encode_request
from sandbox.types import MIB, Collect, Command, Ending, Limits
from tests.sandbox.jailed import TOOLS

LIMITS = Limits(cpu_time_ms=500, wall_time_ms=1_000, memory_bytes=64 * MIB)
COMMAND = Command(
    argv=("/bin/echo", "hello"),
    directories=("made",),
    collect=(Collect(name="made", target=Path("/nowhere"), max_bytes=1),),
)
HEADER_BYTES = _REQUEST.size
FIELDS = (
    *("version", "argc", "envc", "directories", "collects", "placed", "cgroups", "flags", "cores"),
    *("cpu_stop_us", "wall_stop_us", "output_bytes", "stderr_bytes", "file_bytes", "stack_bytes"),
    *("scratch_bytes", "scratch_inodes", "open_files"),
)
_WORDS = 9  # fields of 32 bits, before those of 64; four bytes lie between them
OWN_DESCRIPTORS = 6  # stdin, stdout, stderr, the files of both outputs, the group's CPU account
_PATIENCE_S = 20.0
_REST_S = 2.0


def set_field(packet: bytearray, number: int, value: int) -> None:
    """Give a field of the header this value, or as much of it as fits; nothing, when the packet has no such field."""
    size, offset = (4, 4 * number) if number < _WORDS else (8, 4 * (_WORDS + 1) + 8 * (number - _WORDS))
    if offset + size <= len(packet):
        packet[offset : offset + size] = (value % (1 << 8 * size)).to_bytes(size, "little")


def _path(path: str, flags: int) -> Callable[[], int]:
    return lambda: os.open(path, flags | os.O_CLOEXEC)


def _pipe() -> int:
    reader, writer = os.pipe()
    os.close(writer)
    return reader


def _socket() -> int:
    one, other = socket.socketpair()
    other.close()
    return one.detach()


KINDS: dict[str, Callable[[], int]] = {
    "null": _path("/dev/null", os.O_RDWR),
    "full": _path("/dev/full", os.O_RDWR),
    "zero": _path("/dev/zero", os.O_RDWR),
    "folder": _path("/proc", os.O_RDONLY | os.O_DIRECTORY),
    "path": _path("/proc/self/status", os.O_PATH),
    "folder's path": _path("/proc", os.O_PATH),
    "pipe": _pipe,
    "socket": _socket,
    "memory": lambda: os.memfd_create("fuzz"),
    "process": lambda: os.pidfd_open(os.getpid()),
    "event": lambda: os.eventfd(0),
}


@dataclass(kw_only=True)
class Request:
    """A request before it is sent: a good one, to be spoilt."""

    packet: bytearray
    descriptors: list[int]
    genuine: list[bool]  # whether the descriptor is of a control group

    def put(self, place: int, kind: str, *, replace: bool) -> None:
        """Put a descriptor of this kind in, in the place of another or before it."""
        place %= len(self.descriptors) + (not replace)
        if replace:
            self.drop(place)
        self.descriptors.insert(place, KINDS[kind]())
        self.genuine.insert(place, False)

    def drop(self, place: int) -> None:
        """Leave one out."""
        place %= len(self.descriptors)
        os.close(self.descriptors.pop(place))
        del self.genuine[place]

    @property
    def cgroups(self) -> int:
        """How many groups the header claims; -1 when there is no whole header."""
        return _REQUEST.unpack_from(self.packet)[6] if len(self.packet) >= HEADER_BYTES else -1

    @property
    def has_genuine_groups(self) -> bool:
        """Whether the run would be in groups at all, and watched through an account of one."""
        return self.cgroups > 0 and all(self.genuine[OWN_DESCRIPTORS - 1 :])


def _links(folder: Path) -> Iterator[str]:
    """What the descriptors in the folder point to; one that is closed while the folder is read does not count."""
    for entry in folder.iterdir():
        with suppress(FileNotFoundError):
            yield str(entry.readlink())


class RawInit:
    """The init of a jail, which is opened again when a packet has ended it."""

    def __init__(self, sandbox: NsjailSandbox) -> None:
        self._sandbox = sandbox
        self._stack = ExitStack()
        self.ended = 0
        self._open()

    def _open(self) -> None:
        self.jail: OpenJail = self._stack.enter_context(self._sandbox.open_jail(TOOLS))
        self.assert_works()
        self._at_rest = self._settled()

    def close(self) -> None:
        """Close the jail."""
        self._stack.close()

    @contextmanager
    def request(self) -> Iterator[Request]:
        """A good request, with fresh groups that must be empty afterwards."""
        group = self.jail._group.open_run(memory_bytes=LIMITS.memory_bytes, processes=LIMITS.processes)
        opened: list[int] = []
        try:
            packet = encode_request(
                COMMAND,
                LIMITS,
                environment=["A=1"],
                cgroups=len(group.entrances),
                flags=Flag.CLONE_INTO if group.is_v2 else Flag.NONE,
                cores=1,
            )
            opened += [os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)]
            opened += [os.memfd_create("out") for _ in range(4)]
            opened += [os.dup(descriptor) for descriptor in (group.account, *group.entrances)]
            genuine = [place >= OWN_DESCRIPTORS - 1 for place in range(len(opened))]
            yield Request(packet=bytearray(packet), descriptors=opened, genuine=genuine)
        finally:
            for descriptor in opened:
                os.close(descriptor)
            assert [pid for folder in group._folders.values() for pid in processes(folder)] == []
            group.close()

    def tell(self, packet: bytes, descriptors: list[int]) -> Reply | None:
        """What the init answers; None when it has ended. Raises TimeoutError when it hangs."""
        control = self.jail._init._control
        control.settimeout(_PATIENCE_S)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        control.sendmsg([packet], rights)
        space = socket.CMSG_SPACE(16 * 4) + socket.CMSG_SPACE(12)
        answer, ancillary, _, _ = control.recvmsg(REPLY_BYTES + 1, space, socket.MSG_CMSG_CLOEXEC)
        for level, kind, data in ancillary:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
                for descriptor in array.array("i", data):
                    os.close(descriptor)
        return decode_reply(answer) if answer else None

    def check(self) -> None:
        """The init is as it was and takes a proper request, or it has ended and a new jail does."""
        if self._at_work() is None:
            self.ended += 1
            self.close()
            self._open()
            return
        self.assert_works()
        deadline = time.monotonic() + _REST_S
        while (now := self._at_work()) != self._at_rest and time.monotonic() < deadline:
            time.sleep(0.001)
        assert now == self._at_rest, (now, self._at_rest)

    def assert_works(self) -> None:
        """A proper request is carried out."""
        outcome = self.jail.run(Command(argv=("/bin/true",)), LIMITS)
        assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)

    def _settled(self) -> tuple[list[str], list[str], list[int]]:
        """The same when it does not change any more: the scratch folders are exchanged after the answer."""
        before, now = None, self._at_work()
        while now is None or now != before:
            assert now is not None, "the init of a new jail has ended"
            time.sleep(0.1)
            before, now = now, self._at_work()
        return now

    def _at_work(self) -> tuple[list[str], list[str], list[int]] | None:
        """The init's descriptors and mounts and the processes of its jail; None when it has ended."""
        home = Path(f"/proc/{self.jail._init.pid}")
        try:
            mounts = [line.split(" - ")[0].split()[4] for line in (home / "mountinfo").read_text().splitlines()]
            descriptors = sorted(_links(home / "fd"))
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            return None
        if not mounts or not descriptors:  # it is on its way out
            return None
        folders = set(self.jail._group._folders.values())
        places = [
            folder / below for folder in folders for below in ("", "init")
        ]  # v2 keeps them in a group of their own
        return descriptors, mounts, sorted({pid for place in places for pid in processes(place)})
