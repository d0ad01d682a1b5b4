"""The verdicts that contestants see, and how a sandbox outcome becomes one."""

from dataclasses import dataclass
from enum import StrEnum

from judge.grading.case_ending import TokenDifference
from problems.translation import gettext, gettext_noop
from sandbox.types import Ending, Outcome

_STILL_NOT_ACCEPTED = gettext_noop("It would still not be accepted.")


@dataclass(frozen=True, kw_only=True, slots=True)
class VerdictRecord:
    """Everything that depends on the verdict alone. The last two are sentences about the run with buffered output.

    The texts are English: whoever shows one translates it. No field has a default: a new verdict answers every question
    here. Its colours are in tokens.css and verdicts.css, under its letters (tests/judge/grading/test_verdicts.py).
    """

    letters: str  # the short name, which rows, JSON and style sheets use
    meaning: str  # the long name
    sentence: str  # what the contestant reads when no numbers say more
    severity: int  # of several verdicts in a group, "worst_error" of the legacy format takes the highest
    endings: frozenset[Ending]  # the ways a run ends that decide the verdict before any checker
    is_judged: bool  # the program was run and judged; False: no result counts
    is_stopped: bool  # a limit ended the run, so its numbers are lower bounds
    when_buffered: str  # the run with buffered output came to its end, with this verdict
    when_buffered_stopped: str  # the run with buffered output was ended, with this verdict


class Verdict(StrEnum):
    """A verdict by its letters; `record` has everything else."""

    record: VerdictRecord

    def __new__(cls, record: VerdictRecord | str) -> "Verdict":
        """Create a member whose value is its letters; `Verdict("AC")` finds it."""
        assert isinstance(record, VerdictRecord)
        member = str.__new__(cls, record.letters)
        member._value_, member.record = record.letters, record
        return member

    AC = VerdictRecord(
        letters="AC",
        meaning=gettext_noop("Accepted"),
        sentence=gettext_noop("Every test case gave the right answer within the limits."),
        severity=0,
        endings=frozenset(),
        is_judged=True,
        is_stopped=False,
        when_buffered=gettext_noop("With its output buffered, this test case would be accepted."),
        when_buffered_stopped="",
    )
    WA = VerdictRecord(
        letters="WA",
        meaning=gettext_noop("Wrong answer"),
        sentence=gettext_noop("The program ran to its end, but at least one answer is not the expected one."),
        severity=1,
        endings=frozenset(),
        is_judged=True,
        is_stopped=False,
        when_buffered=gettext_noop("Its answer would still be wrong."),
        when_buffered_stopped="",
    )
    TLE = VerdictRecord(
        letters="TLE",
        meaning=gettext_noop("Time limit exceeded"),
        sentence=gettext_noop("The program needed more time than the problem allows."),
        severity=4,
        endings=frozenset({Ending.CPU_LIMIT, Ending.WALL_LIMIT}),
        is_judged=True,
        is_stopped=True,
        when_buffered=gettext_noop("It would still be over the time limit."),
        when_buffered_stopped=gettext_noop(
            "It was run again with its output buffered and with more time, and did not come to "
            "its end: buffering its output is not enough."
        ),
    )
    MLE = VerdictRecord(
        letters="MLE",
        meaning=gettext_noop("Memory limit exceeded"),
        sentence=gettext_noop("The program needed more memory than the problem allows."),
        severity=5,
        endings=frozenset({Ending.MEMORY_LIMIT}),
        is_judged=True,
        is_stopped=True,
        when_buffered=_STILL_NOT_ACCEPTED,
        when_buffered_stopped=gettext_noop(
            "It was run again with its output buffered, and went over the memory limit, so no time is claimed."
        ),
    )
    OLE = VerdictRecord(
        letters="OLE",
        meaning=gettext_noop("Output limit exceeded"),
        sentence=gettext_noop("The program wrote more output than the problem allows, so it was stopped."),
        severity=3,
        endings=frozenset({Ending.OUTPUT_LIMIT}),
        is_judged=True,
        is_stopped=True,
        when_buffered=_STILL_NOT_ACCEPTED,
        when_buffered_stopped=gettext_noop(
            "It was run again with its output buffered, and went over the output limit, so no time is claimed."
        ),
    )
    SLE = VerdictRecord(
        letters="SLE",
        meaning=gettext_noop("System call limit exceeded"),
        sentence=gettext_noop(
            "The answers are right, but the program made more read or write calls than the problem allows."
        ),
        severity=2,
        endings=frozenset(),
        is_judged=True,
        is_stopped=False,
        when_buffered=gettext_noop("It would still make more calls than the problem allows."),
        when_buffered_stopped="",
    )
    RE = VerdictRecord(
        letters="RE",
        meaning=gettext_noop("Run-time error"),
        sentence=gettext_noop(
            "The program ended with an error of its own: a crash, an exception or an exit code that is not 0."
        ),
        severity=6,
        endings=frozenset({Ending.SIGNALLED}),
        is_judged=True,
        is_stopped=False,
        when_buffered=_STILL_NOT_ACCEPTED,
        when_buffered_stopped=gettext_noop(
            "It was run again with its output buffered, and ended with an error of its own: no time is claimed."
        ),
    )
    CE = VerdictRecord(
        letters="CE",
        meaning=gettext_noop("Compile error"),
        sentence=gettext_noop("The compiler did not accept the program, so nothing was run. Its messages say why."),
        severity=7,
        endings=frozenset(),
        is_judged=False,
        is_stopped=False,
        when_buffered="",
        when_buffered_stopped="",
    )
    JE = VerdictRecord(
        letters="JE",
        meaning=gettext_noop("Judge error"),
        sentence=gettext_noop("The judge failed, not your program. Nothing is lost and nothing counts against you."),
        severity=8,
        endings=frozenset(),
        is_judged=False,
        is_stopped=False,
        when_buffered=_STILL_NOT_ACCEPTED,
        when_buffered_stopped="",
    )

    @property
    def meaning(self) -> str:
        """The long name in the reader's language, e.g. "Time limit exceeded"."""
        return gettext(self.record.meaning)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """A checker's or interactor's word. `message` is for staff: it may quote hidden data.

    `team_message` is for the contestant, on samples only. `score` is the checker's (score.txt), None if it gave none;
    `multiplier` likewise (score_multiplier.txt of the format 2025-09: 0 to 1, of what the case can give). `difference`:
    of an output that the format's default validator rejects.
    """

    is_accepted: bool
    message: str = ""
    team_message: str = ""
    score: float | None = None
    multiplier: float | None = None
    difference: TokenDifference | None = None

    @property
    def is_full(self) -> bool:
        """Return whether the output is accepted, and not for a part of what it could get."""
        return self.is_accepted and self.score is None and self.multiplier in (None, 1)

    @property
    def verdict(self) -> Verdict:
        """Accepted or wrong answer."""
        return Verdict.AC if self.is_accepted else Verdict.WA


_BY_ENDING = {ending: verdict for verdict in Verdict for ending in verdict.record.endings}


def verdict_of_ending(outcome: Outcome) -> Verdict | None:
    """Return the verdict that the ending alone decides; None if the checker decides (a clean exit)."""
    if outcome.ending is Ending.EXITED:
        return None if outcome.exit_code == 0 else Verdict.RE
    return _BY_ENDING[outcome.ending]
