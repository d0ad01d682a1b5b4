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
        """Whether any reading is called exact."""
        return any(reading.spread == _(EXACT) for side in self.sides for reading in side.readings)


def latest_interleaved(submissions: Sequence[Submission], runner: Reader, reader: Reader) -> Interleaved | None:
    """Return the latest runs of exactly these submissions that `runner` may read, as `reader` may see them; None
    without.
    """
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
