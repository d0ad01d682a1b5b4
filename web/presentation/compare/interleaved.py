"""The latest alternating runs of compared submissions, in brief; the run's own page has everything."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from judge.experiments.actions import SUBMISSIONS
from judge.grading.experiment.spec import ExperimentSpec
from judge.grading.experiment.summary import estimate
from judge.grading.measures import BY_NAME
from judge.grading.verdicts import Verdict
from judge.models import ExperimentRun, Submission
from web import access
from web.presentation.compare.answer import Answer, answers
from web.presentation.compare.change import Change
from web.presentation.compare.comparing import LETTERS
from web.presentation.compare.metrics import at_least
from web.presentation.compare.repeated_change import Runs, is_stopped, repeated_change, values_of
from web.presentation.experiments.listing import Reader
from web.presentation.experiments.metrics import EXACT, spread
from web.presentation.experiments.visibility import RunVisibility, run_sights, seen_estimate, seen_runs
from web.presentation.units import limit, of_kind

_SHOWN = ("cpu_time_us", "system_time_us", "write_calls")
_LATEST = 20


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
    case: str
    rounds: int
    limit: str  # under which CPU time limit they ran, in a sentence
    answers: list[Answer]  # whether the first side is faster than each other
    metrics: list[str]
    sides: list[RepeatedSide]
    is_rounded: bool

    @property
    def has_intervals(self) -> bool:
        """Return whether any change has its interval beside it."""
        return any(reading.change and reading.change.interval for side in self.sides for reading in side.readings)

    @property
    def has_exact(self) -> bool:
        """Whether any reading is called exact."""
        return any(reading.spread == _(EXACT) for side in self.sides for reading in side.readings)


def latest_interleaved(submissions: Sequence[Submission], runner: Reader, reader: Reader) -> Interleaved | None:
    """Return the latest runs of exactly these submissions that `runner` may read, as `reader` may see them; None
    without.
    """
    runs_found = _runs_with(submissions, runner)
    specs = [run.spec for run in runs_found]
    sights = run_sights(specs, reader)
    entries = [entry for entry in zip(runs_found, specs, sights, strict=True) if not entry[2].is_hidden]
    latest = next((entry for entry in entries if entry[0].is_done and not entry[0].problem), None)
    pending = entries[0][0] if entries and not entries[0][0].is_done else None
    if latest is None:
        return _nothing(pending) if pending else None
    done, spec, visibility = latest
    by_side = _by_side(submissions, spec, seen_runs(done.runs, visibility))
    return Interleaved(
        run=done,
        pending=pending,
        case=spec.case.case if spec.case else "",
        rounds=spec.rounds,
        limit=_limit(spec, visibility),
        answers=answers(LETTERS[: len(by_side)], by_side, visibility),
        metrics=[BY_NAME[name].title for name in _SHOWN],
        sides=_sides(by_side, visibility),
        is_rounded=visibility.is_rounded,
    )


def _nothing(pending: ExperimentRun) -> Interleaved:
    return Interleaved(
        run=None, pending=pending, case="", rounds=0, limit="", answers=[], metrics=[], sides=[], is_rounded=False
    )


def _limit(spec: ExperimentSpec, visibility: RunVisibility) -> str:
    """Return the CPU time that each run had, in a sentence; "" for old runs that do not know it.

    The version's limit may have changed since, so it is not named.
    """
    if spec.case is None or not spec.case.cpu_time_ms:
        return ""
    if visibility.version is not None and spec.case.cpu_time_ms > visibility.version.time_limit_ms:
        sentence = _(
            "Each run had at most %(time)s of CPU time, more than the problem's limit, so that a program over the "
            "limit can end."
        )
    else:
        sentence = _("Each run had at most %(time)s of CPU time.")
    return sentence % {"time": limit(spec.case.cpu_time_ms)}


def _runs_with(submissions: Sequence[Submission], runner: Reader) -> list[ExperimentRun]:
    """Return the runs of exactly these submissions, newest first."""
    runs = access.readable_runs(runner).filter(key=SUBMISSIONS)
    for submission in submissions:
        runs = runs.filter(spec__variants__contains=[{"submission": submission.pk}])
    latest = runs.defer("runs", "failed").order_by("-pk")[:_LATEST]
    return [run for run in latest if len(run.spec.variants) == len(submissions)]


def _by_side(submissions: Sequence[Submission], spec: ExperimentSpec, runs: Runs) -> list[Runs]:
    names = {variant.submission: variant.name for variant in spec.variants}
    return [[run for run in runs if run.variant == names[submission.pk]] for submission in submissions]


def _sides(by_side: Sequence[Runs], visibility: RunVisibility) -> list[RepeatedSide]:
    return [
        RepeatedSide(
            letter=letter,
            trouble=_trouble(own),
            readings=[
                _reading(name, by_side[0], own, is_first=letter == LETTERS[0], visibility=visibility)
                for name in (_SHOWN if own else ())
            ],
        )
        for letter, own in zip(LETTERS, by_side, strict=False)
    ]


def _reading(name: str, first: Runs, own: Runs, *, is_first: bool, visibility: RunVisibility) -> RepeatedReading:
    measure, is_bound = BY_NAME[name], is_stopped(own)
    measured = seen_estimate(name, estimate(name, values_of(own, name), are_whole=not is_bound), visibility)
    median = of_kind(measure.kind, measured.median)
    interval = spread(measure, measured)
    return RepeatedReading(
        metric=measure.title,
        words=at_least(median, measured.median, is_bound=is_bound),
        spread="" if interval == median else interval,
        change=None if is_first or not first else repeated_change(name, first, own, visibility),
    )


def _trouble(runs: Runs) -> str:
    """Describe the runs that did not end well."""
    if not runs:
        return _("not run: it did not compile")
    bad = dict.fromkeys(run.verdict for run in runs if run.verdict not in ("", Verdict.AC))
    return ", ".join(_(Verdict(verdict).meaning).lower() for verdict in bad)
