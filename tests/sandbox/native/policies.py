"""The system-call policy as the init prints it, and a second reading of the filter that is made of it."""

import json
import struct
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from sandbox.jail.nsjail import NATIVE

ALLOW = -1
LAST_OLD_CALL = 334  # rseq
ENOSYS, EPERM = 38, 1
X86_64 = 0xC000003E
_RET_ALLOW, _RET_ERRNO = 0x7FFF0000, 0x00050000


@dataclass(frozen=True, kw_only=True, slots=True)
class Test:
    """What one argument must be: one of `values` after `ignored` bits are taken off, or nothing but `bits`."""

    __test__ = False

    argument: int
    width: int
    values: tuple[int, ...] = ()
    ignored: int = 0
    bits: int | None = None

    def holds(self, value: int) -> bool:
        """Whether the kernel may get this argument; it looks at `width` bits of it."""
        seen = value & ((1 << self.width) - 1)
        return not seen & ~self.bits if self.bits is not None else seen & ~self.ignored in self.values


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A row of native/init/policy.c. `answer`: ALLOW, or the errno that the call fails with (0: it pretends)."""

    calls: dict[str, int]
    tests: tuple[Test, ...]
    answer: int
    reason: str

    def holds(self, arguments: Sequence[int]) -> bool:
        """Whether all tests hold."""
        return all(test.holds(arguments[test.argument]) for test in self.tests)


@cache
def policy() -> tuple[Row, ...]:
    """All rows, in their order."""
    lines = subprocess.run([NATIVE / "init", "policy"], capture_output=True, check=True).stdout.splitlines()
    rows = [json.loads(line) for line in lines]
    return tuple(
        Row(
            calls=row["calls"],
            tests=tuple(Test(**{**test, "values": tuple(test.get("values", ()))}) for test in row["tests"]),
            answer=row["answer"],
            reason=row["reason"],
        )
        for row in rows
    )


def answer_of(number: int, arguments: Sequence[int]) -> int:
    """What the policy says of a call: ALLOW, or an errno. The first row that holds counts."""
    for row in policy():
        if number in row.calls.values() and row.holds(arguments):
            return row.answer
    return ENOSYS if number > LAST_OLD_CALL else EPERM


@cache
def _instructions() -> tuple[tuple[int, int, int, int], ...]:
    program = subprocess.run([NATIVE / "init", "filter"], capture_output=True, check=True).stdout
    return tuple(struct.iter_unpack("=HBBI", program))


def filtered(number: int, arguments: Sequence[int], architecture: int = X86_64) -> int:
    """What the filter's own instructions answer, executed as the kernel does (net/core/filter.c): ALLOW or an errno."""
    data = struct.pack("=iIQ6Q", number, architecture, 0, *(value & (1 << 64) - 1 for value in arguments))
    at = accumulator = 0
    while True:
        code, if_true, if_false, k = _instructions()[at]
        at += 1
        match code:
            case 0x20:  # BPF_LD | BPF_W | BPF_ABS
                (accumulator,) = struct.unpack_from("=I", data, k)
            case 0x54:  # BPF_ALU | BPF_AND | BPF_K
                accumulator &= k
            case 0x05:  # BPF_JMP | BPF_JA
                at += k
            case 0x15 | 0x25 | 0x35 | 0x45:  # BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET
                is_so = {0x15: accumulator == k, 0x25: accumulator > k, 0x35: accumulator >= k, 0x45: accumulator & k}[
                    code
                ]
                at += if_true if is_so else if_false
            case 0x06:  # BPF_RET | BPF_K
                assert k == _RET_ALLOW or k & 0xFFFF0000 == _RET_ERRNO, hex(k)
                return ALLOW if k == _RET_ALLOW else k & 0xFFFF
            case _:
                raise AssertionError(f"the kernel would not take instruction {code:#x}")


def outside_of(number: int, test: Test) -> Iterable[int]:
    """Arguments near the listed ones that the test does not take: each neighbour of a value, each bit by itself."""
    listed = test.values or (test.bits or 0,)
    near = {0, *listed, *(value + 1 for value in listed), *(1 << bit for bit in range(test.width))}
    near |= {value | 1 << bit for value in listed for bit in range(test.width)} | {(1 << test.width) - 1}
    return sorted(value for value in near if not test.holds(value))
