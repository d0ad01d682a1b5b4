"""The latest alternating runs of compared submissions, in brief; the run's own page has everything.

Their headline is "A is faster than B", the other way round, neither, or that it cannot be told, by the one rule of what
differs. It is about CPU time, which the time limit is for; where the clock says something else, that is added.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.experiments.actions import SUBMISSIONS
from judge.grading.experiment.results import estimate
from judge.grading.experiment.spec import ExperimentSpec
from judge.grading.measures import BY_NAME
from judge.grading.sameness import LEAST_RATIO, Difference
from judge.grading.verdicts import Verdict
from judge.models import ExperimentRun, Submission
from web import access
from web.access.rounding import significant
from web.presentation.compare.comparing import LETTERS
from web.presentation.compare.metrics import Change, at_least
from web.presentation.experiments.listing import Reader
from web.presentation.experiments.metrics import (
    EXACT,
    Runs,
    between_ends,
    has_crashed,
    is_stopped,
    repeated_change,
    spread,
    values_of,
)
from web.presentation.experiments.visibility import (
    RunVisibility,
    has_bound,
    looks_same,
    run_sights,
    seen_difference,
    seen_estimate,
    seen_runs,
)
from web.presentation.units import count, limit, of_kind

_SHOWN = ("cpu_time_us", "system_time_us", "write_calls")
_LATEST = 20
_SHARE = round(100 * (LEAST_RATIO - 1))
_CPU, _WALL = "cpu_time_us", "wall_time_us"
_TITLES = {
    "yes": gettext_noop("%(first)s is faster than %(other)s."),
    "no": gettext_noop("%(other)s is faster than %(first)s."),
    "alike": gettext_noop("Neither %(first)s nor %(other)s is faster."),
    "untold": gettext_noop("Whether %(first)s or %(other)s is faster cannot be told."),
}
_NO_TIME = gettext_noop("One of the two took no time that can be measured.")
_LARGER = gettext_noop("A larger test case or more rounds would tell more.")
_OTHER_CASE = gettext_noop("Choose a test case on which both do their work.")
_SMALLER = gettext_noop("A smaller test case, on which both come to their end, would tell more.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """Which of two is faster. `outcome`: "yes" (the first), "no" (the other), "alike" or "untold"; `why`: the ratio."""

    outcome: str
    title: str
    why: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatedReading:
    """One metric of one side: its median, how sure it is, and the change from the first side, which has None."""

    metric: str
    words: str
    spread: str
    change: Change | None


@dataclass(frozen=True, kw_only=True, slots=True)
class RepeatedSide:
    """One side's runs; `trouble` says why there are no readings, or that runs were stopped."""

    letter: str
    trouble: str
    readings: list[RepeatedReading]


@dataclass(frozen=True, kw_only=True, slots=True)
class Interleaved:
    """The latest finished runs, and whether newer ones are under way (`pending`)."""

    run: ExperimentRun | None
    pending: ExperimentRun | None
    case: str = ""
    rounds: int = 0
    limit: str = ""  # under which CPU time limit they ran, in a sentence
    answers: Sequence[Answer] = ()  # whether the first side is faster than each other
    metrics: Sequence[str] = ()
    sides: Sequence[RepeatedSide] = ()
    is_rounded: bool = False

    @property
    def has_intervals(self) -> bool:
        """Return whether any change has its interval beside it."""
        return any(reading.change and reading.change.interval for side in self.sides for reading in side.readings)

    @property
    def has_exact(self) -> bool:
        return any(reading.spread == _(EXACT) for side in self.sides for reading in side.readings)


def latest_interleaved(submissions: Sequence[Submission], runner: Reader, reader: Reader) -> Interleaved | None:
    """Return the latest runs of exactly these submissions that `runner` may read, as `reader` may see them."""
    rows = access.readable_runs(runner).filter(key=SUBMISSIONS)
    for submission in submissions:
        rows = rows.filter(spec__variants__contains=[{"submission": submission.pk}])
    last = rows.defer("runs", "failed").order_by("-pk")[:_LATEST]
    runs = [run for run in last if len(run.spec.variants) == len(submissions)]
    specs = [run.spec for run in runs]
    entries = [entry for entry in zip(runs, specs, run_sights(specs, reader), strict=True) if not entry[2].is_hidden]
    latest = next((entry for entry in entries if entry[0].is_done and not entry[0].problem), None)
    pending = entries[0][0] if entries and not entries[0][0].is_done else None
    if latest is None:
        return Interleaved(run=None, pending=pending) if pending else None
    done, spec, visibility = latest
    names = {variant.submission: variant.name for variant in spec.variants}
    seen = seen_runs(done.runs, visibility)
    by_side = [[run for run in seen if run.variant == names[submission.pk]] for submission in submissions]
    return Interleaved(
        run=done,
        pending=pending,
        case=spec.case.case if spec.case else "",
        rounds=spec.rounds,
        limit=_limit(spec, visibility),
        answers=answers(LETTERS[: len(by_side)], by_side, visibility),
        metrics=[BY_NAME[name].title for name in _SHOWN],
        sides=[_side(letter, by_side[0], own, visibility) for letter, own in zip(LETTERS, by_side, strict=False)],
        is_rounded=visibility.is_rounded,
    )


