"""The init's reading of requests, built with the compiler's sanitizers, against a reader of ours."""

import random
import subprocess
from pathlib import Path

import pytest

from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.jail.nsjail import NATIVE
from sandbox.jail.protocol import _REQUEST, MAX_COLLECTS, MAX_MESSAGE_BYTES, VERSION, Flag, encode_request
from tests.fuzzing import FACTOR
from tests.sandbox.native.rawinit import COMMAND, FIELDS, HEADER_BYTES, LIMITS, OWN_DESCRIPTORS, set_field

_REQUESTS = 20_000
_MOST_STRINGS = 4_091  # MAX_STRINGS of init.h, less the ends of five lists
_MOST_GROUPS = 8
_EDGES = [0, 1, 2, 3, 9, 17, 4_093, (1 << 31) - 1, 1 << 31, (1 << 32) - 5, (1 << 32) - 1, 1 << 50, (1 << 64) - 1]
_FLAGS = sum(Flag)


@pytest.fixture(scope="module")
def parser() -> Path:
    subprocess.run(["make", "-s", "-C", str(NATIVE.parent), "build/fuzz"], check=True, timeout=100)
    return NATIVE / "fuzz"


def parse(parser: Path, requests: list[tuple[int, bytes]]) -> str:
    """What becomes of each request, given as number of descriptors and packet: + accepted, - refused."""
    hierarchies = find_hierarchies()
    group = (hierarchies.v2 or hierarchies.v1["memory"]) / "cgroup.procs"
    told = b"".join(bytes([count]) + len(packet).to_bytes(4, "little") + packet for count, packet in requests)
    done = subprocess.run([str(parser), str(group)], input=told, capture_output=True, timeout=100, check=False)
    assert (done.returncode, done.stderr.decode()) == (0, "")
    return done.stdout.decode()


def is_good(count: int, packet: bytes) -> bool:
    """Whether the init should accept it, by the layout in init.h."""
    if not HEADER_BYTES <= len(packet) <= MAX_MESSAGE_BYTES:
        return False
    fields = dict(zip(FIELDS, _REQUEST.unpack_from(packet), strict=True))
    strings = packet[HEADER_BYTES:]
    lists = sum(fields[name] for name in ("argc", "envc", "directories", "collects", "placed"))
    if fields["flags"] & Flag.AHEAD:
        is_alone = lists == len(strings) == 0 and not fields["flags"] & ~(Flag.AHEAD | Flag.CLONE_INTO)
        return (
            is_alone
            and fields["version"] == VERSION
            and 0 < fields["cgroups"] <= _MOST_GROUPS
            and count == fields["cgroups"]
        )
    return (
        (fields["version"], count) == (VERSION, OWN_DESCRIPTORS + fields["cgroups"])
        and all(fields[name] for name in ("argc", "cores", "cgroups", "scratch_bytes", "scratch_inodes"))
        and fields["cgroups"] <= _MOST_GROUPS
        and fields["collects"] <= MAX_COLLECTS
        and fields["placed"] % 2 == 0
        and not fields["flags"] & ~_FLAGS
        and max(fields["scratch_bytes"], fields["scratch_inodes"]) <= 1 << 50
        and lists == strings.count(0) <= _MOST_STRINGS
        and strings.endswith(b"\0")
    )


def spoil(chance: random.Random, packet: bytearray) -> None:
    """Change something."""
    match chance.randrange(6):
        case 0:
            set_field(packet, chance.randrange(len(FIELDS)), chance.choice(_EDGES))
        case 1:
            set_field(packet, chance.randrange(1, 6), chance.randrange(6))  # the lengths of the lists
        case 2:
            packet[chance.randrange(len(packet))] = chance.choice((0, 1, 255))
        case 3:
            del packet[chance.randrange(1, len(packet) + 1) :]
        case 4:
            packet += bytes(chance.choice((0, 65)) for _ in range(chance.randrange(1, 9)))
        case _:
            packet[HEADER_BYTES:] = bytes(chance.choice((0, 66)) for _ in range(chance.randrange(12)))


def _request(environment: list[str], *, cgroups: int) -> bytes:
    return encode_request(COMMAND, LIMITS, environment=environment, cgroups=cgroups, flags=Flag.NONE, cores=1)


@pytest.mark.thorough
def test_every_request_is_read_as_the_layout_says_and_no_byte_beyond_it(parser: Path) -> None:
    good = _request(["A=1"], cgroups=3)
    chance = random.Random(3 if FACTOR == 1 else None)  # noqa: S311
    requests = []
    for _ in range(_REQUESTS * FACTOR):
        packet = bytearray(good)
        for _ in range(chance.randrange(4)):
            spoil(chance, packet)
        count = chance.choice((*(OWN_DESCRIPTORS + 3,) * 4, chance.randrange(20), 253))
        if chance.random() < 0.3:
            set_field(packet, FIELDS.index("cgroups"), count - OWN_DESCRIPTORS)
        requests.append((count, bytes(packet) or b"\0"))
    expected = "".join("+" if is_good(count, packet) else "-" for count, packet in requests)
    assert parse(parser, requests) == expected
    assert min(expected.count("+"), expected.count("-")) > len(expected) // 20


@pytest.mark.parametrize(("strings", "answer"), [(_MOST_STRINGS, "+"), (_MOST_STRINGS + 1, "-"), (60_000, "-")])
def test_as_many_strings_as_there_is_room_for_are_read(parser: Path, strings: int, answer: str) -> None:
    packet = bytearray(_request([], cgroups=1)[:HEADER_BYTES])
    for name, value in (("argc", strings), ("directories", 0), ("collects", 0)):
        set_field(packet, FIELDS.index(name), value)
    assert parse(parser, [(OWN_DESCRIPTORS + 1, bytes(packet) + b"x\0" * strings)]) == answer


@pytest.mark.parametrize(("more", "answer"), [(0, "+"), (1, "-"), (70_000, "-")])
def test_the_longest_packet_is_read_and_one_byte_more_is_refused(parser: Path, more: int, answer: str) -> None:
    packet = bytearray(_request([], cgroups=1)[:HEADER_BYTES])
    for name, value in (("argc", 1), ("directories", 0), ("collects", 0)):
        set_field(packet, FIELDS.index(name), value)
    room = MAX_MESSAGE_BYTES - HEADER_BYTES - 1
    assert parse(parser, [(OWN_DESCRIPTORS + 1, bytes(packet) + b"x" * (room + more) + b"\0")]) == answer
