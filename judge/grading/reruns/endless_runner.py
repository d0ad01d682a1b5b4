"""Runs a Python program, and after a while looks whether its state repeats: then it never ends. Started in a jail:

    python3 FLAGS endless_runner.py STUDENTS_FILE RUN_MS MOST_MS PROGRAM ARGUMENTS...

How it works: after RUN_MS a timer's signal switches tracing on. At the next line of a statement the program's variables
are noted: of all calls and of the module, as plain values with what refers to what. Each time that the same call comes
to the same instruction they are compared. What holds more than plain values (a generator, an open file) cannot be told,
nor can what calls anything with a state of its own (clocks, chance, input that is still to come). A loop over an
iterator that was there before keeps its place where nobody sees it: a turn of such a loop ends the comparison. Calls
that returned in between leave nothing behind; those further out stand still.

The answer goes to a small file in the working folder, which the program could write as well: all that it can name there
is a line of its own source. Nothing of Tally can be imported here: the jail shows this one file.
"""

import _signal  # type: ignore[import-not-found]  # typeshed leaves it out; `signal` is the program's to import
import builtins
import codecs
import collections
import dis
import importlib.machinery
import io
import os
import struct
import sys
import time
import types
from typing import Any, NoReturn

_ANSWER = ".tally-states"
_MOST_OBJECTS = 20_000
_MOST_BITS = 1 << 20  # of one number
_OUTSIDE = ("signal", "threading", "ctypes", "multiprocessing")  # modules by which others take part
_SAFE_MODULES = frozenset(
    {"math", "heapq", "_heapq", "bisect", "_bisect", "collections", "itertools", "functools", "operator", "_operator"}
    | {"string", "typing", "sys", "copy"}
)
_SAFE_CALLS = frozenset({"math", "_heapq", "_bisect", "_operator"})  # modules whose functions only compute
_SAFE_BUILTINS = frozenset(
    {"abs", "all", "any", "ascii", "bin", "chr", "divmod", "format", "hex", "isinstance", "issubclass", "len", "max"}
    | {"min", "oct", "ord", "pow", "repr", "round", "sorted", "sum", "callable", "hasattr"}
)
_READS = frozenset({"read", "readline", "readlines", "input"})
_WRITES = frozenset({"write", "writelines", "flush", "print"})
_CHANGES_SET = frozenset({"add", "discard", "remove", "pop", "clear", "update"})
_IMMUTABLE = (int, bool, float, complex, str, bytes, type(None), type(Ellipsis), range)
_PLAIN = frozenset(
    {*_IMMUTABLE, list, tuple, dict, set, frozenset, bytearray, collections.deque, collections.defaultdict}
    | {collections.Counter, collections.OrderedDict}
)
_FUNCTIONS = (types.BuiltinFunctionType, types.MethodDescriptorType)
_AT_END, _UNKNOWN = -1, -2
_PREFIXES = (0, 2, 4, 6)  # bytes of those before an instruction with a large argument
_DECODES = {  # what is read from standard input
    function.__code__
    for name, function in vars(codecs.BufferedIncrementalDecoder).items()
    if type(function) is types.FunctionType and name != "__init__"
}
_GENERATORS = 0x20 | 0x80 | 0x200  # flags of code: generator, coroutine, asynchronous generator


class CannotTell(Exception):
    """The state has a part that is not compared."""


class Snapshot:
    """Plain values of a state, in an order that is the same for the same state."""

    def __init__(self, students_file: str) -> None:
        self._students_file = students_file
        self._numbers: dict[int, int] = {}
        self._kept: list[Any] = []  # so that no two of them have the same identity
        self.values: list[Any] = []
        self.has_set = False

    def add(self, value: Any) -> None:
        """Add a value with all that it refers to. Raises CannotTell."""
        waiting = [value]
        while waiting:
            value = waiting.pop()
            kind = type(value)
            self.values.append(kind)
            if kind in _IMMUTABLE:
                if kind is int and value.bit_length() > _MOST_BITS:
                    raise CannotTell
                self.values.append(repr(value) if kind in (float, complex) else value)
                continue
            if id(value) in self._numbers:
                self.values.append(self._numbers[id(value)])
                continue
            self._numbers[id(value)] = len(self._numbers)
            self._kept.append(value)
            if len(self._numbers) > _MOST_OBJECTS:
                raise CannotTell
            parts = self._parts(value, kind)
            self.values.append(len(parts))
            waiting += reversed(parts)

    def _parts(self, value: Any, kind: type) -> list[Any]:
        if kind in (list, tuple, collections.deque):
            return [*value, value.maxlen] if kind is collections.deque else [*value]
        if kind in (set, frozenset):
            self.has_set = self.has_set or kind is set
            self.values += [id(value), sys.getsizeof(value)]
            return [*value]
        if kind is bytearray:
            return [bytes(value)]
        if kind in _PLAIN:
            default = [value.default_factory] if kind is collections.defaultdict else []
            return [*default, *(part for pair in value.items() for part in pair)]
        if kind is types.ModuleType and value.__name__ in _SAFE_MODULES:
            return []
        if kind is types.FunctionType and value.__code__.co_filename == self._students_file:
            self.values.append(id(value.__code__))
            cells = [cell.cell_contents for cell in value.__closure__ or ()]
            return [value.__defaults__, value.__kwdefaults__, value.__dict__, cells]
        if isinstance(value, type) and value.__module__ != "__main__":
            self.values.append(id(value))
            return []
        if kind in _FUNCTIONS and is_known(value):
            self.values.append(id(value) if kind is not types.BuiltinFunctionType else value.__name__)
            return []
        raise CannotTell


