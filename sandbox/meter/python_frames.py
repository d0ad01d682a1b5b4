"""Read from outside which lines a Python program executes: the kernel's samples do not show CPython 3.11's frames.

How it works: each sample of the CPU clock wakes the sampler (`sandbox.meter.sampler`). It reads from the memory of the
process (/proc/PID/mem) what CPython stores about the sampled thread: its state, its frames, their code objects, and the
line tables of these. Nothing is executed or changed in the program, so it can neither see nor bend the measurement. The
program continues while it is read, about 0.1 ms after the sample; this moment is as random as the sampled one. If a
frame changes meanwhile, its instruction lies outside its code, and the frame is read again. After three tries the
sample counts as one without a line.

What is read is the program's own memory, which it can fill as it likes. So there is a budget of bytes for each sample
and one of line tables for the whole run, no number grows beyond 32 bits, and of all file names only one is of interest:
another one is compared, never read to its end.

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

from sandbox.unwinding.mappings import Files, Processes, is_ours
from sandbox.unwinding.records import Chains, Kind, Record

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
_MOST_THREADS = 128
_MOST_BYTES_OF_SAMPLE = 1 << 18
_MOST_TABLE = 1 << 17
_MOST_TABLES = 1 << 20  # of one process together
_MOST_CODES = 4_096  # that are remembered of one process
_MOST_OPEN = 64  # processes
_MOST_BITS = 30  # of a number in a table, before its last six
_TRIES = 3


class UnreadableMemory(Exception):
    """Memory that makes no sense: it changed meanwhile, is not there yet, or is more than the budget allows."""


@dataclass(frozen=True, slots=True)
class _Code:
    """A code object. `lines`: of each of its units, 0 for none; (): it is not of the file of interest."""

    begin: int
    units: int
    first_line: int
    lines: tuple[int, ...]

    def line_at(self, instruction: int) -> int:
        """Return the line of an instruction; 0 in another file. Raises UnreadableMemory."""
        unit = (instruction - self.begin) // 2
        if not -1 <= unit < self.units:
            raise UnreadableMemory
        if not self.lines:
            return 0
        return (self.lines[unit] if unit >= 0 else 0) or self.first_line


class PythonFrames:
    """Collects the samples of one run, while it goes on. `file`: the one whose lines are named."""

    def __init__(self, file: str) -> None:
        self._file = file.encode()
        self._processes = Processes(lambda name: is_ours(name) and "python" in name.rpartition("/")[2])
        self._files = Files("")
        self._interpreters: dict[int, Interpreter] = {}
        self.chains: Chains = Counter()

    def take(self, records: Iterable[Record]) -> None:
        """Take in records just after they were made."""
        for record in records:
            if record.kind == Kind.SAMPLE:
                self.chains[self._stack(*struct.unpack_from("=2I", record.body))] += 1
            else:
                self._processes.note(record)
                if record.kind == Kind.COMM:
                    self._forget(struct.unpack_from("=I", record.body)[0])

    def close(self) -> None:
        """Let go of the processes' memory."""
        for pid in list(self._interpreters):
            self._forget(pid)

    def _forget(self, pid: int) -> None:
        interpreter = self._interpreters.pop(pid, None)
        if interpreter is not None:
            interpreter.close()

    def _stack(self, pid: int, thread: int) -> tuple[tuple[int, ...], bool]:
        interpreter = self._interpreters.get(pid) or self._opened(pid)
        if interpreter is None:
            return (), True
        self._interpreters[pid] = interpreter
        if len(self._interpreters) > _MOST_OPEN:
            self._forget(next(iter(self._interpreters)))  # the oldest has most likely ended
        for _ in range(_TRIES):
            with suppress(UnreadableMemory, OSError, struct.error):
                return interpreter.frames(thread)
        return (), True

    def _opened(self, pid: int) -> "Interpreter | None":
        """Return the interpreter that a process runs; None when it runs none that is understood."""
        space = self._processes.of(pid)
        for part in space.parts if space is not None else ():
            file = self._files.get(part.name)
            if file is None:
                continue
            loaded, runtime, version = (file.address_of(part.offset), *map(file.symbol, (_RUNTIME, _VERSION_SYMBOL)))
            if loaded is None or runtime is None or version is None:
                continue
            moved_by = part.begin - loaded
            with suppress(OSError, struct.error, UnreadableMemory):
                memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
                interpreter = Interpreter(pid, memory, runtime + moved_by, self._file)
                if interpreter.word(version + moved_by) & _VERSION_MASK == _VERSION:
                    return interpreter
                interpreter.close()
        return None


