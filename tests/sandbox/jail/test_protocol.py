"""The bytes between host and init."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sandbox.errors import LimitsError
from sandbox.jail.protocol import (
    MAX_MESSAGE_BYTES,
    REPLY_BYTES,
    Flag,
    check_limits,
    decode_reply,
    encode_request,
)
from sandbox.types import Collect, Command, Limits


def encode(command: Command, limits: Limits | None = None) -> bytes:
    limits = limits or Limits()
    return encode_request(command, limits, environment=["A=1"], cgroups=3, flags=Flag.NONE, cores=1)


def test_the_strings_follow_the_header_in_order() -> None:
    wanted = Collect(name="out", target=Path("/nowhere"), max_bytes=1)
    packet = encode(Command(argv=("/bin/x", "a b"), directories=("d",), collect=(wanted,)))
    assert packet.endswith(b"/bin/x\0a b\0A=1\0d\0out\0")


@pytest.mark.parametrize("value", [0, -1, 1 << 60])
@pytest.mark.parametrize("name", ["cpu_time_ms", "wall_time_ms", "memory_bytes", "output_bytes", "processes"])
def test_senseless_limits_are_refused_by_name(name: str, value: int) -> None:
    with pytest.raises(LimitsError, match=name):
        check_limits(Limits(**{name: value}))


def test_nul_bytes_no_arguments_and_too_much_are_refused() -> None:
    for argv in (("/bin/x", "a\0b"), (), ("/bin/x", "y" * MAX_MESSAGE_BYTES), ("/bin/x",) * 5_000):
        with pytest.raises(LimitsError):
            encode(Command(argv=argv))


@given(st.lists(st.text().filter(lambda text: "\0" not in text), min_size=1, max_size=20))
def test_any_argument_without_nul_travels_whole(arguments: list[str]) -> None:
    encodable = [text.encode("utf-8", "replace").decode() for text in arguments]
    packet = encode(Command(argv=tuple(encodable)))
    assert "".join(text + "\0" for text in encodable).encode() in packet


@given(st.binary(max_size=300))
def test_a_reply_of_noise_is_refused_and_never_misread(noise: bytes) -> None:
    with pytest.raises(ValueError, match=r"reply|version|is not a valid"):
        decode_reply(noise)


def test_a_reply_of_another_version_is_refused() -> None:
    with pytest.raises(ValueError, match="version"):
        decode_reply(b"\xff" * REPLY_BYTES)
