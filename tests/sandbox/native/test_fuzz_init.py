"""The init against everything that a socket can carry. It refuses or ends cleanly, and the next request works."""

import errno
import os
import signal
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, strategies as st

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.protocol import MAX_MESSAGE_BYTES, ReplyKind, Stage
from tests.fuzzing import examples
from tests.sandbox.aftermath import nothing_left
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.native.rawinit import FIELDS, HEADER_BYTES, KINDS, OWN_DESCRIPTORS, RawInit, Request, set_field

Change = Callable[[Request], object]
_REFUSED = (ReplyKind.FAILED, Stage.REQUEST, errno.EPROTO)
_EDGES = [
    0,
    1,
    2,
    7,
    8,
    9,
    16,
    17,
    4_000,
    4_096,
    1 << 16,
    *((1 << bits) - step for bits in (31, 32, 50, 63, 64) for step in (0, 1)),
]


@pytest.fixture(scope="module")
def init(sandbox: NsjailSandbox) -> Iterator[RawInit]:
    opened = RawInit(sandbox)
    yield opened
    opened.close()


def _with_field(number: int, value: int) -> Change:
    return lambda request: set_field(request.packet, number, value)


def _with_byte(place: int, value: int) -> Change:
    def change(request: Request) -> None:
        if request.packet:
            request.packet[place % len(request.packet)] = value

    return change


def _cut(length: int) -> Change:
    return lambda request: request.packet.__delitem__(slice(length, None))


def _with_strings(strings: bytes) -> Change:
    return lambda request: request.packet.__setitem__(slice(HEADER_BYTES, None), strings)


def _with_more(more: bytes) -> Change:
    return lambda request: request.packet.extend(more)


def _with_descriptor(place: int, kind: str, replace: bool) -> Change:
    return lambda request: request.put(place, kind, replace=replace) if request.descriptors or not replace else None


def _without_descriptor(place: int) -> Change:
    return lambda request: request.drop(place) if request.descriptors else None


_PLACES = st.integers(0, 300)
_CHANGES: st.SearchStrategy[Change] = st.one_of(
    st.builds(_with_field, st.integers(0, len(FIELDS) - 1), st.sampled_from(_EDGES) | st.integers(0, (1 << 64) - 1)),
    st.builds(_with_byte, _PLACES, st.integers(0, 255)),
    st.builds(_cut, _PLACES),
    st.builds(_with_strings, st.binary(max_size=400)),
    st.builds(_with_strings, st.lists(st.binary(max_size=9), max_size=9).map(b"\0".join)),
    st.builds(_with_more, st.binary(max_size=40)),
    st.builds(_with_descriptor, st.integers(0, 20), st.sampled_from(sorted(KINDS)), st.booleans()),
    st.builds(_without_descriptor, st.integers(0, 20)),
)


@examples(250)
@given(changes=st.lists(_CHANGES, min_size=1, max_size=5))
def test_a_spoilt_request_is_refused_or_carried_out_within_its_limits(init: RawInit, changes: list[Change]) -> None:
    with init.request() as request:
        for change in changes:
            change(request)
        reply = init.tell(bytes(request.packet), request.descriptors)
        if reply is None:
            assert not request.packet
        elif not request.has_genuine_groups:
            assert (reply.kind, reply.stage, reply.error) == _REFUSED
    init.check()


@examples(60)
@given(noise=st.binary(min_size=1, max_size=500), kinds=st.lists(st.sampled_from(sorted(KINDS)), max_size=20))
def test_noise_is_refused(init: RawInit, noise: bytes, kinds: list[str]) -> None:
    with init.request() as request:
        while request.descriptors:
            request.drop(0)
        for kind in kinds:
            request.put(0, kind, replace=False)
        reply = init.tell(noise, request.descriptors)
        assert reply is not None
        assert (reply.kind, reply.stage, reply.error) == _REFUSED
    init.check()


