"""The call chains of compiled programs: from the registers and the piece of stack that each sample has.

A frame is a place in a file: the address that the file itself uses, before it is moved. The innermost is the address
that was being executed; of the others it is that of the call, one byte before where it returns to.
"""

import struct
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.meter.mappings import AddressSpace, Files, Processes
from sandbox.meter.perf import REGISTERS, Kind, Record
from sandbox.meter.unwinding import RETURN, RSP, Budget, CannotUnwind, Registers, Row, Unwinder
from sandbox.types import CodePlace, SampledStack

STACK_BYTES = 8 * 1024  # of each sample: chains deeper than this are cut
_MOST_FRAMES = 256
_DWARF = {1: 3, 6: 6, 7: 7, 8: RETURN, **{number: number - 8 for number in range(16, 24)}}  # from the kernel's numbers
_HEAD = struct.Struct("=2I2Q")  # pid, tid, time, which kind of registers
_VALUES = struct.Struct(f"={len(REGISTERS)}Q")
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class _Place:
    """What is known of one address of a process."""

    code: CodePlace | None  # None: it is in no file that can be read
    row: Row | None  # None: its table has nothing for it


class NativeFrames:
    """Collects the samples of one run. `own`: folders of the program in the jail, and where they are on the host."""

    def __init__(self, own: Mapping[str, Path]) -> None:
        self._processes = Processes()
        self._files = Files(own)
        self._unwinders: dict[str, Unwinder] = {}
        self._budget = Budget()
        self._stacks: Counter[tuple[tuple[CodePlace, ...], bool]] = Counter()

    def take(self, records: Iterable[Record]) -> None:
        """Take in records in the order of their time."""
        for record in records:
            if record.kind == Kind.SAMPLE:
                self._stacks[self._chain(record.body)] += 1
            else:
                self._processes.note(record)

    def stacks(self) -> tuple[SampledStack, ...]:
        """Return the chains, the most frequent first."""
        return tuple(
            SampledStack(frames=frames, samples=number, is_cut=is_cut)
            for (frames, is_cut), number in self._stacks.most_common()
        )

    def _chain(self, body: bytes) -> tuple[tuple[CodePlace, ...], bool]:
        pid, _, _, kind = _HEAD.unpack_from(body)
        space = self._processes.of(pid)
        if not kind or space is None:
            return (), True
        values = _VALUES.unpack_from(body, _HEAD.size)
        registers = {_DWARF[number]: value for number, value in zip(REGISTERS, values, strict=True)}
        return self._walk(space, registers, _Stack(body, _HEAD.size + _VALUES.size, registers[RSP]))

    def _walk(self, space: AddressSpace, registers: Registers, stack: "_Stack") -> tuple[tuple[CodePlace, ...], bool]:
        frames: list[CodePlace] = []
        back = 0
        while len(frames) < _MOST_FRAMES:
            address = registers[RETURN] - back
            place = self._place(space, address)
            if place.code is not None:
                frames.append(place.code)
            if place.row is not None:
                if place.row.is_outermost:
                    return tuple(frames), False
                caller = place.row.caller(registers, stack.word)
            elif back == 0:
                caller = _just_called(registers, stack)
            else:
                caller = None
            if caller is None or caller[RSP] <= registers[RSP]:
                return tuple(frames), True
            registers, back = caller, 1
        return tuple(frames), True

    def _place(self, space: AddressSpace, address: int) -> _Place:
        known = space.cache.get(address)
        if not isinstance(known, _Place):
            known = space.cache[address] = self._looked_up(space, address)
        return known

    def _looked_up(self, space: AddressSpace, address: int) -> _Place:
        part = space.find(address)
        file = self._files.get(part.name) if part is not None else None
        own = file.address_of(part.offset + address - part.begin) if part is not None and file is not None else None
        if part is None or file is None or own is None:
            return _Place(None, None)
        unwinder = self._unwinders.setdefault(part.name, Unwinder(file, self._budget))
        try:
            row = unwinder.row(own)
        except CannotUnwind:
            return _Place(CodePlace(part.name, own), None)
        return _Place(CodePlace(part.name, own), row)


class _Stack:
    """The copied piece of a stack."""

    def __init__(self, body: bytes, at: int, begin: int) -> None:
        (size,) = struct.unpack_from("=Q", body, at)
        self._at = at + 8
        self._body = body
        self._begin = begin
        self._size = struct.unpack_from("=Q", body, self._at + size)[0] if size else 0

    def word(self, address: int) -> int | None:
        """Return eight bytes of it; None for what was not copied."""
        place = (address - self._begin) & _MASK
        if place + 8 > self._size:
            return None
        found: int = struct.unpack_from("=Q", self._body, self._at + place)[0]
        return found


def _just_called(registers: Registers, stack: _Stack) -> Registers | None:
    """Return the caller of code without a table that was entered just now, as a linker's jump to a library is."""
    to = stack.word(registers[RSP])
    return None if to is None else {**registers, RSP: registers[RSP] + 8, RETURN: to}
