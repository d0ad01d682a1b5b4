"""How a case's run ended, as values that its row keeps: `judge.grading.ending_words` makes the sentences.

Of a case on hidden input it is `bounded`, since a program could say with its end what it read: docs/security.md counts
the bits that are left.
"""

import os
import re
import signal
from collections.abc import Callable, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.reading.program_errors import Errors, ProgramError, Said
from sandbox.types import Ending, Outcome

_TAIL_BYTES = 1 << 18  # of the error output: the deepest traceback of two functions that call each other has 80 KB
ErrorReader = Callable[[Said], Errors]
_INTEGER = re.compile(r"'(-?[0-9]{1,39})'")  # quoted, as a difference is
_SMALL = 1 << 16  # a wrong number below it may be so by chance: of 0 and 2**32 each is the other one wrapped around
SHOWN_SIGNALS = frozenset({"SIGSEGV", "SIGABRT", "SIGFPE", "SIGBUS", "SIGILL"})  # on hidden input


@dataclass(frozen=True, kw_only=True, slots=True)
class CallExcess:
    """More calls than the problem allows, "write" or "read". The numbers are None where they may not be told."""

    what: str
    made: int | None = None
    most: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TokenDifference:
    """The first token, from 1, that is not the expected one, both quoted; None: the end of the output."""

    number: int
    expected: str | None
    got: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Overflow:
    """The first wrong number, as one that did not fit into an integer of so many bits: it is the right one wrapped
    around; or it is the largest or least one there is, where the right one is beyond it.
    """

    bits: int
    is_wrapped: bool


def overflow_of(difference: TokenDifference) -> Overflow | None:
    """Return what a wrong number tells of the integer that it was in; None if it tells nothing."""
    expected, got = (_INTEGER.fullmatch(token or "") for token in (difference.expected, difference.got))
    if not expected or not got:
        return None
    right, wrong = int(expected[1]), int(got[1])
    for bits in (32, 64):
        half = 1 << bits - 1
        is_wrapped = wrong in (right % (2 * half), (right + half) % (2 * half) - half)
        if abs(wrong) >= _SMALL and is_wrapped:
            return Overflow(bits=bits, is_wrapped=True)
        if (wrong == half - 1 < right) or (wrong == -half > right):
            return Overflow(bits=bits, is_wrapped=False)
    return None


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseEnding:
    """How a run ended that is not accepted. `how`: None of a program that never ran, and where nobody knows.

    `exit_code` and `signal` (its name, or its number if it has none) are empty where they may not be told. `limit`: the
    one that ended it, of time in ms, else in bytes; `stream`: where too much output went. `error` is what the program
    itself said of its end, `lost` of the end of a part that it outlived. `line`: where in the student's source a signal
    ended it; 0: nobody knows. `is_output_right`: the checker accepts what it had printed. `overflow`: by the first
    wrong number. `refusal`: why the kernel does not start the program, in its words. `text`: the English of a row that
    no migration could read.
    """

    how: Ending | None
    exit_code: int | None = None
    signal: str = ""
    error: ProgramError | None = None
    lost: ProgramError | None = None
    line: int = 0
    is_output_right: bool = False
    limit: int = 0
    stream: str = ""
    calls: CallExcess | None = None
    difference: TokenDifference | None = None
    overflow: Overflow | None = None
    refusal: str = ""
    text: str = ""

    @property
    def place(self) -> int:
        """The line of the student's source where it ended; 0: nobody knows."""
        return self.error.line if self.error and self.error.line else self.line

    def bounded(self, known_errors: Set[str]) -> "CaseEnding":
        """Return what may be shown of a run on hidden input."""
        return replace(
            self,
            exit_code=0 if self.exit_code == 0 else None,
            signal=self.signal if self.signal in SHOWN_SIGNALS else "",
            error=self.error and self.error.bounded(known_errors),
            lost=self.lost and self.lost.bounded(known_errors),
            calls=self.calls and CallExcess(what=self.calls.what),
            difference=None,
            refusal="",
            text="",
        )


def end_of(outcome: Outcome) -> CaseEnding:
    """Return how any run ended, by the sandbox alone."""
    name = "" if outcome.signal is None else str(outcome.signal)
    with suppress(ValueError):
        name = signal.Signals(outcome.signal or 0).name
    return CaseEnding(
        how=outcome.ending, exit_code=outcome.exit_code, signal=name, limit=outcome.limit, stream=outcome.stream
    )


def ending_of(outcome: Outcome, stderr: Path, read: ErrorReader, source: bytes, file: str) -> CaseEnding:
    """Return how a run ended; `stderr` has its error output, which `read` reads; `file` is what the source is called
    there.

    Without a `file`, no line is the student's.
    """
    errors = Errors()
    if outcome.stderr_bytes:
        with stderr.open("rb") as written:
            written.seek(max(0, written.seek(0, os.SEEK_END) - _TAIL_BYTES))  # of several passes it is that of the last
            text = written.read(_TAIL_BYTES).decode("utf-8", "replace")
        errors = read(Said(text=text, file=file, exit_code=outcome.exit_code, signal=outcome.signal))
    lines = source.count(b"\n") + 1 if file else 0
    return replace(
        end_of(outcome),
        error=errors.fatal and errors.fatal.in_source(lines),
        lost=errors.lost and errors.lost.in_source(lines),
    )
