"""The time from submission to verdict, as a bar and its parts in words.

Who may not see the numbers of the hidden cases gets running, checking and counting as one part, of all cases together:
the counting alone is one run of one case. Rounded parts make up the whole, which else told what they are.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judge.grading.stages import TOTAL, Stage
from web.access.rounding import LEAST_TIME_US, Rounded, Rounding

_PROGRAM, _WAITING, _JUDGE = "user", "waiting", "system"  # the classes of the charts' colours
_WORDS = {
    Stage.QUEUE: (gettext_noop("Waiting for its turn"), _WAITING),
    Stage.COMPILE: (gettext_noop("Compiling"), _PROGRAM),
    Stage.RUN: (gettext_noop("Running the test cases"), _PROGRAM),
    Stage.CHECK: (gettext_noop("Checking the output"), _JUDGE),
    Stage.PROFILE: (gettext_noop("Counting system calls in one more run"), _JUDGE),
    Stage.EXPLAIN: (gettext_noop("Finding out what to say of it"), _JUDGE),
    Stage.WRITE: (gettext_noop("Writing the results down"), _JUDGE),
    Stage.PUSH: (gettext_noop("Telling this page"), _JUDGE),
    Stage.OTHER: (gettext_noop("Setting up and tidying up"), _JUDGE),
}
_CASES = (Stage.RUN, Stage.CHECK, Stage.PROFILE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """One part. `x` and `width` are per cent of the bar, `kind` is its colour class."""

    words: str
    kind: str
    us: int
    x: float
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Journey:
    """The total and its parts, in the order of the bar."""

    total_us: int
    parts: tuple[Part, ...]


def journey_of(
    stages: Mapping[str, int], rounding: Rounding, *, is_restricted: bool, makes_program: bool
) -> Journey | None:
    """Return the stages of a judged submission from its column `stages`; None if it was judged before they existed."""
    total_us = stages.get(TOTAL, 0)
    if not total_us:
        return None
    rounded = []
    for stage, (words, kind) in _WORDS.items():
        us = stages.get(stage, 0)
        if stage is Stage.PROFILE and not us:
            continue  # as today: the calls are counted after the verdict
        if stage is Stage.COMPILE and not makes_program:
            words = gettext_noop("Checking the syntax")
        if is_restricted and stage in _CASES:
            if stage is not Stage.RUN:
                continue
            words = gettext_noop("Running and checking the test cases")
            us = sum(stages.get(stage, 0) for stage in _CASES)
        rounded.append((_(words), kind, rounding.time_us(us)))
    if not rounding.is_exact:
        total_us = Rounded(max(LEAST_TIME_US, sum(us for _words, _kind, us in rounded)))
    parts, begun_us = [], 0
    for words, kind, us in rounded:
        x, width = (round(100 * part / total_us, 3) for part in (begun_us, us))
        parts.append(Part(words=words, kind=kind, us=us, x=x, width=width))
        begun_us += us
    return Journey(total_us=total_us, parts=tuple(parts))
