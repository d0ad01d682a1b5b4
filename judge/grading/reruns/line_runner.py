"""Runs a Python program as it would run by itself, and counts the writes of each of its lines. Started in a jail:

    python3 FLAGS line_runner.py STUDENTS_FILE PROGRAM ARGUMENTS...

How it works: the program gets streams, and files that it opens for writing, whose lowest layer notes before it returns
which line of the student's file called; os.write and its kin do too. That file is the program itself, or what a
program of the package's own imports. The counts go to a table like that of sandbox/native/preloads/lines.c, with line
numbers in the place of addresses, in a mapped file that outlives a kill. What the program says does not change: not its
traceback, nor its recursion limit.

Nothing of Tally can be imported here: the jail shows this one file.
"""

import _pyio  # type: ignore[import-not-found]  # typeshed leaves it out
import builtins
import importlib.machinery
import io
import mmap
import os
import sys
import types
from collections.abc import Callable
from contextlib import suppress
from typing import Any

_TABLE = ".tally-writes"
_MAGIC = b"twrites1"
_STACKS = 2_048
_HEADER_WORDS = 3
_WORDS = 30  # of an entry: its key, writes, bytes, two for sampling, state, 24 frames
_TAKEN = 1 << 32 | 1  # one frame, and it is there
_OWN_FRAMES = 3  # below the program's own


def _make_counter(students_file: str) -> Callable[[int], None]:
    """Return a function that a writing function calls, with the bytes that it wrote."""
    descriptor = os.open(_TABLE, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    size = 8 * (_HEADER_WORDS + _STACKS * _WORDS)
    os.ftruncate(descriptor, size)
    table = mmap.mmap(descriptor, size)
    os.close(descriptor)
    words = memoryview(table).cast("Q")
    frame_of = sys._getframe
    lines: dict[int, int] = {}

    def place(line: int) -> int:
        for probe in range(_STACKS):
            at = _HEADER_WORDS + (line + probe) % _STACKS * _WORDS
            if words[at] in (0, line):
                words[at], words[at + 6] = line, line
                words[at + 5] = _TAKEN
                lines[line] = at
                return at
        return 0

    def count(written: int) -> None:
        frame: types.FrameType | None = frame_of()  # there is none above it when the interpreter ends
        while frame is not None and frame.f_code.co_filename != students_file:
            frame = frame.f_back
        if frame is not None and (at := lines.get(frame.f_lineno) or place(frame.f_lineno)):
            words[at + 1] += 1
            words[at + 2] += written

    table[: len(_MAGIC)] = _MAGIC
    return count


def _counting_opener(count: Callable[[int], None]) -> Callable[..., Any]:
    """Return the same as `open`, with files whose writes are counted."""
    plain_write = io.FileIO.write

    class CountingFile(io.FileIO):
        def write(self, data: Any, /) -> int:
            written = plain_write(self, data)
            count(written or 0)
            return written

    parts = ("BufferedReader", "BufferedWriter", "BufferedRandom", "TextIOWrapper", "text_encoding")
    names = {**vars(_pyio), **{name: getattr(io, name) for name in parts}, "FileIO": CountingFile}
    original: Any = getattr(_pyio.open, "__wrapped__", _pyio.open)
    return types.FunctionType(original.__code__, names, "open", original.__defaults__)


def _replace_streams(opener: Callable[..., Any]) -> None:
    for name in ("stdout", "stderr"):
        old = getattr(sys, name)
        if old is None:
            continue
        raw = opener(old.fileno(), "wb", 0, closefd=False)
        raw.name = f"<{name}>"
        size = os.fstat(old.fileno()).st_blksize
        new = io.TextIOWrapper(
            io.BufferedWriter(raw, size if size > 1 else io.DEFAULT_BUFFER_SIZE),
            encoding=old.encoding,
            errors=old.errors,
            newline="\n",
            line_buffering=old.line_buffering,
            write_through=old.write_through,
        )
        new.mode = "w"  # type: ignore[misc]  # as the interpreter sets it
        setattr(sys, name, new)
        setattr(sys, f"__{name}__", new)


def _replace_calls(opener: Callable[..., Any], count: Callable[[int], None]) -> None:
    plain_open = builtins.open

    def open_counting(file: Any, mode: Any = "r", *options: Any, **named: Any) -> Any:
        if isinstance(mode, str) and not set("wax+").isdisjoint(mode):
            with suppress(Exception):
                return opener(file, mode, *options, **named)
        return plain_open(file, mode, *options, **named)  # it has its own words for what cannot be opened

    def counting(call: Callable[..., int]) -> Callable[..., int]:
        def write(*arguments: Any, **named: Any) -> int:
            written = call(*arguments, **named)
            count(written)
            return written

        return write

    builtins.open = io.open = open_counting
    for name in ("write", "writev", "pwrite", "pwritev"):
        setattr(os, name, counting(getattr(os, name)))


def _run(students_file: str, program: str) -> None:
    with io.open_code(program) as file:
        code = compile(file.read(), program, "exec", dont_inherit=True)
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __file__=program,
        __cached__=None,
        __builtins__=builtins,
        __annotations__={},
        __loader__=importlib.machinery.SourceFileLoader("__main__", program),
    )
    sys.modules["__main__"] = main
    sys.argv = sys.argv[2:]
    counter = _make_counter(students_file)
    opener = _counting_opener(counter)
    _replace_streams(opener)
    _replace_calls(opener, counter)
    sys.setrecursionlimit(sys.getrecursionlimit() + _OWN_FRAMES)
    try:
        exec(code, main.__dict__)  # noqa: S102 - this is what it is for
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is, the program ends with it
        cause: BaseException | None = error
        ids: set[int] = set()
        while cause is not None and id(cause) not in ids:
            ids.add(id(cause))
            cause.__traceback__ = _without_own(cause.__traceback__)
            cause = cause.__cause__ or cause.__context__
        sys.excepthook(type(error), error, error.__traceback__)
        sys.exit(1)


def _without_own(trace: types.TracebackType | None) -> types.TracebackType | None:
    """Return the traceback as it would be without this file."""
    frames = []
    while trace is not None:
        if trace.tb_frame.f_code.co_filename != __file__:
            frames.append(trace)
        trace = trace.tb_next
    for place, frame in enumerate(frames):
        frame.tb_next = frames[place + 1] if place + 1 < len(frames) else None
    return frames[0] if frames else None


if __name__ == "__main__":
    _run(sys.argv[1], sys.argv[2])
