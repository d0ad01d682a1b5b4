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


def read(said: Said) -> Errors:
    """Return the errors that a Rust program reports."""
    panics = [_panic(found, said.file) for found in _PANIC.finditer(said.text)]
    lost = next((panic for panic in panics if panic.origin is not Origin.MAIN), None)
    return Errors(fatal=_fatal(said, [panic for panic in panics if panic.origin is Origin.MAIN]), lost=lost)


def _fatal(said: Said, panics: list[ProgramError]) -> ProgramError | None:
    if said.exit_code == _PANICKED:
        return panics[-1] if panics else None
    if said.exit_code == _RETURNED and (found := _ERROR.search(said.text)):
        return ProgramError(kind=ErrorKind.RETURNED, message=found[1])
    if said.signal == signal.SIGABRT:
        if _FULL_STACK.search(said.text):
            return ProgramError(kind=ErrorKind.STACK)
        if found := _NO_MEMORY.search(said.text):
            return ProgramError(kind=ErrorKind.NO_MEMORY, message=found[1])
    return None


def _panic(found: re.Match[str], file: str) -> ProgramError:
    message = found["message"] or found["old_message"] or ""
    place, line = found["file"] or found["old_file"], found["line"] or found["old_line"]
    return ProgramError(
        kind=ErrorKind.PANIC,
        line=int(line) if place in (file, f"/program/{file}") else 0,
        message=message,
        origin=Origin.MAIN if found["thread"] == _MAIN else Origin.THREAD,
    )