class Interpreter:
    """A process that runs CPython. `memory`: its open memory; `runtime`: where its state begins in it."""

    def __init__(self, pid: int, memory: int, runtime: int, file: bytes) -> None:
        self._pid = pid
        self._memory = memory
        self._runtime = runtime
        self._file = file
        self._codes: dict[int, tuple[tuple[int, ...], _Code]] = {}  # with the fields that they were read by
        self._left_bytes = _MOST_BYTES_OF_SAMPLE
        self._table_bytes = 0
        self._native_ids: dict[int, int] = {}  # by a thread's number on the host: that in the jail

    def close(self) -> None:
        """Close the memory."""
        os.close(self._memory)

    def word(self, address: int) -> int:
        """Return eight bytes of the memory. Raises UnreadableMemory, OSError, struct.error."""
        word: int = struct.unpack("=Q", self._read(address, 8))[0]
        return word

    def frames(self, thread: int) -> tuple[tuple[int, ...], bool]:
        """Return the lines where a thread is, innermost first, and whether outer ones are missing. Raises as `word`."""
        self._left_bytes = _MOST_BYTES_OF_SAMPLE
        frame = self.word(self._cframe(thread) + _CURRENT_FRAME)
        lines: list[int] = []
        codes: dict[int, _Code] = {}  # of this sample: in a recursion one stands there many times
        for _ in range(_MOST_FRAMES):
            if not frame:
                break
            address, previous, instruction = self._unpacked(_FRAME, frame)
            if address not in codes:
                codes[address] = self._code(address)
            if line := codes[address].line_at(instruction):
                lines.append(line)
            frame = previous
        return tuple(lines), bool(frame)

    def _read(self, address: int, size: int) -> bytes:
        if not 0 < address < 1 << 47:
            raise UnreadableMemory
        self._left_bytes -= size
        if self._left_bytes < 0:
            raise UnreadableMemory
        return os.pread(self._memory, size, address)

    def _cframe(self, thread: int) -> int:
        if thread not in self._native_ids:
            if len(self._native_ids) >= _MOST_CODES:
                self._native_ids.clear()
            status = Path(f"/proc/{self._pid}/task/{thread}/status").read_text()
            line = next(line for line in status.splitlines() if line.startswith("NSpid:"))
            self._native_ids[thread] = int(line.split()[-1])
        thread_id = self._native_ids[thread]
        state, cframes = self.word(self.word(self._runtime + _MAIN_INTERPRETER) + _THREADS), list[int]()
        while state and len(cframes) < _MOST_THREADS:
            state, cframe, native_id = self._unpacked(_THREAD, state)
            if native_id == thread_id:
                return cframe
            cframes.append(cframe)
        if len(cframes) == 1:  # 3.11 keeps the number of the parent's thread in a forked child
            return cframes[0]
        raise UnreadableMemory

    def _unpacked(self, layout: struct.Struct, address: int) -> tuple[int, ...]:
        return layout.unpack(self._read(address, layout.size))

    def _code(self, address: int) -> _Code:
        """Return what is known of a code object; another one may lie there since the last time."""
        head = units, first_line, name, table = self._unpacked(_CODE, address)
        cached = self._codes.get(address)
        if cached is None or cached[0] != head:
            size, kind = self._unpacked(_TEXT, name)
            is_plain = kind & _IS_PLAIN_ASCII == _IS_PLAIN_ASCII and size == len(self._file)
            is_of_file = is_plain and self._read(name + _TEXT.size, size) == self._file
            lines = self._lines(table, first_line, units) if is_of_file else ()
            if len(self._codes) >= _MOST_CODES:
                self._codes.clear()
            cached = self._codes[address] = head, _Code(address + _CODE.size, units, first_line, lines)
        return cached[1]

    def _lines(self, address: int, first_line: int, units: int) -> tuple[int, ...]:
        (size,) = self._unpacked(_BYTES, address)
        self._table_bytes += size
        if size > _MOST_TABLE or self._table_bytes > _MOST_TABLES:
            raise UnreadableMemory
        lines = tuple(lines_of(self._read(address + _BYTES.size, size), first_line))
        if len(lines) != units:
            raise UnreadableMemory
        return lines


def lines_of(table: bytes, first_line: int) -> Iterator[int]:
    """Yield the line of each unit of a code object from its table (PEP 626, CPython 3.11); 0 for no line. Raises
    UnreadableMemory for a number that no source has.
    """
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
        if not byte & 64:
            break
        shift += 6
        if shift > _MOST_BITS:
            raise UnreadableMemory
    return (-(value >> 1) if value & 1 else value >> 1), at
