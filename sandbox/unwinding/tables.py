"""Follow a call chain through code that keeps no frame pointers, by the tables that compilers leave for exceptions.

How it works: a sample has the registers and the top of the stack. For the function at an address the table of its file
(.eh_frame) says how to compute the stack address that its caller had (the CFA), and where on the stack the caller's
registers and the return address lie. Applied again and again this gives the chain. So programs are sampled as they are
judged: the same optimisation, no frame pointers, and libraries that have none either.

Sources: DWARF 5, section 6.4; Linux Standard Base, Core, "Exception Frames". A table of a student's program is
untrusted: the reader's limits bound the work, and its expressions have no jumps.
"""

import bisect
import struct
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sandbox.unwinding.elf import ElfFile

RSP, RETURN = 7, 16  # DWARF's numbers of registers: rbx is 3, rbp 6, r8 and on are 8 and on
_MOST_BYTES_OF_ENTRY = 8_192
_MOST_BYTES_OF_EXPRESSION = 64
_MOST_BITS = 70  # of a number: ten bytes of seven
_WORD = (1 << 64) - 1
Read = Callable[[int], int | None]  # the word at an address of the stack; None: it was not copied
Registers = dict[int, int]
Rule = int | bytes | None  # where the caller's value lies, from the CFA; or an expression for that; None: it has none


class CannotUnwind(Exception):
    """The table has nothing for this address, or something that is not understood."""


@dataclass(frozen=True, slots=True)
class Row:
    """The rules that undo the call at some addresses of a function. `cfa`: register and offset, or an expression."""

    cfa: tuple[int, int] | bytes
    rules: dict[int, Rule]

    def caller(self, registers: Registers, read: Read) -> Registers | None:
        """Return the caller's registers; None when there is no caller, or its registers were not copied."""
        if isinstance(self.cfa, bytes):
            cfa = _evaluated(self.cfa, registers, read)
        else:
            base = registers.get(self.cfa[0])
            cfa = None if base is None else (base + self.cfa[1]) & _WORD
        if cfa is None or self.rules.get(RETURN, 0) is None:
            return None
        rules = dict(registers)
        rules[RSP] = cfa
        for register, rule in self.rules.items():
            at = cfa + rule if isinstance(rule, int) else _evaluated(rule or None, {**registers, -1: cfa}, read)
            value = read(at & _WORD) if at is not None else None
            if value is None:
                rules.pop(register, None)
            else:
                rules[register] = value
        return rules if RETURN in self.rules and RETURN in rules else None

    @property
    def is_outermost(self) -> bool:
        """Return whether the function has no caller: a thread begins with it."""
        return RETURN in self.rules and self.rules[RETURN] is None


class Unwinder:
    """The tables of one file."""

    def __init__(self, file: ElfFile) -> None:
        self._file = file
        self._entries: dict[int, list[tuple[int, int, Row]]] = {}  # by where they begin

    def row(self, address: int) -> Row:
        """Return how to undo the call at an address of the file. Raises CannotUnwind."""
        entry = self._file.unwinding_entry(address)
        if entry is None:
            raise CannotUnwind
        if entry not in self._entries:
            try:
                self._entries[entry] = _rows_of(self._file, entry)
            except (CannotUnwind, IndexError, struct.error):
                self._entries[entry] = []
        rows = self._entries[entry]
        place = bisect.bisect_right(rows, address, key=lambda row: row[0]) - 1
        if place < 0 or address >= rows[place][1]:
            raise CannotUnwind
        return rows[place][2]


