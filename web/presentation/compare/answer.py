"""The headline of repeated runs: "A is faster than B: yes, no, cannot tell", by the one rule of what differs.

It is about CPU time, which the time limit is for; where the clock says something else, that is added.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from judge.grading.sameness import LEAST_RATIO, Difference
from judge.grading.verdicts import Verdict
from web.presentation.compare.repeated_change import Runs, has_crashed, is_stopped, values_of
from web.presentation.experiments.metrics import between_ends
from web.presentation.experiments.visibility import RunVisibility, has_bound, seen_difference
from web.presentation.rounding import significant
from web.presentation.units import count

_CPU, _WALL = "cpu_time_us", "wall_time_us"
_TITLES = {
    "yes": gettext_noop("%(first)s is faster than %(other)s: yes."),
    "no": gettext_noop("%(first)s is faster than %(other)s: no."),
    "untold": gettext_noop("%(first)s is faster than %(other)s: cannot tell."),
}
_LARGER = gettext_noop("A larger test case or more rounds would tell more.")
_OTHER_CASE = gettext_noop("Choose a test case on which both do their work.")
_SMALLER = gettext_noop("A smaller test case, on which both come to their end, would tell more.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Whether the first of two is faster. `outcome`: "yes", "no" or "untold"; `why`: sentences with the ratio."""

    outcome: str
    title: str
    why: str


