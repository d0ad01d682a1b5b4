"""`python -m judge.grading.reading.stderr LANGUAGE FILE EXIT SIGNAL < STDERR`: the errors that it reports, as JSON.

FILE: what the student's source is called there, "" if no line is the student's. EXIT, SIGNAL: how the program ended;
"-": not so. The answer: {"fatal", "lost"}, each the values of a `ProgramError` or null.
"""

import json
import re
import signal
import sys
from collections import Counter
from dataclasses import asdict, replace

from judge.grading.reading.program_errors import MOST_CHARACTERS, ErrorKind, Errors, Origin, ProgramError, Said

# Python: the words are those of traceback.py, threading.py, multiprocessing/process.py, asyncio/futures.py and
# Modules/_thread.c of CPython 3.11 to 3.14.
_UNCAUGHT = 1  # the exit code of a program whose exception nothing caught
_RECURSION = "RecursionError"
_TRACEBACK = re.compile(
    r"^Traceback \(most recent call last\):\n(?P<frames>(?:[ \t].*\n)*)(?P<name>[^\W\d][\w.<>]*)(?::(?P<message>.*))?$",
    re.MULTILINE,
)
_GROUP_HEAD, _GROUP_MARGIN = "  + Exception Group Traceback", re.compile(r"^  \| ", re.MULTILINE)
_REPEATED = re.compile(r"  \[Previous line repeated (\d{1,7}) more times?\]")
_CHAINED = re.compile(r"(?:During handling of|The above exception was) .*:\n\n\Z")
_BEFORE = 2_000  # characters in which a traceback is introduced
_INTRODUCED = (
    (re.compile(r"^Exception in thread .*:\n\Z", re.MULTILINE), Origin.THREAD),
    (re.compile(r"^Exception ignored in thread started by.*\n\Z", re.MULTILINE), Origin.THREAD),
    (re.compile(r"^Process .*:\n\Z", re.MULTILINE), Origin.PROCESS),
    (re.compile(r"^(?:Task|Future) exception was never retrieved\n(?:future|task): .*\n\Z", re.MULTILINE), Origin.TASK),
    (re.compile(r"^Exception ignored .*\n\Z", re.MULTILINE), None),  # in a destructor, for one: nothing ended
)

# C++: the words are those of libstdc++ (libsupc++/vterminate.cc, pure.cc), of assert(3), and of glibc
# (malloc/malloc.c, debug/stack_chk_fail.c). None of them tells the line of a throw.
_ABORTED = re.compile(
    r"^(?:"
    r"terminate called after throwing an instance of '(?P<name>.+)'(?:\n  what\(\):  (?P<what>.*))?"
    r"|(?P<terminate>terminate called (?:without an active exception|recursively)|pure virtual method called)"
    r"|(?:[^\s:]+: )?(?P<file>\S[^:\n]*):(?P<line>\d{1,7}): .*?(?P<assertion>Assertion [`'].*' failed\.)"
    r"|(?P<heap>(?:free|malloc|realloc|calloc|aligned_alloc|munmap_chunk|malloc_consolidate|mremap_chunk)\(\): .+"
    r"|double free or corruption.*|corrupted (?:size|double-linked).*)"
    r"|\*{3} (?P<overrun>(?:stack smashing|buffer overflow) detected) \*{3}.*"
    r")$",
    re.MULTILINE,
)
_STRING = re.compile(r"^std::(?:__cxx11::)?basic_string<char, .*>$")
_STREAM_FAILURE = "std::__ios_failure"
_INLINE_NAMESPACE = "__cxx11::"

# Rust: the words are those of library/std/src/panicking.rs. Since Rust 1.73 the message has a line of its own, before
# it stood in quotes; since 1.91 the thread's number follows its name.
_PANICKED, _RETURNED = 101, 1  # exit codes: of a panic in the main thread, of an error that `main` returned
_MAIN = "main"
_PANIC = re.compile(
    r"^thread '(?P<thread>[^'\n]*)'(?: \(\d+\))? panicked at "
    r"(?:(?P<file>[^\s':]+):(?P<line>\d{1,7}):\d+:\n(?P<message>.*)"
    r"|'(?P<old_message>(?s:.{0,300}?))', (?P<old_file>[^\s':]+):(?P<old_line>\d{1,7}):\d+)$",
    re.MULTILINE,
)
_FULL_STACK = re.compile(r"^thread '[^'\n]*'(?: \(\d+\))? has overflowed its stack$", re.MULTILINE)
_NO_MEMORY = re.compile(r"^(memory allocation of \d+ bytes failed)", re.MULTILINE)
_ERROR = re.compile(r"^Error: (.*)\n?\Z", re.MULTILINE)


def main() -> None:
    """Answer."""
    language, file, exit_code, number = sys.argv[1:]
    text = sys.stdin.buffer.read().decode("utf-8", "replace")
    errors = READERS[language](Said(text=text, file=file, exit_code=_number(exit_code), signal=_number(number)))
    json.dump({"fatal": _values(errors.fatal), "lost": _values(errors.lost)}, sys.stdout)


