"""The messages between the host and the init of a jail, and their byte layout (native/init/init.h is the other half).

One message is one packet of a SOCK_SEQPACKET socket. Host to init: `request` header, then the strings of argv,
environment, directories, collected names and placed files, each ended by NUL; with it travel the descriptors of stdin,
stdout, stderr, the files that stdout and stderr end in, the group's CPU account and the groups to enter. Init to host:
`reply`, with the collected files' descriptors. While a run is under way the host sends the groups of the next one, with
which the init makes its process in advance.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum, IntFlag

from sandbox.errors import LimitsError
from sandbox.types import Command, Limits

VERSION = 5
MAX_MESSAGE_BYTES = 128 * 1024
MAX_STRINGS = 4_000
MAX_COLLECTS = 16
_MOST_NAME, _MOST_PATH = 255, 4_095  # bytes: NAME_MAX, and PATH_MAX without the NUL

_REQUEST = struct.Struct("=9I4x9Q")
_REPLY = struct.Struct("=2IiIi3I21Q")
REPLY_BYTES = _REPLY.size
GRACE_US = 2_000  # what the set-up of a run may cost before the watch stops it
_LEAST = {"overrun_percent": 0, "stack_bytes": 0, "scratch_inodes": 8}  # our own folders take four of these
_MOST = {"ms": 24 * 3_600_000, "bytes": 1 << 40}  # by unit: a day, a TiB
_MOST_OF_ANY = 1 << 20  # processes, files, per cent; no kernel has more than 1 << 22 processes


class ReplyKind(IntEnum):
    """The kind of a reply."""

    READY = 1
    DONE = 2
    FAILED = 3


class Flag(IntFlag):
    """Options of a request."""

    NONE = 0
    CLONE_INTO = 1  # the one group is a cgroup v2 folder
    MEASURE_ONLY = 2  # only measure what executing argv[0] reads, so that the next run is one exec
    KEEP = 4  # keep the scratch folders for the next run
    GO_ON = 8  # go on in the scratch folders of the run before
    AHEAD = 16  # no run yet: the groups of the next one come alone, and there is no reply


class Stage(IntEnum):
    """The stage at which a set-up failed."""

    NONE = 0
    REQUEST = 1
    SCRATCH = 2
    FORK = 3
    CGROUP = 4
    CREDENTIALS = 5
    FILTER = 6
    EXEC = 7
    WATCH = 8


class Stop(IntEnum):
    """Why the init stopped a run, if it did."""

    NONE = 0
    CPU = 1
    WALL = 2
    STDOUT = 3
    STDERR = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """The init's reply, field by field as in native/init/init.h."""

    kind: ReplyKind
    error: int
    stage: Stage
    wait_status: int
    stopped: Stop
    collected: int
    is_single: bool
    wall_us: int
    user_us: int
    system_us: int
    max_rss_bytes: int
    minor_faults: int
    major_faults: int
    voluntary_switches: int
    involuntary_switches: int
    read_calls: int
    write_calls: int
    read_bytes: int
    write_bytes: int
    group_cpu_us: int
    scratch_used_bytes: int
    queued_us: int
    ended_us: int  # when the program had ended, by CLOCK_MONOTONIC
    late_us: int
    longest_late_us: int
    gap_us: int
    stopped_us: int
    suspended_us: int


def check_limits(limits: Limits) -> None:
    """Raise LimitsError, naming the limit, when one is zero, negative or absurd."""
    for name in limits.__slots__:
        value = getattr(limits, name)
        least, most = _LEAST.get(name, 1), _MOST.get(name.rpartition("_")[2], _MOST_OF_ANY)
        if type(value) is not int or not least <= value <= most:
            raise LimitsError(f"{name} must be a whole number between {least} and {most}")


def largest_file_bytes(limits: Limits) -> int:
    """Return the most that a run can write to one file: more than its output limits, so that excess is visible."""
    return max(limits.file_bytes, limits.output_bytes + 65_536, limits.stderr_bytes + 65_536)


