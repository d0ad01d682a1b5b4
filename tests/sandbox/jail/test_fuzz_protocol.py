"""Any limits, any commands, any reply: refused by name, or taken as they are, byte for byte."""

import array
import dataclasses
import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, strategies as st

from sandbox.errors import CommandError, JailError, LimitsError, WorkdirError
from sandbox.jail.initlink import InitLink
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.protocol import (
    _REPLY,
    REPLY_BYTES,
    VERSION,
    Flag,
    ReplyKind,
    Stage,
    Stop,
    decode_reply,
    encode_request,
)
from sandbox.patience import Patience
from sandbox.types import MIB, Collect, Command, Destination, Ending, Limits
from sandbox.workdir import fresh_folder
from tests.fuzzing import examples
from tests.sandbox.aftermath import nothing_left
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jail.ranges import RANGES
from tests.sandbox.jailed import TOOLS

_NO_PROCESS = cast("subprocess.Popen[bytes]", None)  # of nsjail: only closing needs it
LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=5_000, memory_bytes=128 * MIB)
_NUMBERS = st.integers() | st.sampled_from(
    [0, -1, 1, 8, 1 << 20, 1 << 31, 1 << 40, 1 << 50, 1 << 63, 1 << 64, 10**5_000]
)
_VALUES = _NUMBERS | st.integers(1, 1 << 20) | st.booleans() | st.none() | st.floats() | st.text(max_size=3)
_LIMITS = st.dictionaries(st.sampled_from(Limits.__slots__), _VALUES, max_size=3).map(
    lambda odd: Limits(**cast("dict[str, int]", odd))
)
_BYTES = st.binary(max_size=40).map(os.fsdecode)
_TEXTS = _BYTES | st.text(st.characters(exclude_categories=()), max_size=20)  # lone surrogates too
_NAMES = _TEXTS | st.sampled_from(["..", "a/..", "a/b", "/a", "./a", "a", "b", "\udcff", "n" * 300])
_PLACED = _NAMES | st.sampled_from(["/bin/true", "/proc/self/fd/0", "/dev/null", "/scratch/box", "/usr"])
_WANTED = st.builds(Collect, name=_NAMES, target=st.just(Path("/nowhere")), max_bytes=st.integers())
_ARGUMENTS = st.lists(_BYTES.filter(lambda text: "\0" not in text), max_size=8)


@pytest.fixture(scope="module")
def open_jail(sandbox: NsjailSandbox) -> Iterator[OpenJail]:
    with sandbox.open_jail(TOOLS) as opened:
        yield opened


@pytest.fixture
def nothing_left_of_all() -> Iterator[None]:
    """Looked at once, after all examples."""
    with nothing_left(WORK_ROOT):
        yield


# --- replies


def reply(**fields: int) -> bytes:
    """A packet with these fields; the others are 0."""
    names = ("version", "kind", "error", "stage", "wait_status", "stopped", "collected", "is_single")
    return _REPLY.pack(*({"version": VERSION, **fields}.get(name, 0) for name in names), *(0,) * 21)


_U32 = st.integers(0, 5) | st.integers(0, (1 << 32) - 1)
_REPLIES = st.builds(
    lambda fixed, i32, u64: _REPLY.pack(VERSION, fixed[0], i32[0], fixed[1], i32[1], *fixed[2:], *u64),
    st.tuples(_U32, _U32, _U32, _U32, _U32),
    st.tuples(*(st.integers(-(1 << 31), (1 << 31) - 1),) * 2),
    st.tuples(*(st.integers(0, (1 << 64) - 1),) * 21),
)


@examples(300)
@given(packet=_REPLIES | st.binary(min_size=REPLY_BYTES, max_size=REPLY_BYTES) | st.binary(max_size=400))
def test_a_reply_is_decoded_or_refused(packet: bytes) -> None:
    try:
        decoded = decode_reply(packet)
    except ValueError:
        return
    assert (decoded.kind, decoded.stage, decoded.stopped) in [
        (kind, stage, stop) for kind in ReplyKind for stage in Stage for stop in Stop
    ]


@pytest.mark.usefixtures("nothing_left_of_all")
@examples(200)
@given(
    packet=_REPLIES | st.binary(max_size=400) | st.integers(0, (1 << 20) - 1).map(lambda n: reply(kind=2, collected=n)),
    files=st.integers(0, 20),
)
def test_an_answer_is_understood_or_ends_the_run_and_no_descriptor_is_kept(packet: bytes, files: int) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs, Path(os.devnull).open() as null:
        theirs.send(reply(kind=1))
        link = InitLink(_NO_PROCESS, ours, Path("/nowhere"))
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [null.fileno()] * files))]
        theirs.sendmsg([packet], rights if files else [])
        with suppress(JailError):
            decoded, taken = link.receive(Patience(5))
            assert len(taken) == files == (decoded.collected.bit_count() if decoded.kind is ReplyKind.DONE else 0)
            for descriptor in taken:
                os.close(descriptor)


