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
    panics = [_panic(match, output.file) for match in _PANIC.finditer(output.text)]
    lost = next((panic for panic in panics if panic.origin is not Origin.MAIN), None)
    return Errors(fatal=_fatal(output, [panic for panic in panics if panic.origin is Origin.MAIN]), lost=lost)


def _fatal(output: Said, panics: list[ProgramError]) -> ProgramError | None:
    if output.exit_code == _PANICKED:
        return panics[-1] if panics else None
    if output.exit_code == _RETURNED and (match := _ERROR.search(output.text)):
        return ProgramError(kind=ErrorKind.RETURNED, message=match[1])
    if output.signal == signal.SIGABRT:
        if _FULL_STACK.search(output.text):
            return ProgramError(kind=ErrorKind.STACK)
        if match := _NO_MEMORY.search(output.text):
            return ProgramError(kind=ErrorKind.NO_MEMORY, message=match[1])
    return None


def _panic(match: re.Match[str], file: str) -> ProgramError:
    message = match["message"] or match["old_message"] or ""
    place, line = match["file"] or match["old_file"], match["line"] or match["old_line"]
    return ProgramError(
        kind=ErrorKind.PANIC,
        line=int(line) if place in (file, f"/program/{file}") else 0,
        message=message,
        origin=Origin.MAIN if match["thread"] == _MAIN else Origin.THREAD,
    )