def is_known(function: Any) -> bool:
    """Return whether a function of C only computes, or moves the standard streams."""
    owner = getattr(function, "__self__", None)
    if isinstance(owner, types.ModuleType):
        name = owner.__name__
        return name in _SAFE_CALLS or (name == "builtins" and function.__name__ in _SAFE_BUILTINS | {"print", "input"})
    if is_stream(owner):
        return function.__name__ in _READS | _WRITES
    return (type(owner) if not isinstance(owner, type) else owner) in _PLAIN


def is_stream(owner: Any) -> bool:
    """Return whether this is a standard stream, or the bytes below it."""
    texts = (sys.stdin, sys.stdout, sys.stderr)
    return any(owner is text or owner is getattr(text, "buffer", text) for text in texts)


def depths(code: types.CodeType) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Return how many values wait on the stack before each instruction, and the first and last of each `for` loop."""
    instructions = list(dis.get_instructions(code))
    places = {instruction.offset: number for number, instruction in enumerate(instructions)}
    known, waiting, loops = dict[int, int](), [(0, 0)], list[tuple[int, int]]()
    while waiting:
        number, depth = waiting.pop()
        while number < len(instructions) and instructions[number].offset not in known:
            instruction = instructions[number]
            known[instruction.offset] = depth
            opcode, argument = instruction.opcode, instruction.arg
            if opcode in dis.hasjrel:
                to = places[instruction.argval]
                if instruction.opname == "FOR_ITER":
                    loops.append((instruction.offset, instruction.argval))
                waiting.append((to, depth + dis.stack_effect(opcode, argument, jump=True)))
            if instruction.opname in ("RETURN_VALUE", "RAISE_VARARGS", "RERAISE") or (
                instruction.opname.startswith("JUMP_") and "IF" not in instruction.opname
            ):
                break
            depth += dis.stack_effect(opcode, argument if opcode >= dis.HAVE_ARGUMENT else None, jump=False)
            number += 1
    return known, loops


class Watch:
    """Compares the states of one run."""

    def __init__(self, students_file: str, most_ms: int) -> None:
        self._students_file = students_file
        self._most_s = most_ms / 1_000
        self._until = 0.0
        self._frame: types.FrameType | None = None  # whose lines are compared
        self._wanted: types.FrameType | None = None  # if another than the next one
        self._place = -1
        self._loops: set[int] = set()  # instructions that advance iterators which were there before
        self._first: list[Any] = []
        self._quick: list[tuple[str, Any]] = []
        self._input = 0  # how far it was read
        self._awaits_end = False  # `input` has failed: the next exception says why
        self._has_set = False
        self._depths: dict[types.CodeType, tuple[dict[int, int], list[tuple[int, int]]]] = {}
        self._visits = self._reads = self._writes = 0

    def begin(self, _number: int, frame: types.FrameType | None) -> None:
        """Switch tracing on, in the handler of the signal."""
        if any(name in sys.modules for name in _OUTSIDE) or len(sys._current_frames()) != 1:
            self.end(0)
        self._until = time.monotonic() + self._most_s
        while frame is not None:
            if frame.f_code.co_filename == self._students_file:
                frame.f_trace = self.trace
            frame = frame.f_back
        sys.settrace(self.trace)
        sys.setprofile(self.profile)

    def end(self, line: int) -> NoReturn:
        """Write what was seen, and leave at once; 0: nothing was seen."""
        if line:
            answer = struct.pack("=8s4Q", b"tstates1", line, self._visits, self._reads, self._writes)
            descriptor = os.open(_ANSWER, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(descriptor, answer)
        os._exit(0)

    def profile(self, frame: types.FrameType, event: str, function: Any) -> None:
        """Look at each call of a function of C."""
        if self._frame is None or frame.f_code in _DECODES:
            return
        if event == "c_exception" and getattr(function, "__name__", "") == "input":
            self._awaits_end = True
        if event != "c_call":
            return
        name, owner = function.__name__, getattr(function, "__self__", None)
        if not is_known(function) or (type(owner) is set and name in _CHANGES_SET):
            self._drop()
        elif name in _READS and (owner is builtins or is_stream(owner)):
            self._reads += 1
            if self._input != _AT_END:
                self._drop()
        elif name in _WRITES and (owner is builtins or is_stream(owner)):
            self._writes += 1

    def trace(self, frame: types.FrameType, event: str, value: Any) -> Any:
        """Look at each line of the student's file."""
        if frame.f_code.co_filename != self._students_file:
            if self._frame is not None and event == "call" and frame.f_code not in _DECODES:
                self._drop()
            return None
        if time.monotonic() > self._until:
            self.end(0)
        if event == "exception" and self._awaits_end:
            self._awaits_end = False
            if not issubclass(value[0], EOFError):
                self._drop()
        elif event == "return" and frame is self._frame:
            self._drop()
            self._wanted = frame.f_back
        elif event == "line":
            self._look(frame)
        return self.trace

    def _drop(self) -> None:
        self._frame = None

    def _look(self, frame: types.FrameType) -> None:
        if self._frame is None:
            if self._wanted in (None, frame) or self._wanted.f_code.co_filename != self._students_file:
                self._note(frame)
        elif frame is self._frame:
            if frame.f_lasti in self._loops:
                self._drop()
            elif frame.f_lasti == self._place:
                self._compare(frame)

    def _note(self, frame: types.FrameType) -> None:
        if frame.f_code not in self._depths:
            self._depths[frame.f_code] = depths(frame.f_code)
        known, loops = self._depths[frame.f_code]
        around = [begin for begin, end in loops if begin < frame.f_lasti < end]
        if known.get(frame.f_lasti, -1) != len(around):
            return  # in the middle of a statement
        self._visits = self._reads = self._writes = 0
        self._first, self._input = self._state(frame), input_place()
        self._quick = [(name, value) for name, value in frame.f_locals.items() if type(value) in _IMMUTABLE]
        self._frame, self._wanted, self._place, self._loops = (
            frame,
            None,
            frame.f_lasti,
            {begin - far for begin in around for far in _PREFIXES},
        )

    def _compare(self, frame: types.FrameType) -> None:
        self._visits += 1
        here = frame.f_locals
        if any(name not in here or here[name] != value for name, value in self._quick):
            return
        if self._state(frame) == self._first and input_place() == self._input != _UNKNOWN:
            self.end(frame.f_lineno)

    def _state(self, frame: types.FrameType) -> list[Any]:
        snapshot = Snapshot(self._students_file)
        at: types.FrameType | None = frame
        try:
            while at is not None and at.f_code.co_filename == self._students_file:
                if at.f_code.co_flags & _GENERATORS:
                    raise CannotTell
                for scope in (at.f_locals, at.f_globals):
                    snapshot.add({name: value for name, value in [*scope.items()] if not name.startswith("__")})
                at = at.f_back
        except (CannotTell, ValueError):  # an empty cell
            self.end(0)
        if snapshot.has_set and changes_sets_in_place(frame):
            self.end(0)
        return snapshot.values


