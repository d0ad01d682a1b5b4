"""The records of a sampled run, as the kernel's rings have them, a file of them, and the call chains that come of them.

A file is one record after the other: kind, flags, length of the body (`_HEAD`), time in ns, body. Source:
<linux/perf_event.h>.
"""

import json
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import BinaryIO

REGISTERS = (1, 6, 7, 8, 16, 17, 18, 19, 20, 21, 22, 23)  # rbx rbp rsp rip r8 ... r15, in the kernel's numbers
STACK_BYTES = 8 * 1024  # of each sample: chains deeper than this are cut
_HEAD = struct.Struct("=2IIQ")
_MOST_BODY = 1 << 16  # the kernel's own limit on a record

Chains = Counter[tuple[tuple[int, ...], bool]]  # innermost first, and whether outer calls, or all, are missing


class Kind(IntEnum):
    """The records that are read; others are left out."""

    LOST = 2
    COMM = 3
    FORK = 7
    SAMPLE = 9
    MMAP2 = 10


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a ring. `body` is what follows its header, of all but a sample without the trailer."""

    kind: int
    flags: int
    time_ns: int  # of CLOCK_MONOTONIC
    body: bytes

    def packed(self) -> bytes:
        """Return the record as it lies in a file."""
        return _HEAD.pack(self.kind, self.flags, len(self.body), self.time_ns) + self.body


def records_in(file: BinaryIO) -> Iterator[Record]:
    """Yield the records of a file, up to the first that is not whole."""
    while len(head := file.read(_HEAD.size)) == _HEAD.size:
        kind, flags, size, time_ns = _HEAD.unpack(head)
        if size > _MOST_BODY or len(body := file.read(size)) < size:
            return
        yield Record(kind, flags, time_ns, body)


def answer(chains: Chains) -> str:
    """Return {"stacks": [[chain, samples, is_cut], ...]} as JSON, the most frequent first."""
    return json.dumps({"stacks": [[chain, number, is_cut] for (chain, is_cut), number in chains.most_common()]})
