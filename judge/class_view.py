"""What a class ran into: why programs were too slow, how they wrote, and whom one hint would help.

Counted over judged submissions, by the database. The distributions and hints are of each student's last submission to
a problem: what was mended is no subject any more. Only these are read as rows.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.db.models import BigIntegerField, Count, Max, Q
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from judge.models.submissions import Submission, SubmissionQuerySet
from judge.verdicts import Verdict

MOST_SUBMISSIONS = 50_000  # to a problem, the newest ones: a page must come at once


class Reason(StrEnum):
    """Where the time of a program that was too slow went."""

    IO = "input and output"
    STEPS = "its own steps"
    WAITING = "waiting"
    MEMORY = "asking for memory"
    UNCLEAR = "not clear"


_REASONS = {
    "flush-per-line": Reason.IO,
    "unbuffered-stderr": Reason.IO,
    "tiny-reads": Reason.IO,
    "algorithm": Reason.STEPS,
    "waiting": Reason.WAITING,
    "taking-turns": Reason.WAITING,
    "allocation-storm": Reason.MEMORY,
}
HINTS: Mapping[str, str] = {
    "flush-per-line": "Gather the output: one flush at the end instead of one per line.",
    "unbuffered-stderr": "Take out the debugging prints to stderr: each piece of them is a system call.",
    "tiny-reads": "Read the input in large pieces, not byte by byte.",
    "call-limit": "The answer is right, in too many calls: gather the output, read in large pieces.",
    "leftover-output": "A print was left in: take it out.",
    "too-much-output": "It prints far more than the answer has: look at the loop that prints.",
    "algorithm": "Fewer steps are needed, not faster output: think about the algorithm.",
    "waiting": "The program waits most of the time: look at what it waits for.",
    "taking-turns": "The threads take turns instead of working side by side.",
    "allocation-storm": "Memory is asked for again and again: keep it and use it again.",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Sent:
    """One judged submission. The last two are of its decisive case, None where none was run."""

    submission: int
    student: str
    language: str
    verdict: str
    cause: str
    write_calls: int | None
    system_share: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Hint:
    """One hint and the students whose last program it would help."""

    cause: str
    text: str
    students: tuple[Sent, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassView:
    """One problem's class. `reasons` counts submissions that were too slow, of all that were sent."""

    is_all: bool  # not only the newest MOST_SUBMISSIONS
    submissions: int
    students: int
    solved: int
    reasons: Mapping[Reason, int]
    last: tuple[Sent, ...]  # each student's last one
    hints: tuple[Hint, ...]  # the one that helps most comes first

    @property
    def too_slow(self) -> int:
        """How many submissions exceeded the time limit."""
        return sum(self.reasons.values())


def look_at(submissions: SubmissionQuerySet) -> ClassView:
    """The class of one problem, from the judged submissions that were sent to it."""
    too_old = submissions.order_by("-pk").values_list("pk", flat=True)[MOST_SUBMISSIONS : MOST_SUBMISSIONS + 1]
    oldest_left_out = next(iter(too_old), None)
    if oldest_left_out is not None:
        submissions = submissions.filter(pk__gt=oldest_left_out)
    counts = submissions.order_by().values_list("verdict", "cause").annotate(Count("pk"))
    found: list[tuple[str, str, int]] = list(counts)
    students = _by_student(submissions)
    last = _last([key for key, _ in students])
    slow = Counter[Reason]()
    for verdict, cause, number in found:
        if verdict == Verdict.TLE:
            slow[_REASONS.get(cause, Reason.UNCLEAR)] += number
    return ClassView(
        is_all=oldest_left_out is None,
        submissions=sum(number for _, _, number in found),
        students=len(students),
        solved=sum(1 for _, accepted in students if accepted),
        reasons={reason: slow[reason] for reason in Reason},
        last=last,
        hints=_hints(last),
    )


def _by_student(submissions: SubmissionQuerySet) -> list[tuple[int, int]]:
    """For each student the last submission, and how many were accepted."""
    grouped = submissions.order_by().values("user")
    told = grouped.annotate(last=Max("pk"), accepted=Count("pk", filter=Q(verdict=Verdict.AC)))
    return list(told.values_list("last", "accepted"))


def _last(keys: Sequence[int]) -> tuple[Sent, ...]:
    evidence = "explanation__0__evidence__"
    rows = Submission.objects.filter(pk__in=keys).annotate(
        writes=Cast(KT(f"{evidence}write_calls"), BigIntegerField()),
        cpu=Cast(KT(f"{evidence}cpu_time_us"), BigIntegerField()),
        system=Cast(KT(f"{evidence}system_time_us"), BigIntegerField()),
    )
    names = ("pk", "user__username", "language", "verdict", "cause", "writes", "cpu", "system")
    return tuple(
        Sent(
            submission=key,
            student=student,
            language=language,
            verdict=verdict,
            cause=cause,
            write_calls=writes,
            system_share=system / cpu if cpu and system is not None else None,
        )
        for key, student, language, verdict, cause, writes, cpu, system in rows.order_by("pk").values_list(*names)
    )


def _hints(last: Sequence[Sent]) -> tuple[Hint, ...]:
    to_help: dict[str, list[Sent]] = {}
    for one in last:
        if one.verdict != Verdict.AC and one.cause in HINTS:
            to_help.setdefault(one.cause, []).append(one)
    hints = [
        Hint(cause=cause, text=HINTS[cause], students=tuple(sorted(those, key=lambda one: one.student)))
        for cause, those in to_help.items()
    ]
    return tuple(sorted(hints, key=lambda hint: -len(hint.students)))