def _number(text: str) -> int | None:
    return None if text == "-" else int(text)


def _values(error: ProgramError | None) -> dict[str, object] | None:
    if error is None:
        return None
    most = MOST_CHARACTERS + 1  # so that the worker sees which text it has to cut
    return asdict(replace(error, name=error.name[:most], message=error.message.strip()[:most]))


def read_python(output: Said) -> Errors:
    """Return the errors that a Python program reports."""
    text = output.text
    if _GROUP_HEAD in text:
        text = _GROUP_MARGIN.sub("", text.replace(_GROUP_HEAD, "Traceback"))
    errors = []
    origin: Origin | None = Origin.MAIN
    for block in _TRACEBACK.finditer(text):
        before = text[max(0, block.start() - _BEFORE) : block.start()]
        if not _CHAINED.search(before):
            origin = next((kind for words, kind in _INTRODUCED if words.search(before)), Origin.MAIN)
        if origin is not None:
            name, message = block["name"], (block["message"] or "").strip()
            line = _line(block["frames"], output.file, is_recursion=name == _RECURSION)
            errors.append(ProgramError(kind=ErrorKind.EXCEPTION, name=name, line=line, message=message, origin=origin))
    own = [error for error in errors if error.origin is Origin.MAIN]
    lost = next((error for error in errors if error.origin is not Origin.MAIN), None)
    return Errors(fatal=own[-1] if own and output.exit_code == _UNCAUGHT else None, lost=lost)


def _line(frames: str, file: str, *, is_recursion: bool) -> int:
    """Return the student's line that is nearest to the error; of a recursion the one that most calls are at."""
    place = re.compile(rf'  File "(?:/program/)?{re.escape(file)}", line (\d{{1,7}})(?:,|$)')
    met: Counter[int] = Counter()
    line = 0
    for text in frames.splitlines():
        if frame := place.match(text):
            line = int(frame[1])
            met[line] += 1
        elif line and (repeated := _REPEATED.match(text)):
            met[line] += int(repeated[1])
    return met.most_common(1)[0][0] if is_recursion and met else line


def read_cpp(output: Said) -> Errors:
    """Return the error that ended a C++ program: the last one, if it aborted."""
    matches = list(_ABORTED.finditer(output.text)) if output.signal == signal.SIGABRT else []
    if not matches:
        return Errors()
    match = matches[-1]
    if match["name"]:
        name, what = _STRING.sub("std::string", match["name"]), match["what"] or ""
        name = "std::ios_base::failure" if name == _STREAM_FAILURE else name.replace(_INLINE_NAMESPACE, "")
        return Errors(fatal=ProgramError(kind=ErrorKind.EXCEPTION, name=name, message="" if what == name else what))
    if match["terminate"]:
        return Errors(fatal=ProgramError(kind=ErrorKind.TERMINATE, message=match["terminate"]))
    if match["assertion"]:
        is_own = match["file"] in (output.file, f"/program/{output.file}")
        line = int(match["line"]) if is_own else 0
        return Errors(fatal=ProgramError(kind=ErrorKind.ASSERTION, line=line, message=match["assertion"]))
    if match["heap"]:
        return Errors(fatal=ProgramError(kind=ErrorKind.HEAP, message=match["heap"]))
    return Errors(fatal=ProgramError(kind=ErrorKind.OVERRUN, message=match["overrun"]))


def read_rust(output: Said) -> Errors:
    """Return the errors that a Rust program reports."""
    panics = []
    for words in _PANIC.finditer(output.text):
        place, line = words["file"] or words["old_file"], words["line"] or words["old_line"]
        panic = ProgramError(
            kind=ErrorKind.PANIC,
            line=int(line) if place in (output.file, f"/program/{output.file}") else 0,
            message=words["message"] or words["old_message"] or "",
            origin=Origin.MAIN if words["thread"] == _MAIN else Origin.THREAD,
        )
        panics.append(panic)
    lost = next((panic for panic in panics if panic.origin is not Origin.MAIN), None)
    fatal = None
    if output.exit_code == _PANICKED:
        fatal = next((panic for panic in reversed(panics) if panic.origin is Origin.MAIN), None)
    elif output.exit_code == _RETURNED and (match := _ERROR.search(output.text)):
        fatal = ProgramError(kind=ErrorKind.RETURNED, message=match[1])
    elif output.signal == signal.SIGABRT and _FULL_STACK.search(output.text):
        fatal = ProgramError(kind=ErrorKind.STACK)
    elif output.signal == signal.SIGABRT and (match := _NO_MEMORY.search(output.text)):
        fatal = ProgramError(kind=ErrorKind.NO_MEMORY, message=match[1])
    return Errors(fatal=fatal, lost=lost)


READERS = {"python": read_python, "cpp": read_cpp, "rust": read_rust}

if __name__ == "__main__":
    main()
