"""Read CPython's tracebacks: of the exception that ended the program, and of threads, processes and tasks.

The words are those of traceback.py, threading.py, multiprocessing/process.py, asyncio/futures.py and Modules/_thread.c
of CPython 3.11 to 3.14.
"""

import re
from collections import Counter

from judge.grading.reading.program_errors import ErrorKind, Errors, Origin, ProgramError, Said

_EXIT_CODE = 1  # of a program whose exception nothing caught
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


def read(output: Said) -> Errors:
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
    return Errors(fatal=own[-1] if own and output.exit_code == _EXIT_CODE else None, lost=lost)


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
