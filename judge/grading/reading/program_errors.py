"""What a program says on stderr when it fails: the values that a reader hands back. The worker imports them.

Whatever the program wrote there is a claim of the program: a reader takes only what its exit code or its signal agrees
with, and of a hidden case only what `bounded` leaves may be shown.
"""

from collections.abc import Set
from dataclasses import dataclass, replace
from enum import StrEnum

MOST_LINE = 10**6
MOST_CHARACTERS = 240  # of a message and of a name


class ErrorKind(StrEnum):
    """What kind of error a program ended with, or lost a part of itself to."""

    EXCEPTION = "exception"  # that nothing caught
    PANIC = "panic"
    ASSERTION = "assertion"  # that did not hold
    TERMINATE = "terminate"  # C++'s std::terminate without an exception
    HEAP = "heap"  # the C library found what manages its memory damaged
    OVERRUN = "overrun"  # a check found an array written beyond its end
    STACK = "stack"  # it is full
    NO_MEMORY = "no-memory"  # a request for memory was refused
    RETURNED = "returned"  # Rust's `main` returned an error


class Origin(StrEnum):
    """The part of a program that an error ended. All but MAIN leave the program running."""

    MAIN = "main"
    THREAD = "thread"
    PROCESS = "process"
    TASK = "task"


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramError:
    """One error. `name`: the type of an exception, or what a panic is about, if it is known; "" if not.

    `line` is the one in the student's file that is nearest to the error; 0: none is named.
    """

    kind: ErrorKind
    name: str = ""
    line: int = 0
    message: str = ""
    origin: Origin = Origin.MAIN

    @property
    def words(self) -> str:
        """The program's own words: "KeyError: 5"; "" if there are none."""
        return ": ".join(part for part in (self.name if self.kind is ErrorKind.EXCEPTION else "", self.message) if part)

    def bounded(self, names: Set[str]) -> "ProgramError":
        """Return what may be shown of an error on hidden input: no words, and no name but one of those `known`."""
        return replace(self, name=self.name if self.name in names else "", message="")

    def in_source(self, lines: int) -> "ProgramError":
        """Return the error without a line that a source of so many lines does not have, and with short texts."""
        line = self.line if 1 <= self.line <= min(lines, MOST_LINE) else 0
        name = self.name if len(self.name) <= MOST_CHARACTERS else ""
        text = self.message.strip()
        message = text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}\N{HORIZONTAL ELLIPSIS}"
        return replace(self, line=line, name=name, message=message)


@dataclass(frozen=True, kw_only=True, slots=True)
class Said:
    """The end of a program's error output, the name of the student's file in it, and how the program ended."""

    text: str
    file: str
    exit_code: int | None
    signal: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Errors:
    """`fatal`: what ended the program; `lost`: the first that ended a part of it, which the rest outlived."""

    fatal: ProgramError | None = None
    lost: ProgramError | None = None
