"""Read from outside which lines a Python program executes: the kernel's samples do not show CPython 3.11's frames.

How it works: each sample of the CPU clock wakes this thread of the host. The thread reads from the memory of the
process (/proc/PID/mem) what CPython stores about the sampled thread: its state, its frames, their code objects, and the
line tables of these. Nothing is executed or changed in the program, so it can neither see nor bend the measurement. The
program continues while it is read, about 0.1 ms after the sample; this moment is as random as the sampled one. If a
frame changes meanwhile, its instruction lies outside its code, and the frame is read again. After three tries the
sample counts as one without a line.

The layouts are those of CPython 3.11 for 64-bit machines (Include/cpython/pystate.h, cpython/code.h,
internal/pycore_frame.h); its version is read from the process. Source of the table: Objects/locations.md.
"""

import os
import struct
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.meter.mappings import Files, Processes
from sandbox.meter.perf import Kind, Record
from sandbox.types import CodePlace, SampledStack

_VERSION, _VERSION_MASK = 0x030B0000, 0xFFFF0000
_RUNTIME, _VERSION_SYMBOL = "_PyRuntime", "Py_Version"
_MAIN_INTERPRETER = 48  # in the runtime
_THREADS = 16  # in an interpreter
_THREAD = struct.Struct("=8xQ40xQ96xQ")  # next, cframe, native id
_CURRENT_FRAME = 8  # in a cframe
_FRAME = struct.Struct("=32xQ8xQQ")  # code, previous, instruction
_CODE = struct.Struct("=16xQ48xi36xQ16xQ40x")  # units, first line, file name, table of lines; then its instructions
_TEXT = struct.Struct("=16xQ8xI4x8x")  # characters, kind; then the text, if all of it is ASCII
_BYTES = struct.Struct("=16xQ8x")
_IS_PLAIN_ASCII = 0b1100000  # compact, ascii
_MOST_FRAMES = 128
_MOST_THREADS = 1_024
_MOST_TABLE = 1 << 20
_MOST_TABLES = 8 << 20  # of one process together
_MOST_OPEN = 64  # processes
_TRIES = 3


class _Moved(Exception):
    """What was read makes no sense: it changed meanwhile, or is not there yet."""


@dataclass(frozen=True, slots=True)
class _Code:
    """A code object. `lines`: of each of its units, 0 for none."""

    begin: int
    file: str
    first_line: int
    lines: tuple[int, ...]

    def place(self, instruction: int) -> CodePlace:
        unit = (instruction - self.begin) // 2
        if not -1 <= unit < len(self.lines):
            raise _Moved
        return CodePlace(self.file, (self.lines[unit] if unit >= 0 else 0) or self.first_line)


class PythonFrames:
    """Collects the samples of one run, while it goes on."""

    def __init__(self) -> None:
        self._mapped = Processes()
        self._files = Files({})
        self._interpreters: dict[int, _Interpreter] = {}
        self._stacks: Counter[tuple[tuple[CodePlace, ...], bool]] = Counter()

    def take(self, records: Iterable[Record]) -> None:
        """Take in records just after they were made."""
        for record in records:
            if record.kind == Kind.SAMPLE:
                pid, thread = struct.unpack_from("=2I", record.body)
                self._stacks[self._stack(pid, thread)] += 1
            else:
                self._mapped.note(record)
                if record.kind == Kind.COMM:
                    self._forget(struct.unpack_from("=I", record.body)[0])

    def stacks(self) -> tuple[SampledStack, ...]:
        """Return the chains, the most frequent first."""
        return tuple(
            SampledStack(frames=frames, samples=number, is_cut=is_cut)
            for (frames, is_cut), number in self._stacks.most_common()
        )

    def close(self) -> None:
        """Let go of the processes' memory."""
        for pid in list(self._interpreters):
            self._forget(pid)

    def _forget(self, pid: int) -> None:
        interpreter = self._interpreters.pop(pid, None)
        if interpreter is not None:
            interpreter.close()

    def _stack(self, pid: int, thread: int) -> tuple[tuple[CodePlace, ...], bool]:
        interpreter = self._interpreters.get(pid) or self._opened(pid)
        if interpreter is None:
            return (), True
        self._interpreters[pid] = interpreter
        if len(self._interpreters) > _MOST_OPEN:
            self._forget(next(iter(self._interpreters)))  # the oldest has most likely ended
        for _ in range(_TRIES):
            with suppress(_Moved, OSError, struct.error):
                return interpreter.frames(thread)
        return (), True

    def _opened(self, pid: int) -> "_Interpreter | None":
        """Return the interpreter that a process runs; None when it runs none that is understood."""
        space = self._mapped.of(pid)
        for part in space.parts if space is not None else ():
            if "python" not in part.name.rpartition("/")[2] or (file := self._files.get(part.name)) is None:
                continue
            loaded, runtime, version = (file.address_of(part.offset), *map(file.symbol, (_RUNTIME, _VERSION_SYMBOL)))
            if loaded is None or runtime is None or version is None:
                continue
            moved_by = part.begin - loaded
            with suppress(OSError, struct.error):
                interpreter = _Interpreter(pid, runtime + moved_by)
                if interpreter.word(version + moved_by) & _VERSION_MASK == _VERSION:
                    return interpreter
                interpreter.close()
        return None


