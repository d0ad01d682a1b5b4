"""`python -m sandbox.unwinding FILE < RECORDS`: the call chains of a sampled run of this program as JSON.

They come from the registers and the piece of stack that each sample has. A frame is an address in the program's file,
as the file itself uses it, before it is moved. The innermost is the address that was being executed; of the others it
is that of the call, one byte before where it returns to. Frames of libraries are followed and left out.
"""

import struct
import sys
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from sandbox.unwinding.mappings import AddressSpace, Files, Processes
from sandbox.unwinding.records import REGISTERS, Chains, Kind, Record, answer, records_in
from sandbox.unwinding.tables import RETURN, RSP, CannotUnwind, Row, Unwinder

_MOST_FRAMES = 256
_DWARF = {1: 3, 6: 6, 7: 7, 8: RETURN, **{number: number - 8 for number in range(16, 24)}}  # from the kernel's numbers
_HEAD = struct.Struct("=2I2Q")  # pid, tid, time, which kind of registers
_VALUES = struct.Struct(f"={len(REGISTERS)}Q")
_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class _Place:
    """The function and the unwinding row of one address of a process."""

    own: int | None  # its address in the program's file; None: it lies in another file, or in none
    row: Row | None  # None: no table has anything for it


class NativeFrames:
    """Collects the samples of one run. `own`: the program's file."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._files = Files(own)
        self._processes = Processes(self._files.wants)
        self._unwinders: dict[str, Unwinder] = {}
        self.chains: Chains = Counter()

    def take(self, records: Iterable[Record]) -> None:
        """Take in records in the order of their time."""
        for record in records:
            if record.kind == Kind.SAMPLE:
                self.chains[self._chain(record.body)] += 1
            else:
                self._processes.note(record)

    def _chain(self, body: bytes) -> tuple[tuple[int, ...], bool]:
        pid, _, _, kind = _HEAD.unpack_from(body)
        space = self._processes.of(pid)
        if not kind or space is None:
            return (), True
        values = _VALUES.unpack_from(body, _HEAD.size)
        registers = {_DWARF[number]: value for number, value in zip(REGISTERS, values, strict=True)}
        stack = _Stack(body, _HEAD.size + _VALUES.size, registers[RSP])
        frames: list[int] = []
        back = 0
        for _ in range(_MOST_FRAMES):
            address = registers[RETURN] - back
            place = space.cache.get(address)
            if not isinstance(place, _Place):
                place = space.cache[address] = self._looked_up(space, address)
            if place.own is not None:
                frames.append(place.own)
            if place.row is not None:
                if place.row.is_outermost:
                    return tuple(frames), False
                caller = place.row.caller(registers, stack.word)
            elif back == 0:
                # without a table and entered just now, as a linker's jump to a library is
                to = stack.word(registers[RSP])
                caller = None if to is None else {**registers, RSP: registers[RSP] + 8, RETURN: to}
            else:
                caller = None
            if caller is None or caller[RSP] <= registers[RSP]:
                return tuple(frames), True
            registers, back = caller, 1
        return tuple(frames), True

    def _looked_up(self, space: AddressSpace, address: int) -> _Place:
        part = space.part_at(address)
        file = self._files.get(part.name) if part is not None else None
        inside = file.address_of(part.offset + address - part.begin) if part is not None and file is not None else None
        if part is None or file is None or inside is None:
            return _Place(None, None)
        own = inside if part.name == self._own else None
        unwinder = self._unwinders.setdefault(part.name, Unwinder(file))
        try:
            row = unwinder.row(inside)
        except CannotUnwind:
            return _Place(own, None)
        return _Place(own, row)


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
        word: int = struct.unpack_from("=Q", self._body, self._at + place)[0]
        return word


def main() -> None:
    """Read all records, since those of several processors are not in the order of their time."""
    frames = NativeFrames(sys.argv[1])
    frames.take(sorted(records_in(sys.stdin.buffer), key=lambda record: record.time_ns))
    print(answer(frames.chains))


if __name__ == "__main__":
    main()
