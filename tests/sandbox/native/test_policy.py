"""The system-call policy: each row has a reason, the filter follows it, and what no row lists is refused."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from sandbox.jail.jail import OpenJail
from sandbox.types import Command, Limits
from tests.sandbox.native.policies import ALLOW, Row, Test, answer_of, filtered, outside_of, policy

_UPPER = 1 << 32
_TESTED = [row for row in policy() if row.tests]
_NUMBERS = sorted({number for row in policy() for number in row.calls.values()})
_STARTING = {"clone3", "openat2", "unshare", "seccomp", "setsid"}  # for the runner: the last filter refuses them
_MANY_THINGS = (
    "accept4", "arch_prctl", "clone", "close_range", "copy_file_range", "dup3", "epoll_create1", "epoll_ctl",
    "eventfd2", "execveat", "faccessat2", "fadvise64", "fallocate", "fchmodat2", "fcntl", "futex", "futex_waitv",
    "getrandom", "getsockopt", "ioctl", "madvise", "membarrier", "memfd_create", "mknod", "mknodat", "mlock2", "mmap",
    "mprotect", "mremap", "msync", "open", "openat", "personality", "pipe2",
    "pkey_mprotect", "prctl", "preadv2", "pwritev2", "recvfrom", "recvmmsg", "recvmsg", "renameat2",
    "sched_setscheduler", "seccomp", "sendmmsg", "sendmsg", "sendto", "setsockopt", "signalfd4", "socket",
    "socketpair", "splice", "statx", "tee", "timerfd_create", "unshare", "vmsplice",
)  # fmt: skip
_PROBE = """
import ctypes, json, sys
call = ctypes.CDLL(None, use_errno=True).syscall
call.restype = ctypes.c_long
for number, arguments in json.load(open(0)):
    ctypes.set_errno(0)
    result = call(ctypes.c_long(number), *(ctypes.c_ulong(value) for value in arguments))
    print(ctypes.get_errno() if result == -1 else 0)
"""


def test_each_row_has_calls_of_this_kernel_and_a_reason() -> None:
    for row in policy():
        print(*row.calls, *row.tests, row.answer, row.reason)  # with pytest -rP the whole policy
        assert row.reason, row
        assert row.calls
        assert -1 not in row.calls.values(), f"a name that is no system call: {row.calls}"


def test_no_row_is_hidden_by_an_earlier_one() -> None:
    for place, row in enumerate(policy()):
        for name in row.calls:
            earlier = [other for other in policy()[:place] if name in other.calls]
            assert all(other.tests for other in earlier), f"{name} never comes to: {row.reason}"


def test_a_call_that_does_many_things_is_allowed_with_listed_values_only() -> None:
    for name in _MANY_THINGS:
        rows = [row for row in policy() if name in row.calls]
        assert rows, name
        assert all(row.tests for row in rows if row.answer == ALLOW), name


@given(
    number=st.integers(0, 600) | st.sampled_from(_NUMBERS),
    arguments=st.lists(st.integers(0, 2**64 - 1), min_size=6, max_size=6),
)
def test_the_filter_answers_as_the_policy_says(number: int, arguments: list[int]) -> None:
    assert filtered(number, arguments) == answer_of(number, arguments)


@given(data=st.data(), row=st.sampled_from(_TESTED), upper=st.integers(0, 2**32 - 1))
def test_the_filter_answers_as_the_policy_says_of_values_like_those_listed(
    data: st.DataObject, row: Row, upper: int
) -> None:
    number = data.draw(st.sampled_from(sorted(row.calls.values())))
    arguments = [0] * 6
    for test in row.tests:
        some = test.values or (test.bits or 0,)
        value = data.draw(st.sampled_from(some)) ^ data.draw(st.sampled_from([0, 0, *(1 << bit for bit in range(64))]))
        arguments[test.argument] = value | data.draw(st.sampled_from([0, upper << 32]))
    assert filtered(number, arguments) == answer_of(number, arguments)


def test_calls_of_other_architectures_are_not_there() -> None:
    assert filtered(1, [1, 0, 0, 0, 0, 0], architecture=0x40000003) == 38  # i386
    assert filtered(0x40000001, [1, 0, 0, 0, 0, 0]) == 38  # x32


def _refused(row: Row, test: Test) -> list[tuple[int, list[int]]]:
    """Calls with this argument out of the list and the row's other arguments in it, also with an upper half."""
    fitting = {other.argument: (other.values or (0,))[0] for other in row.tests}
    probes = []
    for number in row.calls.values():
        for value in outside_of(number, test):
            for upper in (0, _UPPER):
                arguments = [fitting.get(place, 0) for place in range(6)]
                arguments[test.argument] = value | upper
                if answer_of(number, arguments) > 0:  # no other row has it
                    probes.append((number, arguments))
    return probes


def test_the_kernel_refuses_every_value_near_the_listed_ones(jail: OpenJail, folder: Path) -> None:
    probes = [
        probe
        for row in _TESTED
        if not _STARTING & set(row.calls)
        for test in row.tests
        for probe in _refused(row, test)
    ]
    assert len(probes) > 2_000
    (folder / "probes").write_text(json.dumps(probes))
    command = Command(argv=("/usr/bin/python3", "-I", "-c", _PROBE), stdin=folder / "probes", stdout=folder / "told")
    assert jail.run(command, Limits(cpu_time_ms=20_000, wall_time_ms=30_000)).exit_code == 0
    told = [int(line) for line in (folder / "told").read_text().split()]
    assert [os.strerror(error) for error in told] == [os.strerror(answer_of(*probe)) for probe in probes]


@pytest.mark.parametrize("name", sorted(_STARTING))
def test_a_program_cannot_start_another_as_the_init_does(name: str, jail: OpenJail, folder: Path) -> None:
    (number,) = {row.calls[name] for row in policy() if name in row.calls}
    (folder / "probes").write_text(json.dumps([(number, [0x02000000, 0, 0, 0, 0, 0]), (number, [1, 0, 0, 0, 0, 0])]))
    command = Command(argv=("/usr/bin/python3", "-I", "-c", _PROBE), stdin=folder / "probes", stdout=folder / "told")
    jail.run(command, Limits())
    assert set((folder / "told").read_text().split()) <= {"38", "1"}


def test_a_program_cannot_start_another_as_the_init_does_is_the_whole_list() -> None:
    marked = {name for row in policy() if "last filter" in row.reason for name in row.calls}
    assert marked == _STARTING
