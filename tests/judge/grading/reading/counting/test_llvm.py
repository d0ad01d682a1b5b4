"""Coverage of rustc that nobody wrote in good faith: it is unreadable, and takes neither memory nor depth."""

import struct
import zlib

import pytest

from judge.grading.reading.counting import llvm
from judge.grading.reading.counting.gcc import Unreadable


def test_names_without_a_length_are_not_unpacked() -> None:
    packed = zlib.compress(bytes(1 << 20))[:127]
    encoded = bytes([1, 0, len(packed)]) + packed
    with pytest.raises(Unreadable):
        list(llvm._files(struct.pack("<4I", 0, len(encoded), 0, 6) + encoded))


def test_sums_in_sums_are_not_followed_for_ever() -> None:
    mapping = llvm._Mapping(b"", (1,), [], [(place + 1 << 2 | 2, 1) for place in range(1_000)])
    with pytest.raises(Unreadable):
        mapping._value(2)