def test_a_good_request_is_carried_out(init: RawInit) -> None:
    with init.request() as request:
        reply = init.tell(bytes(request.packet), request.descriptors)
        assert reply is not None
        assert (reply.kind, reply.wait_status) == (ReplyKind.DONE, 0)
        assert os.pread(request.descriptors[1], 100, 0) == b"hello\n"
    init.check()


def test_an_empty_packet_ends_the_init_and_leaves_nothing(sandbox: NsjailSandbox) -> None:
    with nothing_left(WORK_ROOT):
        opened = RawInit(sandbox)
        assert opened.tell(b"", []) is None
        opened.check()
        assert opened.ended == 1
        opened.close()


@pytest.mark.parametrize(
    "length", [1, HEADER_BYTES - 1, HEADER_BYTES, MAX_MESSAGE_BYTES, MAX_MESSAGE_BYTES + 1, 150_000]
)
def test_zeros_of_any_length_are_refused(init: RawInit, length: int) -> None:
    with init.request() as request:
        reply = init.tell(bytes(request.packet) + bytes(length), request.descriptors)
        assert reply is not None
        assert (reply.kind, reply.stage, reply.error) == _REFUSED
    init.check()


@pytest.mark.parametrize("count", [0, 1, OWN_DESCRIPTORS, 13, 14, 15, 100, 253])
def test_any_wrong_number_of_descriptors_is_refused_and_none_is_kept(init: RawInit, count: int) -> None:
    with init.request() as request:
        while len(request.descriptors) > count:
            request.drop(0)
        while len(request.descriptors) < count:
            request.put(0, "null", replace=False)
        reply = init.tell(bytes(request.packet), request.descriptors)
        assert reply is not None
        assert (reply.kind, reply.stage, reply.error) == _REFUSED
    init.check()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_without_a_group_or_its_account_is_refused(init: RawInit, kind: str) -> None:
    places = range(OWN_DESCRIPTORS - 1, OWN_DESCRIPTORS + 1)
    for place in places:
        with init.request() as request:
            request.put(place, kind, replace=True)
            reply = init.tell(bytes(request.packet), request.descriptors)
            assert reply is not None
            assert (reply.kind, reply.stage, reply.error) == _REFUSED
            assert os.fstat(request.descriptors[1]).st_size == 0
    init.check()


@pytest.mark.parametrize("kind", KINDS)
def test_odd_streams_are_the_programs_to_find_odd(init: RawInit, kind: str) -> None:
    for place in range(OWN_DESCRIPTORS - 1):
        with init.request() as request:
            request.put(place, kind, replace=True)
            reply = init.tell(bytes(request.packet), request.descriptors)
            assert reply is not None
            assert reply.kind is ReplyKind.DONE
            assert os.WIFEXITED(reply.wait_status) or os.WTERMSIG(reply.wait_status) == signal.SIGPIPE
        init.check()


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("version", [0, 1, 99]),
        ("argc", [0, 3, 1 << 31, (1 << 32) - 1]),
        ("envc", [0, 2, (1 << 32) - 1]),
        ("directories", [0, 2, (1 << 32) - 1]),
        ("collects", [0, 17, (1 << 32) - 1]),
        ("cgroups", [0, 9, (1 << 32) - 5, (1 << 32) - 1]),
        ("placed", [1, 2, (1 << 32) - 1]),
        ("flags", [16, 1 << 31]),
        ("cores", [0]),
        ("scratch_bytes", [0, (1 << 50) + 1, (1 << 64) - 1]),  # 0 and what overflows to it: a tmpfs without an end
        ("scratch_inodes", [0, (1 << 50) + 1, (1 << 64) - 1]),
    ],
)
def test_a_request_that_makes_no_sense_is_refused(init: RawInit, field: str, values: list[int]) -> None:
    for value in values:
        with init.request() as request:
            set_field(request.packet, FIELDS.index(field), value)
            reply = init.tell(bytes(request.packet), request.descriptors)
            assert reply is not None
            assert (reply.kind, reply.stage, reply.error) == _REFUSED
    init.check()
