"""The record of an explanation rule: everything that depends on the code of a finding alone.

Each file of a rule ends with its record, or its records where it makes several findings; `judge.grading.explain` has
them in order.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.wording import Said, Telling
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
    """What a finding is as the cause of a submission. The hint is English: whoever shows it translates it."""

    about: About
    reason: Reason
    hint: str  # what a teacher can tell whoever has it


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """Everything that depends on the code of a finding alone. No field has a default: a new rule answers each question.

    Which fixes answer it is in `judge.grading.fixes.catalogue`.
    """

    code: str
    find: Callable[[Facts], Finding | None] | None  # asked once, by the grading; None: that of another code finds it
    say: Callable[[Telling], Said]  # the sentences, made each time that the finding is shown
    cause: Cause | None  # None: it states numbers, and is never the cause
    is_about_case: bool  # it tells numbers of a test case, which may be hidden; False: of groups or nothing at most
    # The CPU time by line, and its growth, may still tell something. So it is beside calls that read (`tiny-reads`) or
    # ask for locks (`lock-storm`), too: samples show the lines that make them, and no other rerun does. False: the
    # program waited, or it wrote, which the buffered rerun and the line costs explain.
    leaves_time_open: bool
    explains: bool  # False: it repeats the verdict and its numbers, which is shown where no explanation is