def answers(letters: Sequence[str], by_side: Sequence[Runs], visibility: RunVisibility) -> list[Answer]:
    """Return for each side but the first whether the first is faster than it. Runs are as the reader sees them."""
    return [
        _Pair(first=letters[0], other=letter, firsts=by_side[0], others=runs, visibility=visibility).answer()
        for letter, runs in zip(letters[1:], by_side[1:], strict=True)
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Pair:
    """Two sides. Ratios are how many times as much the other takes."""

    first: str
    other: str
    firsts: Runs
    others: Runs
    visibility: RunVisibility

    def answer(self) -> Answer:
        """Return the answer; the sentences follow from how the runs ended, then from the interval of the ratio."""
        if not self.firsts or not self.others:
            missing = self.other if self.firsts else self.first
            return self._told("untold", _("%(side)s was not run: it did not compile.") % {"side": missing})
        for side, runs in ((self.first, self.firsts), (self.other, self.others)):
            if has_crashed(runs):
                words = _("%(side)s ended with an error there, so the time that it took says nothing.")
                return self._told("untold", words % {"side": side}, _(_OTHER_CASE))
        found = self._difference(_CPU)
        if is_stopped(self.firsts) or is_stopped(self.others):
            return self._of_stopped(found)
        if not found.is_told:
            return self._without_difference(found)
        if not found.ratio:
            return self._told("untold", _("One of the two took no time that can be measured."), _(_LARGER))
        slow, quick = (self.other, self.first) if found.ratio > 1 else (self.first, self.other)
        words = _("%(slow)s takes %(ratio)s times the CPU time of %(quick)s (%(interval)s).")
        ratio = {"slow": slow, "quick": quick, "ratio": _times(found.ratio), "interval": _interval(found)}
        outcome = "yes" if found.ratio > 1 else "no"
        return self._told(outcome, words % ratio, self._runs, self._work(), self._clock())

    def _without_difference(self, found: Difference) -> Answer:
        """Neither is faster, or that cannot be told."""
        values = [*values_of(self.firsts, _CPU), *values_of(self.others, _CPU)]
        if has_bound(values):
            words = _("On this hidden test case no more is shown than that the CPU time is small.")
            return self._told("untold", words, _(_LARGER))
        if self.visibility.is_rounded and len(set(values)) == 1:
            words = _("To the two digits that are shown of a hidden test case, the CPU times are the same.")
            return self._told("untold", words, self._runs)
        if found.is_alike:
            words = _(
                "Neither is faster: they differ by less than %(share)s %%, since %(other)s takes %(interval)s times "
                "the CPU time of %(first)s."
            )
        elif found.low is not None and found.high is not None and not found.low <= 1 <= found.high:
            words = _(
                "%(other)s takes %(interval)s times the CPU time of %(first)s, but copies of one program may differ by "
                "%(share)s %% too."
            )
        else:
            words = _("%(other)s takes %(interval)s times the CPU time of %(first)s, so either may be the faster one.")
        words %= {"other": self.other, "first": self.first, "interval": _interval(found), "share": _SHARE}
        if found.is_alike:
            return self._told("no", words, self._runs, self._work(), self._clock())
        return self._told("untold", words, self._runs, _(_LARGER), self._work(), self._clock())

    def _of_stopped(self, found: Difference) -> Answer:
        """One or both were stopped at a limit: of that side only the least that it takes is known."""
        sides = ((self.first, self.firsts), (self.other, self.others))
        stopped = [side for side, runs in sides if is_stopped(runs)]
        slow = self.other if found.ratio is None or found.ratio > 1 else self.first
        if not found.is_told or stopped != [slow] or not found.ratio:
            words = ngettext(
                "%(side)s was stopped at a limit, so only the least that it takes is known.",
                "%(side)s and %(last)s were stopped at a limit, so only the least that they take is known.",
                len(stopped),
            )
            return self._told("untold", words % {"side": stopped[0], "last": stopped[-1]}, _(_SMALLER))
        is_other = slow == self.other
        least = (found.low if is_other else found.high) or found.ratio
        words = _("%(slow)s takes at least %(ratio)s times the CPU time of %(quick)s: it was stopped at a limit.")
        both = {"slow": slow, "quick": self.first if is_other else self.other, "ratio": _times(least)}
        return self._told("yes" if is_other else "no", words % both, self._runs, self._work())

    def _difference(self, name: str) -> Difference:
        return seen_difference(name, values_of(self.others, name), values_of(self.firsts, name), self.visibility)

    @property
    def _runs(self) -> str:
        """What the statement rests on."""
        runs = min(len(self.firsts), len(self.others))
        words = ngettext(
            "Measured in %(runs)s run of each, in turns.", "Measured in %(runs)s runs of each, in turns.", runs
        )
        return words % {"runs": count(runs)}

    def _work(self) -> str:
        """Whose answer was not right, if any: it may have done less."""
        wrong = [
            side
            for side, runs in ((self.first, self.firsts), (self.other, self.others))
            if any(run.verdict == Verdict.WA for run in runs)
        ]
        if not wrong:
            return ""
        words = ngettext(
            "The answer of %(side)s is wrong there, so it may do other work.",
            "The answers of %(side)s and %(last)s are wrong there, so they may do different work.",
            len(wrong),
        )
        return words % {"side": wrong[0], "last": wrong[-1]}

    def _clock(self) -> str:
        """The difference by the clock, where CPU time does not tell it: of programs that wait, or use several cores."""
        cpu, wall = self._difference(_CPU), self._difference(_WALL)
        if not wall.is_told or not wall.ratio or _side(cpu) == _side(wall):
            return ""
        slow, quick = (self.other, self.first) if wall.ratio > 1 else (self.first, self.other)
        words = _("By the clock, %(slow)s takes %(ratio)s times as long as %(quick)s (%(interval)s).")
        return words % {"slow": slow, "quick": quick, "ratio": _times(wall.ratio), "interval": _interval(wall)}

    def _told(self, outcome: str, *sentences: str) -> Answer:
        title = _(_TITLES[outcome]) % {"first": self.first, "other": self.other}
        return Answer(outcome=outcome, title=title, why=" ".join(sentence for sentence in sentences if sentence))


_SHARE = round(100 * (LEAST_RATIO - 1))


def _side(found: Difference) -> int:
    """Return which side has more: 1, -1, or 0 if that is not told."""
    if not found.is_told:
        return 0
    return 1 if found.ratio is None or found.ratio > 1 else -1


def _times(ratio: float) -> str:
    """A ratio, or its reciprocal if it is less than 1: "4.7", near one "1.04", "4,700"."""
    larger = max(ratio, 1 / ratio)
    if larger < 1.95:
        return f"{larger:.2f}"
    return f"{larger:.1f}" if larger < 9.95 else f"{significant(larger, 2):,}"


def _interval(found: Difference) -> str:
    """The interval of a ratio, of its reciprocal where that is told: "4.5 to 4.9"."""
    if found.low is None or found.high is None or not found.low:
        return _("no upper end")
    if not found.is_told:
        return between_ends(f"{found.low:.2f}", f"{found.high:.2f}")
    ends = sorted((max(found.low, 1 / found.low), max(found.high, 1 / found.high)))
    return between_ends(_times(ends[0]), _times(ends[1]))