def encode_request(
    command: Command, limits: Limits, *, environment: Sequence[str], cgroups: int, flags: Flag, cores: int
) -> bytes:
    """Encode one packet for the init. Raises LimitsError for limits, strings or sizes that the init would refuse.

    `environment`: "NAME=value" each; `cgroups`: the number of groups whose descriptors travel with it; `cores`: how
    many the run can keep busy at once.
    """
    check_limits(limits)
    lists = _string_lists(command, environment)
    strings = [_bytes_of(text) for texts in lists for text in texts]
    if any(b"\0" in text for text in strings):
        raise LimitsError("an argument, variable or name must not hold a NUL byte")
    header = _REQUEST.pack(
        VERSION,
        *(len(texts) for texts in lists),
        cgroups,
        int(flags),
        cores,
        limits.cpu_time_ms * 10 * (100 + limits.overrun_percent) + GRACE_US,
        limits.wall_time_ms * 1_000,
        limits.output_bytes,
        limits.stderr_bytes,
        largest_file_bytes(limits),
        limits.stack_bytes or limits.memory_bytes,
        limits.scratch_bytes,
        limits.scratch_inodes,
        limits.open_files,
    )
    packet = header + b"".join(text + b"\0" for text in strings)
    if len(packet) > MAX_MESSAGE_BYTES:
        raise LimitsError(f"the command's strings are {len(packet)} bytes; {MAX_MESSAGE_BYTES} is the most")
    return packet


def encode_ahead(cgroups: int, flags: Flag) -> bytes:
    """Encode the packet that brings the init the groups of the next run, while another one is under way."""
    return _REQUEST.pack(VERSION, 0, 0, 0, 0, 0, cgroups, int(flags | Flag.AHEAD), 0, *([0] * 9))


def _string_lists(command: Command, environment: Sequence[str]) -> list[Sequence[str]]:
    """Return the strings in the order of the packet. Raises LimitsError."""
    paths: set[tuple[bytes, ...]] = {()}  # of the folders, which are created one after the other
    for name in command.directories:
        if not name or name.startswith("/") or {".", ".."} & set(name.split("/")):
            raise LimitsError("a folder to make must have a name that leads down from the scratch folder")
        whole = _bytes_of(name)
        path = tuple(part for part in whole.split(b"/") if part)
        if path in paths or path[:-1] not in paths:
            raise LimitsError("a folder to make must be named once, and after the one that it lies in")
        if len(whole) > _MOST_PATH or len(path[-1]) > _MOST_NAME:
            raise LimitsError("a folder to make has too long a name")
        paths.add(path)
    if any(name in {"", ".", ".."} or "/" in name for name, _ in command.files):
        raise LimitsError("a file to place must have a name without a folder")
    lists: list[Sequence[str]] = [
        command.argv,
        environment,
        command.directories,
        [file.name for file in command.collect],
        [text for placed in command.files for text in placed],
    ]
    if not command.argv or sum(map(len, lists)) > MAX_STRINGS or len(command.collect) > MAX_COLLECTS:
        raise LimitsError("a command needs 1 argument at least, 4,000 strings and 16 collected files at most")
    return lists


def _bytes_of(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        raise LimitsError("an argument, variable or name is not text that has bytes") from error


def decode_reply(packet: bytes) -> Reply:
    """Decode a reply packet. Raises ValueError when it is not one of this version."""
    if len(packet) != REPLY_BYTES:
        raise ValueError(f"a reply has {REPLY_BYTES} bytes, this one has {len(packet)}")
    version, kind, error, stage, status, stopped, collected, single, *numbers = _REPLY.unpack(packet)
    if version != VERSION:
        raise ValueError(f"the init speaks version {version}, the host {VERSION}: run make -C sandbox/native")
    return Reply(
        kind=ReplyKind(kind),
        error=error,
        stage=Stage(stage),
        wait_status=status,
        stopped=Stop(stopped),
        collected=collected,
        is_single=bool(single),
        **dict(zip(Reply.__slots__[7:], numbers, strict=True)),
    )
