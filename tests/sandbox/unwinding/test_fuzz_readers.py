"""Whatever a program leaves in its memory, its tables and its file, each decoder ends soon, with an answer or without.

The clock is a number of steps: bytes that are read, instructions of Python that are executed.
"""

import os
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given, strategies as st

from sandbox.meter import python_frames
from sandbox.meter.python_frames import Interpreter, UnreadableMemory
from sandbox.unwinding.__main__ import NativeFrames
from sandbox.unwinding.elf import ElfFile
from sandbox.unwinding.mappings import AddressSpace, Part
from sandbox.unwinding.records import Kind, Record, answer, records_in
from sandbox.unwinding.tables import CannotUnwind, Unwinder
from tests.fuzzing import examples

WORDS = 2_048  # of the memory: each leads back into it, or is a small or a large number
MOST_LINES = 400_000  # of Python code that one input may take
word = st.one_of(st.integers(0, 8 * WORDS - 1), st.integers(0, 300), st.integers(0, 2**64 - 1))


@contextmanager
def clock(most: int = MOST_LINES) -> Iterator[None]:
    """Count the lines of Python code that are executed meanwhile; too many fail."""
    left = most

    def count(_frame: FrameType, event: str, _argument: object) -> Callable[..., Any]:
        nonlocal left
        left -= event == "line"
        if left < 0:
            sys.settrace(None)
            pytest.fail(f"more than {most:,} lines were executed")
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        yield
    finally:
        sys.settrace(before)


@given(content=st.lists(word, min_size=64, max_size=WORDS), runtime=st.integers(1, 8 * WORDS))
@examples(60)
def test_any_memory_is_read_within_its_budget(
    content: list[int], runtime: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "memory"
    path.write_bytes(struct.pack(f"={len(content)}Q", *content))
    interpreter = Interpreter(os.getpid(), os.open(path, os.O_RDONLY), runtime, b"/program/main.py")
    try:
        for _ in range(3):
            with clock(), suppress(UnreadableMemory, OSError, struct.error):
                lines, _ = interpreter.frames(os.getpid())
                assert len(lines) <= python_frames._MOST_FRAMES
            assert interpreter._left_bytes >= -python_frames._MOST_TABLE
    finally:
        interpreter.close()


@given(table=st.binary(max_size=4_096) | st.binary(min_size=1, max_size=3).map(lambda piece: piece * 20_000))
def test_any_table_of_lines_takes_a_time_in_proportion(table: bytes) -> None:
    with clock(40 * len(table) + 1_000), suppress(UnreadableMemory):
        for _ in python_frames.lines_of(table, 1):
            pass


@given(
    st.lists(
        st.builds(
            Record,
            kind=st.sampled_from(Kind),
            flags=st.sampled_from([0, 1 << 13]),
            time_ns=st.integers(0, 2**64 - 1),
            body=st.binary(min_size=64, max_size=400),
        ),
        max_size=30,
    )
)
def test_any_records_are_chains(records: list[Record]) -> None:
    frames = NativeFrames("/program/main")
    with clock(), suppress(struct.error):
        frames.take(records)
    assert sum(frames.chains.values()) <= len(records)
    assert answer(frames.chains)


def test_a_file_of_records_is_read_back(tmp_path: Path) -> None:
    records = [Record(Kind.SAMPLE, 0, 5, b"x" * 90), Record(Kind.FORK, 1, 6, b"")]
    (tmp_path / "records").write_bytes(b"".join(record.packed() for record in records) + b"\1\2\3")
    with (tmp_path / "records").open("rb") as file:
        assert list(records_in(file)) == records


@given(st.binary(max_size=600), st.integers(0, 2**64 - 1))
def test_any_expression_of_a_table_ends(content: bytes, address: int) -> None:
    """As a table of a file: the head of an entry, then whatever bytes."""
    file = _File(b"\0" * 8 + struct.pack("<Ii", len(content) + 4, 8) + content)
    unwinder = Unwinder(file)
    with clock(), suppress(CannotUnwind):
        row = unwinder.row(address % 4_096)
        row.caller(dict.fromkeys(range(17), 8), lambda place: place)


class _File(ElfFile):
    """A file of which only the table matters."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def at(self, address: int, size: int) -> bytes:
        return self.content[address : address + size].ljust(size, b"\0") if size < 65_536 else b""

    def unwinding_entry(self, address: int) -> int | None:
        return 8


def test_a_storm_of_mappings_takes_a_time_in_proportion() -> None:
    space = AddressSpace()
    with clock(60 * 20_000):
        for number in range(20_000):
            begin = (number * 7_919) % 5_000 * 8_192
            space.add(Part(begin, begin + 4_096, 0, "/program/main"))
    assert len(space.parts) <= 4_096
    assert [part.begin for part in space.parts] == sorted(part.begin for part in space.parts)


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(1, 30)), max_size=40))
def test_a_mapping_takes_the_place_of_what_it_covers(mapped: list[tuple[int, int]]) -> None:
    space, owners = AddressSpace(), dict[int, int]()
    for number, (begin, size) in enumerate(mapped):
        space.add(Part(begin, begin + size, number, "/usr/lib/x"))
        covered = [
            owner for owner in set(owners.values()) if any(owners.get(at) == owner for at in range(begin, begin + size))
        ]
        owners = {at: owner for at, owner in owners.items() if owner not in covered}
        owners |= dict.fromkeys(range(begin, begin + size), number)
    for address in range(100):
        part = space.part_at(address)
        assert (None if part is None else part.offset) == owners.get(address)