def changes_sets_in_place(frame: types.FrameType) -> bool:
    """Return whether the program may change a set without a call: how a set lies in memory is not compared."""
    codes = [frame.f_code, *(value.__code__ for value in frame.f_globals.values() if type(value) is types.FunctionType)]
    while codes:
        code = codes.pop()
        for instruction in dis.get_instructions(code):
            if instruction.opname == "BINARY_OP" and instruction.argrepr in ("|=", "&=", "-=", "^="):
                return True
        codes += [value for value in code.co_consts if isinstance(value, types.CodeType)]
    return False


def input_place() -> int:
    """Return how far standard input, a file, was read: _AT_END when each further read gets nothing, _UNKNOWN else."""
    try:
        size = os.fstat(0).st_size
        place = sys.stdin.tell()
        buffer: Any = sys.stdin.buffer
        if os.lseek(0, 0, os.SEEK_CUR) >= size and not buffer.peek(1) and place == size:
            return _AT_END
        return place
    except (OSError, ValueError, AttributeError):
        return _UNKNOWN


def _run(students_file: str, run_ms: int, most_ms: int, program: str) -> None:
    with io.open_code(program) as file:
        code = compile(file.read(), program, "exec", dont_inherit=True)
    main = types.ModuleType("__main__")
    loader = importlib.machinery.SourceFileLoader("__main__", program)
    main.__dict__.update(
        __file__=program, __cached__=None, __builtins__=builtins, __annotations__={}, __loader__=loader
    )
    sys.modules["__main__"] = main
    sys.argv = sys.argv[4:]
    _signal.signal(_signal.SIGALRM, Watch(students_file, most_ms).begin)
    _signal.setitimer(_signal.ITIMER_REAL, run_ms / 1_000)
    exec(code, main.__dict__)  # noqa: S102 - this is what it is for


if __name__ == "__main__":
    _run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