class _Bytes:
    """A cursor over a part of a table. Reading past its end raises IndexError or struct.error."""

    def __init__(self, content: bytes, address: int) -> None:
        self.content = content
        self.at = 0
        self._address = address

    def number(self, layout: str) -> Any:
        (value,) = struct.unpack_from(layout, self.content, self.at)
        self.at += struct.calcsize(layout)
        return value

    def unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self.content[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value & _WORD
            if shift >= _MOST_BITS:
                raise CannotUnwind

    def signed(self) -> int:
        begin, value = self.at, self.unsigned()
        bits = 7 * (self.at - begin)
        return value - (1 << bits) if self.content[self.at - 1] & 0x40 else value

    def block(self) -> bytes:
        size = self.unsigned()
        if size > _MOST_BYTES_OF_EXPRESSION:
            raise CannotUnwind
        self.at += size
        return self.content[self.at - size : self.at]

    def pointer(self, encoding: int) -> int:
        """Read an encoded address: of four or eight bytes, plain or relative to its own place."""
        own = self._address + self.at
        layouts = {0x0: "<Q", 0x3: "<I", 0xB: "<i", 0x4: "<Q", 0xC: "<q"}
        if encoding & 0x0F not in layouts or encoding & 0x70 not in (0x00, 0x10):
            raise CannotUnwind
        value = int(self.number(layouts[encoding & 0x0F]))
        return (value + own if encoding & 0x70 else value) & _WORD


def _rows_of(file: ElfFile, entry: int) -> list[tuple[int, int, Row]]:
    """Return the rows of one entry (FDE) with what it shares with others (CIE)."""
    body, back = _entry_at(file, entry)
    shared, _ = _entry_at(file, entry + 4 - back)
    shared.number("<B")  # the version
    augmentation = shared.content[shared.at : shared.content.index(b"\0", shared.at)]
    shared.at += len(augmentation) + 1
    code_unit, data_unit = shared.unsigned(), shared.signed()
    shared.unsigned()  # the return address's register: 16
    encoding = 0
    if augmentation.startswith(b"z"):
        end = shared.unsigned() + shared.at
        for letter in augmentation[1:].decode("latin-1"):
            if letter == "R":
                encoding = int(shared.number("<B"))
            elif letter == "P":
                shared.pointer(int(shared.number("<B")) & 0x7F)
            elif letter == "L":
                shared.number("<B")
        shared.at = end
    elif augmentation:
        raise CannotUnwind
    function_begin = body.pointer(encoding)
    function_end = function_begin + body.pointer(encoding & 0x0F)
    if augmentation:
        body.block()
    machine = _Machine(function_begin, code_unit, data_unit)
    machine.run(shared, encoding)
    machine.initial = machine.row
    machine.run(body, encoding)
    return [*machine.done, (machine.at, function_end, machine.row)]


def _entry_at(file: ElfFile, address: int) -> tuple[_Bytes, int]:
    """Return the content of an entry and how far back what it shares begins; 0 for such a one itself."""
    head = file.at(address, 8)
    length, back = struct.unpack("<Ii", head)
    if not 4 <= length <= _MOST_BYTES_OF_ENTRY:
        raise CannotUnwind
    return _Bytes(file.at(address + 8, length - 4), address + 8), back


class _Machine:
    """Executes the instructions of an entry: they describe one row after the other."""

    def __init__(self, at: int, code_unit: int, data_unit: int) -> None:
        self.at = at
        self.row = Row((RSP, 8), {})
        self.initial = self.row
        self.done: list[tuple[int, int, Row]] = []
        self._kept: list[Row] = []
        self._code_unit = code_unit
        self._data_unit = data_unit

    def run(self, code: _Bytes, encoding: int) -> None:
        while code.at < len(code.content):
            byte = int(code.number("<B"))
            high, low = byte & 0xC0, byte & 0x3F
            if high == 0x40:
                self._move(self.at + low * self._code_unit)
            elif high == 0x80:
                self._rule(low, code.unsigned() * self._data_unit)
            elif high == 0xC0:
                self._restore(low)
            elif low in _ADVANCES:
                self._move(self.at + code.number(_ADVANCES[low]) * self._code_unit)
            elif low == 0x01:
                self._move(code.pointer(encoding))
            else:
                self._other(low, code)

    def _other(self, code: int, body: _Bytes) -> None:
        match code:
            case 0x00:
                pass
            case 0x05:
                self._rule(body.unsigned(), body.unsigned() * self._data_unit)
            case 0x06:
                self._restore(body.unsigned())
            case 0x07:
                self._rule(body.unsigned(), None)
            case 0x08:
                self._forget(body.unsigned())
            case 0x0A:
                self._kept.append(self.row)
            case 0x0B:
                self.row = self._kept.pop()
            case 0x0C:
                self._cfa(body.unsigned(), body.unsigned())
            case 0x0D:
                self._cfa(body.unsigned(), self._plain_cfa()[1])
            case 0x0E:
                self._cfa(self._plain_cfa()[0], body.unsigned())
            case 0x0F:
                self.row = replace(self.row, cfa=body.block())
            case 0x10:
                self._rule(body.unsigned(), body.block())
            case 0x11:
                self._rule(body.unsigned(), body.signed() * self._data_unit)
            case 0x12:
                self._cfa(body.unsigned(), body.signed() * self._data_unit)
            case 0x13:
                self._cfa(self._plain_cfa()[0], body.signed() * self._data_unit)
            case 0x2E:
                body.unsigned()  # the size of the arguments
            case _:
                raise CannotUnwind

    def _move(self, to: int) -> None:
        if to > self.at:
            self.done.append((self.at, to, self.row))
        self.at = to

    def _cfa(self, register: int, offset: int) -> None:
        self.row = replace(self.row, cfa=(register, offset))

    def _plain_cfa(self) -> tuple[int, int]:
        if isinstance(self.row.cfa, bytes):
            raise CannotUnwind
        return self.row.cfa

    def _rule(self, register: int, rule: Rule) -> None:
        if register > RETURN:
            return  # a vector's: it leads nowhere
        self.row = replace(self.row, rules={**self.row.rules, register: rule})

    def _forget(self, register: int) -> None:
        self.row = replace(self.row, rules={key: rule for key, rule in self.row.rules.items() if key != register})

    def _restore(self, register: int) -> None:
        self._forget(register)
        if register in self.initial.rules:
            self._rule(register, self.initial.rules[register])


_ADVANCES = {0x02: "<B", 0x03: "<H", 0x04: "<I"}


def _evaluated(expression: bytes | None, registers: Registers, read: Read) -> int | None:
    """Return the value of an expression; None when something of it is not known. Register -1 is the CFA."""
    if expression is None:
        return None
    stack = [registers[-1]] if -1 in registers else []
    code = _Bytes(expression, 0)
    try:
        while code.at < len(expression):
            if not _step(int(code.number("<B")), code, stack, registers, read):
                return None
        return stack[-1] & _WORD
    except (IndexError, struct.error):
        return None


def _step(operation: int, code: _Bytes, stack: list[int], registers: Registers, read: Read) -> bool:
    if 0x30 <= operation <= 0x4F:  # a small number
        stack.append(operation - 0x30)
    elif 0x70 <= operation <= 0x8F:  # a register and an offset
        offset = code.signed()
        if operation - 0x70 not in registers:
            return False
        stack.append((registers[operation - 0x70] + offset) & _WORD)
    elif operation in (0x08, 0x09):
        stack.append(code.number("<B" if operation == 0x08 else "<b"))
    elif operation == 0x06:  # what lies there
        value = read(stack.pop())
        if value is None:
            return False
        stack.append(value)
    elif operation == 0x23:
        stack.append(stack.pop() + code.unsigned())
    elif operation in _BINARY:
        b, a = stack.pop(), stack.pop()
        stack.append(_BINARY[operation](a, b) & _WORD)
    else:
        return False
    return True


_BINARY: dict[int, Callable[[int, int], int]] = {
    0x1A: lambda a, b: a & b,
    0x1C: lambda a, b: a - b,
    0x22: lambda a, b: a + b,
    0x24: lambda a, b: a << min(b, 64),
    0x2A: lambda a, b: int(a >= b),
}
