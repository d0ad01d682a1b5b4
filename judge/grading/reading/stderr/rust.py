"""Read a Rust program's panics, and what else its runtime says before it ends.

The words are those of library/std/src/panicking.rs: since Rust 1.73 the message has a line of its own, before it stood
in quotes; since 1.91 the thread's number follows its name.
"""

import re
import signal

from judge.grading.reading.program_errors import ErrorKind, Errors, Origin, ProgramError, Said

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


def read(output: Said) -> Errors:
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
