"""The cause of a submission: which of its findings is why it failed or was slow, and what a teacher reads of it.

`main_cause` decides it for every reader: the row keeps its answer, and the result page puts that finding first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from judge.grading.events import Finding
from judge.grading.verdicts import Verdict
from problems.translation import gettext_noop as _


class Reason(StrEnum):
    """Where a too slow program spent its time."""

    IO = _("input and output")
    STEPS = _("its own steps")
    WAITING = _("waiting")
    MEMORY = _("asking for memory")
    UNCLEAR = _("not clear")


class About(Enum):
    """What a cause explains."""

    ALL = auto()  # whatever else was found may follow from it
    TIME = auto()
    FAILURE = auto()  # a wrong output, or how the program ended


@dataclass(frozen=True, kw_only=True, slots=True)
class Cause:
    """A code of findings that can be a submission's cause. `hint`: what a teacher can tell whoever has it."""

    about: About
    reason: Reason
    hint: str


def _of_time(reason: Reason, hint: str) -> Cause:
    return Cause(about=About.TIME, reason=reason, hint=hint)


def _of_failure(reason: Reason, hint: str) -> Cause:
    return Cause(about=About.FAILURE, reason=reason, hint=hint)


def _of_all(reason: Reason, hint: str) -> Cause:
    return Cause(about=About.ALL, reason=reason, hint=hint)


CAUSES: Mapping[str, Cause] = {
    "lost-part": _of_all(
        Reason.WAITING, _("A thread or a process dies of an error, unnoticed: look at the error output.")
    ),
    "compiler-warning": _of_all(
        Reason.STEPS, _("The compiler warns of what goes wrong, such as a missing return: read its warnings.")
    ),
    "recursion-limit": _of_all(
        Reason.MEMORY, _("The recursion is deeper than Python allows: see that it ends, or use a loop.")
    ),
    "division": _of_failure(
        Reason.STEPS, _("An integer division has no result, mostly because the divisor is zero: look at the divisor.")
    ),
    "call-limit": _of_time(
        Reason.IO, _("The answer is right, in too many calls: gather the output, read in large pieces.")
    ),
    "flush-per-line": _of_time(Reason.IO, _("Gather the output: one flush at the end instead of one per line.")),
    "unbuffered-stderr": _of_time(
        Reason.IO, _("Take out the debugging prints to stderr: each piece of them is a system call.")
    ),
    "tiny-reads": _of_time(Reason.IO, _("Read the input in large pieces, not byte by byte.")),
    "allocation-storm": _of_time(Reason.MEMORY, _("Memory is asked for again and again: keep it and use it again.")),
    "waiting": _of_time(Reason.WAITING, _("The program waits most of the time: look at what it waits for.")),
    "taking-turns": _of_time(Reason.WAITING, _("The threads take turns instead of working side by side.")),
    "lock-storm": _of_time(
        Reason.WAITING, _("The threads ask for locks all the time: let each work on data of its own.")
    ),
    "conversation-over": _of_time(
        Reason.WAITING, _("The program waits although the conversation is over: let it end after its last line.")
    ),
    "slow-interactor": _of_time(
        Reason.WAITING, _("The judge's side computes most of the time, not the program: tell the staff.")
    ),
    "unflushed-question": _of_time(
        Reason.WAITING, _("A question probably stays in the program's own buffer: flush after each question.")
    ),
    "unread-answers": _of_time(
        Reason.WAITING, _("The program asks on without reading the answers: read each answer before the next question.")
    ),
    "may-never-end": _of_time(Reason.STEPS, _("The program may never end: look at what should end its loops.")),
    "slow-start": _of_time(
        Reason.STEPS, _("The time goes to the start, whatever the input: look at imports and tables.")
    ),
    "print-by-print": _of_time(
        Reason.IO, _("Each line is printed by a call of its own: gather the lines and print them once.")
    ),
    "line-by-line": _of_time(Reason.IO, _("Each line is read by a call of its own: read all of the input at once.")),
    "conversion": _of_time(
        Reason.IO, _("Values are turned into text and back one by one: make fewer, larger conversions.")
    ),
    "costly-container": _of_time(
        Reason.STEPS, _("A list is searched or moved as a whole in a loop: use a set, a map or a queue.")
    ),
    "copying": _of_time(
        Reason.STEPS, _("A text or a list is copied as a whole in a loop: append in place, or join once.")
    ),
    "costly-map": _of_time(
        Reason.STEPS, _("A map with integer keys is asked in a loop: an array may do, if the keys are small.")
    ),
    "branching-recursion": _of_time(
        Reason.STEPS, _("A recursion computes the same again and again: keep its results.")
    ),
    "deep-recursion": _of_time(
        Reason.MEMORY, _("A deep recursion costs memory at each level: use a loop with a stack of its own.")
    ),
    "stack-overflow": _of_failure(
        Reason.MEMORY, _("The recursion is too deep: see that it ends, or use a loop with its own stack.")
    ),
    "algorithm": _of_time(Reason.STEPS, _("Fewer steps are needed, not faster output: think about the algorithm.")),
    "fresh-memory": _of_time(
        Reason.MEMORY, _("Much memory is used for the first time: smaller tables, or one table used again.")
    ),
    "leftover-output": _of_failure(Reason.IO, _("A print was left in: take it out.")),
    "too-much-output": _of_failure(
        Reason.IO, _("It prints far more than the answer has: look at the loop that prints.")
    ),
}
OF_TIME = frozenset(code for code, cause in CAUSES.items() if cause.about is About.TIME)
_MOST_OF_IT = 50  # per cent of the time
_OF_ITS_TIME = frozenset({Verdict.AC, Verdict.TLE, Verdict.SLE})  # verdicts of programs whose output is right so far


def main_cause(findings: Sequence[Finding], verdict: Verdict) -> str:
    """Return the code of the finding that is the submission's cause; "" if none can be.

    First comes what all else may follow from; then what explains the verdict. Of several findings about the time it is
    the one that took most of it, if one took half; else the first one, in the order of the page.
    """
    order = (About.ALL, About.TIME, About.FAILURE)
    if verdict not in _OF_ITS_TIME:
        order = (About.ALL, About.FAILURE, About.TIME)
    shares = {finding.code: finding.evidence.get("weight_percent", 0) for finding in findings if finding.code in CAUSES}

    def place(code: str) -> tuple[int, int]:
        return order.index(CAUSES[code].about), -shares[code] if shares[code] >= _MOST_OF_IT else 0

    return min(shares, key=place, default="")