# --- limits and commands


def is_between(least: int, value: object, most: int) -> bool:
    """Whether it is a whole number in this range."""
    return type(value) is int and least <= value <= most


@examples(400)
@given(limits=_LIMITS)
def test_limits_are_refused_by_name_or_carried_out(open_jail: OpenJail, limits: Limits) -> None:
    wrong = [name for name, (least, most) in RANGES.items() if not is_between(least, getattr(limits, name), most)]
    refusal = rf"^({'|'.join(wrong)}) must be a whole number between" if wrong else "^the disk of .* is full"
    is_refused = bool(wrong) or limits.output_bytes + limits.stderr_bytes > shutil.disk_usage(WORK_ROOT).free
    with pytest.raises((LimitsError, WorkdirError), match=refusal) if is_refused else nullcontext():
        assert open_jail.run(Command(argv=("/bin/true",)), limits).ending in Ending


@pytest.mark.usefixtures("nothing_left_of_all")
@examples(200)
@given(
    command=st.builds(
        Command,
        argv=st.lists(_TEXTS, max_size=6).map(tuple) | st.just(("/bin/true",)),
        environment=st.dictionaries(_TEXTS, _TEXTS, max_size=4),
        directories=st.lists(_NAMES, max_size=4).map(tuple),
        files=st.lists(st.tuples(_NAMES, _PLACED), max_size=3).map(tuple),
        collect=st.lists(_WANTED, max_size=18).map(tuple),
        destination=st.sampled_from(Destination),
        keeps_scratch=st.booleans(),
        goes_on=st.booleans(),
        coalesce_output=st.booleans(),
        trace_writes=st.booleans(),
        sample_ms=st.sampled_from([0, 0, 1, 60_000]) | st.integers(),
    )
)
def test_a_command_is_refused_or_carried_out_and_nothing_is_left(open_jail: OpenJail, command: Command) -> None:
    with suppress(CommandError, LimitsError, JailError):
        open_jail.run(command, LIMITS)
    assert open_jail.run(Command(argv=("/bin/true",)), LIMITS).exit_code == 0


@examples(200)
@given(command=st.builds(Command, argv=st.lists(_TEXTS, min_size=1, max_size=6).map(tuple)), limits=_LIMITS)
def test_a_request_is_encoded_or_refused(command: Command, limits: Limits) -> None:
    try:
        packet = encode_request(command, limits, environment=[], cgroups=3, flags=Flag.NONE, cores=1)
    except LimitsError:
        return
    assert packet.endswith(b"".join(os.fsencode(text) + b"\0" for text in command.argv))


# --- bytes


@examples(100)
@given(arguments=_ARGUMENTS, values=_ARGUMENTS)
def test_arguments_and_environment_arrive_byte_for_byte(
    open_jail: OpenJail, arguments: list[str], values: list[str]
) -> None:
    environment = {f"V{number}": value for number, value in enumerate(values)}
    program = ("/bin/sh", "-c", 'printf "%s\\0" "$@" && exec /usr/bin/env -0', "sh")
    with fresh_folder(WORK_ROOT, "bytes-") as folder:
        command = Command(argv=(*program, "first", *arguments), environment=environment, stdout=folder / "out")
        assert open_jail.run(command, LIMITS).exit_code == 0
        told = (folder / "out").read_bytes().split(b"\0")
    assert told[: len(arguments) + 1] == [b"first", *map(os.fsencode, arguments)]
    expected = {f"{name}={value}" for name, value in environment.items()}
    assert set(map(os.fsencode, expected)) <= set(told[len(arguments) + 1 :])


@examples(30)
@given(name=st.binary(min_size=1, max_size=60).filter(lambda name: not set(b"\0=") & set(name)))
def test_a_variable_may_have_any_name_that_one_can_have(open_jail: OpenJail, name: bytes) -> None:
    with fresh_folder(WORK_ROOT, "bytes-") as folder:
        command = Command(argv=("/usr/bin/env", "-0"), environment={os.fsdecode(name): "x"}, stdout=folder / "out")
        assert open_jail.run(command, LIMITS).exit_code == 0
        assert name + b"=x" in (folder / "out").read_bytes().split(b"\0")


def test_the_largest_command_arrives_whole(open_jail: OpenJail) -> None:
    argument = "x" * 100_000
    with fresh_folder(WORK_ROOT, "bytes-") as folder:
        command = Command(argv=("/bin/echo", "-n", argument, *("y",) * 3_000), stdout=folder / "out")
        assert open_jail.run(command, dataclasses.replace(LIMITS, memory_bytes=256 * MIB)).exit_code == 0
        assert (folder / "out").read_text() == " ".join((argument, *("y",) * 3_000))