def _limit(spec: ExperimentSpec, visibility: RunVisibility) -> str:
    """Return the CPU time that each run had, in a sentence; "" for old runs that do not know it."""
    if spec.case is None or not spec.case.cpu_time_ms:
        return ""
    # The version's limit may have changed since, so it is not named.
    if visibility.version is not None and spec.case.cpu_time_ms > visibility.version.time_limit_ms:
        sentence = _(
            "Each run had at most %(time)s of CPU time, more than the problem's limit, so that a program over the "
            "limit can end."
        )
    else:
        sentence = _("Each run had at most %(time)s of CPU time.")
    return sentence % {"time": limit(spec.case.cpu_time_ms)}


def _side(letter: str, first: Runs, own: Runs, visibility: RunVisibility) -> RepeatedSide:
    if not own:
        return RepeatedSide(letter=letter, trouble=_("not run: it did not compile"), readings=[])
    is_bound, readings = is_stopped(own), []
    for name in _SHOWN:
        measure = BY_NAME[name]
        measured = seen_estimate(name, estimate(name, values_of(own, name), are_whole=not is_bound), visibility)
        median = of_kind(measure.kind, measured.median)
        interval = spread(measure, measured)
        readings.append(
            RepeatedReading(
                metric=measure.title,
                words=at_least(median, measured.median, is_bound=is_bound),
                spread="" if interval == median else interval,
                change=repeated_change(name, first, own, visibility) if first and letter != LETTERS[0] else None,
            )
        )
    bad = dict.fromkeys(run.verdict for run in own if run.verdict not in ("", Verdict.AC))
    trouble = ", ".join(_(Verdict(verdict).meaning).lower() for verdict in bad)
    return RepeatedSide(letter=letter, trouble=trouble, readings=readings)


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
                words = _("%(side)s ended with a runtime error on this test case, so its time cannot be compared.")
                return self._told("untold", words % {"side": side}, _(_OTHER_CASE))
        difference = self._difference(_CPU)
        if is_stopped(self.firsts) or is_stopped(self.others):
            return self._of_stopped(difference)
        if not difference.is_told:
            return self._without_difference(difference)
        if not difference.ratio:
            return self._told("untold", _(_NO_TIME), _(_LARGER))
        is_other = difference.ratio > 1
        slow, quick = (self.other, self.first) if is_other else (self.first, self.other)
        if self._has_bound(_CPU):
            words = _("%(slow)s takes at least %(ratio)s times the CPU time of %(quick)s.")
            ratio = _times((difference.low if is_other else difference.high) or difference.ratio)
        else:
            words = _("%(slow)s takes %(ratio)s times the CPU time of %(quick)s (%(interval)s).")
            ratio = _times(difference.ratio)
        words %= {"slow": slow, "quick": quick, "ratio": ratio, "interval": _interval(difference)}
        return self._told("yes" if is_other else "no", words, self._runs, self._work(), self._clock())

    def _without_difference(self, difference: Difference) -> Answer:
        """Neither is faster, or that cannot be told."""
        if self._has_bound(_CPU):
            return self._told(
                "untold", _("The CPU times on this hidden test case are too small to compare."), _(_LARGER)
            )
        if looks_same(values_of(self.firsts, _CPU), values_of(self.others, _CPU), self.visibility):
            words = _("Rounded to two digits, as all numbers of a hidden test case are, the CPU times are equal.")
            return self._told("untold", words, self._runs)
        if not difference.low or difference.high is None:
            return self._told("untold", _(_NO_TIME), _(_LARGER))
        if difference.is_alike:
            words = _("%(other)s takes %(interval)s times the CPU time of %(first)s, a difference below %(share)s %%.")
        elif not difference.low <= 1 <= difference.high:
            words = _(
                "%(other)s takes %(interval)s times the CPU time of %(first)s. Two copies of the same program may "
                "differ by up to %(share)s %% as well."
            )
        else:
            words = _("%(other)s takes %(interval)s times the CPU time of %(first)s, so either may be the faster one.")
        words %= {"other": self.other, "first": self.first, "interval": _interval(difference), "share": _SHARE}
        if difference.is_alike:
            return self._told("alike", words, self._runs, self._work(), self._clock())
        return self._told("untold", words, self._runs, _(_LARGER), self._work(), self._clock())

    def _of_stopped(self, difference: Difference) -> Answer:
        """One or both were stopped at a limit: of that side only the least that it takes is known."""
        sides = ((self.first, self.firsts), (self.other, self.others))
        stopped = [side for side, runs in sides if is_stopped(runs)]
        slow = self.other if difference.ratio is None or difference.ratio > 1 else self.first
        if not difference.is_told or stopped != [slow] or not difference.ratio:
            words = _("%(side)s was stopped at a limit, so only the least that it takes is known.")
            if len(stopped) > 1:
                words = _("%(side)s and %(last)s were stopped at a limit, so only the least that they take is known.")
            return self._told("untold", words % {"side": stopped[0], "last": stopped[-1]}, _(_SMALLER))
        is_other = slow == self.other
        least = (difference.low if is_other else difference.high) or difference.ratio
        words = _("%(slow)s takes at least %(ratio)s times the CPU time of %(quick)s: it was stopped at a limit.")
        both = {"slow": slow, "quick": self.first if is_other else self.other, "ratio": _times(least)}
        return self._told("yes" if is_other else "no", words % both, self._runs, self._work())

    def _difference(self, name: str) -> Difference:
        return seen_difference(name, values_of(self.others, name), values_of(self.firsts, name), self.visibility)

    def _has_bound(self, name: str) -> bool:
        return has_bound(values_of(self.firsts, name)) or has_bound(values_of(self.others, name))

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
        sides = ((self.first, self.firsts), (self.other, self.others))
        wrong = [side for side, runs in sides if any(run.verdict == Verdict.WA for run in runs)]
        if not wrong:
            return ""
        words = _("The answer of %(side)s is wrong on this test case, so it may have done less work.")
        if len(wrong) > 1:
            words = _(
                "The answers of %(side)s and %(last)s are wrong on this test case, so they may have done less work."
            )
        return words % {"side": wrong[0], "last": wrong[-1]}

    def _clock(self) -> str:
        """The difference by the clock, where CPU time does not tell it: of programs that wait, or use several cores."""
        cpu, wall = self._difference(_CPU), self._difference(_WALL)
        if not wall.is_told or not wall.ratio or self._has_bound(_WALL):
            return ""
        if cpu.is_told and (cpu.ratio is None or cpu.ratio > 1) == (wall.ratio > 1):
            return ""
        slow, quick = (self.other, self.first) if wall.ratio > 1 else (self.first, self.other)
        words = _("By the clock, %(slow)s takes %(ratio)s times as long as %(quick)s (%(interval)s).")
        return words % {"slow": slow, "quick": quick, "ratio": _times(wall.ratio), "interval": _interval(wall)}

    def _told(self, outcome: str, *sentences: str) -> Answer:
        title = _(_TITLES[outcome]) % {"first": self.first, "other": self.other}
        return Answer(outcome=outcome, title=title, why=" ".join(sentence for sentence in sentences if sentence))


def _times(ratio: float) -> str:
    """A ratio, or its reciprocal if it is less than 1: "4.7", near one "1.04", "4,700"."""
    larger = max(ratio, 1 / ratio)
    if larger < 1.95:
        return f"{larger:.2f}"
    return f"{larger:.1f}" if larger < 9.95 else f"{significant(larger, 2):,}"


def _interval(difference: Difference) -> str:
    """The interval of a ratio, of its reciprocal where that is told: "4.5 to 4.9"."""
    if difference.low is None or difference.high is None or not difference.low:
        return _("no upper end")
    if not difference.is_told:
        return between_ends(f"{difference.low:.2f}", f"{difference.high:.2f}")
    ends = sorted((max(difference.low, 1 / difference.low), max(difference.high, 1 / difference.high)))
    return between_ends(_times(ends[0]), _times(ends[1]))
