"""What the contestant is told, and how an outcome of the sandbox becomes it."""

from dataclasses import dataclass
from enum import StrEnum

from sandbox.types import Ending, Outcome


class Verdict(StrEnum):
    """A verdict by its short name; `meaning` is the long one."""

    AC = "AC"
    WA = "WA"
    TLE = "TLE"
    MLE = "MLE"
    OLE = "OLE"
    SLE = "SLE"
    RE = "RE"
    CE = "CE"
    JE = "JE"

    @property
    def meaning(self) -> str:
        """The words for people, e.g. "Time limit exceeded"."""
        return _MEANINGS[self]


_MEANINGS = {
    Verdict.AC: "Accepted",
    Verdict.WA: "Wrong answer",
    Verdict.TLE: "Time limit exceeded",
    Verdict.MLE: "Memory limit exceeded",
    Verdict.OLE: "Output limit exceeded",
    Verdict.SLE: "System call limit exceeded",
    Verdict.RE: "Run-time error",
    Verdict.CE: "Compile error",
    Verdict.JE: "Judge error",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """A checker's or interactor's word. `message` is for staff: it may quote hidden data.

    `team_message` is for the contestant, on samples only. `score` is the checker's (score.txt), None if it gave none;
    `multiplier` likewise (score_multiplier.txt of the format 2025-09: 0 to 1, of what the case can give).
    """

    is_accepted: bool
    message: str = ""
    team_message: str = ""
    score: float | None = None
    multiplier: float | None = None

    @property
    def verdict(self) -> Verdict:
        """Accepted or wrong answer."""
        return Verdict.AC if self.is_accepted else Verdict.WA


_BY_ENDING = {
    Ending.MEMORY_LIMIT: Verdict.MLE,
    Ending.CPU_LIMIT: Verdict.TLE,
    Ending.WALL_LIMIT: Verdict.TLE,
    Ending.OUTPUT_LIMIT: Verdict.OLE,
    Ending.SIGNALLED: Verdict.RE,
}


def verdict_of_ending(outcome: Outcome) -> Verdict | None:
    """The verdict that the ending alone decides; None when it is for the checker to say (a clean exit)."""
    if outcome.ending is Ending.EXITED:
        return None if outcome.exit_code == 0 else Verdict.RE
    return _BY_ENDING[outcome.ending]