class _Interpreter:
    """The memory of a process that runs CPython, until `close`."""

    def __init__(self, pid: int, runtime: int) -> None:
        self._pid = pid
        self._runtime = runtime
        self._memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        self._codes: dict[int, tuple[tuple[int, ...], _Code]] = {}  # with the fields that they were read by
        self._table_bytes = 0
        self._native_ids: dict[int, int] = {}  # by a thread's number on the host: that in the jail

    def close(self) -> None:
        os.close(self._memory)

    def word(self, address: int) -> int:
        found: int = struct.unpack("=Q", os.pread(self._memory, 8, address))[0]
        return found

    def frames(self, thread: int) -> tuple[tuple[CodePlace, ...], bool]:
        """Return where a thread is, innermost first, and whether outer frames are missing. Raises _Moved, OSError."""
        frame = self.word(self._cframe(thread) + _CURRENT_FRAME)
        found: list[CodePlace] = []
        codes: dict[int, _Code] = {}  # of this sample: in a recursion one stands there many times
        while frame and len(found) < _MOST_FRAMES:
            address, previous, instruction = self._unpacked(_FRAME, frame)
            if address not in codes:
                codes[address] = self._code(address)
            found.append(codes[address].place(instruction))
            frame = previous
        return tuple(found), bool(frame)

    def _cframe(self, thread: int) -> int:
        wanted = self._native_id(thread)
        states = list(self._threads())
        for cframe, native_id in states:
            if native_id == wanted:
                return cframe
        if len(states) == 1:  # 3.11 keeps the number of the parent's thread in a forked child
            return states[0][0]
        raise _Moved

    def _threads(self) -> Iterator[tuple[int, int]]:
        state = self.word(self.word(self._runtime + _MAIN_INTERPRETER) + _THREADS)
        for _ in range(_MOST_THREADS):
            if not state:
                return
            state, cframe, native_id = self._unpacked(_THREAD, state)
            yield cframe, native_id

    def _native_id(self, thread: int) -> int:
        if thread not in self._native_ids:
            status = Path(f"/proc/{self._pid}/task/{thread}/status").read_text()
            line = next(line for line in status.splitlines() if line.startswith("NSpid:"))
            self._native_ids[thread] = int(line.split()[-1])
        return self._native_ids[thread]

    def _unpacked(self, layout: struct.Struct, address: int) -> tuple[int, ...]:
        if not 0 < address < 1 << 47:
            raise _Moved
        return layout.unpack(os.pread(self._memory, layout.size, address))

    def _code(self, address: int) -> _Code:
        """Return what is known of a code object; another one may lie there since the last time."""
        head = units, first_line, name, table = self._unpacked(_CODE, address)
        known = self._codes.get(address)
        if known is None or known[0] != head:
            lines = tuple(lines_of(self._bytes(table), first_line))
            if len(lines) != units:
                raise _Moved
            known = self._codes[address] = head, _Code(address + _CODE.size, self._text(name), first_line, lines)
        return known[1]

    def _text(self, address: int) -> str:
        size, kind = self._unpacked(_TEXT, address)
        if kind & _IS_PLAIN_ASCII != _IS_PLAIN_ASCII or size > _MOST_TABLE:
            return ""  # no path of ours
        return os.pread(self._memory, size, address + _TEXT.size).decode("ascii", "replace")

    def _bytes(self, address: int) -> bytes:
        (size,) = self._unpacked(_BYTES, address)
        if size > _MOST_TABLE or self._table_bytes > _MOST_TABLES:
            raise _Moved
        self._table_bytes += size
        return os.pread(self._memory, size, address + _BYTES.size)


def lines_of(table: bytes, first_line: int) -> Iterator[int]:
    """Return the line of each unit of a code object from its table (PEP 626, CPython 3.11); 0 for no line."""
    line, at = first_line, 0
    while at < len(table):
        head = table[at]
        at += 1
        kind, units = head >> 3 & 15, (head & 7) + 1
        if kind in (13, 14):
            change, at = _signed(table, at)
            line += change
        elif 10 <= kind <= 12:
            line += kind - 10
        while at < len(table) and not table[at] & 0x80:  # columns, up to the next entry
            at += 1
        yield from [0 if kind == 15 else line] * units


def _signed(table: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(table):
        byte = table[at]
        at += 1
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64:
            break
    return (-(value >> 1) if value & 1 else value >> 1), at
