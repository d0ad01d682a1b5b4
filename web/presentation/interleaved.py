"""What the latest interleaved runs of compared submissions came to, in brief; all of it is on the run's own page."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from judge.experiment.results import Difference, RunMeasured
from judge.experiment.spec import ExperimentSpec, spec_from_json
from judge.experiment.summary import difference, estimate
from judge.experimenting import SUBMISSIONS, runs_of
from judge.models import ExperimentRun, Submission
from judge.verdicts import Verdict
from sandbox.types import Ending
from web.presentation.change import UNTOLD, Change
from web.presentation.comparing import LETTERS
from web.presentation.experiment_metrics import METRICS, Kind, spread
from web.presentation.experiment_sight import RunSight, run_sight, seen_difference, seen_runs
from web.presentation.experiments import Reader
from web.presentation.measures import STOPPED
from web.presentation.metrics import AT_LEAST
from web.presentation.units import factor

SAME_ROUNDED = "the same to three digits"
NOISE = "no difference that can be told from noise"
_SHOWN = ("cpu_time_us", "system_time_us", "write_calls")
_LATEST = 20
_TIMES_FROM = 1.95  # from here on "2.0x", below it per cent
_LIMITS = {ending.value for ending in (Ending.MEMORY_LIMIT, Ending.CPU_LIMIT, Ending.WALL_LIMIT, Ending.OUTPUT_LIMIT)}
_Runs = Sequence[RunMeasured]


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
    metrics: list[str]
    sides: list[RepeatedSide]
    is_rounded: bool


def latest_interleaved(submissions: Sequence[Submission], runner: Reader, reader: Reader) -> Interleaved | None:
    """The latest runs of exactly these submissions that `runner` may read, as `reader` may see them; None without."""
    found = [
        run for run in _runs_with(submissions, runner) if not run_sight(spec_from_json(run.spec), reader).is_hidden
    ]
    done = next((run for run in found if run.is_done and not run.problem), None)
    pending = found[0] if found and not found[0].is_done else None
    if not done:
        return _nothing(pending) if pending else None
    spec, sight = spec_from_json(done.spec), run_sight(spec_from_json(done.spec), reader)
    runs = seen_runs(runs_of(done), sight)
    return Interleaved(
        run=done,
        pending=pending,
        case=spec.case.case if spec.case else "",
        rounds=spec.rounds,
        metrics=[METRICS[name].label for name in _SHOWN],
        sides=_sides(submissions, spec, runs, sight),
        is_rounded=sight.is_rounded,
    )


def _nothing(pending: ExperimentRun) -> Interleaved:
    return Interleaved(run=None, pending=pending, case="", rounds=0, metrics=[], sides=[], is_rounded=False)


def _runs_with(submissions: Sequence[Submission], runner: Reader) -> list[ExperimentRun]:
    """Of exactly these submissions, the newest first."""
    runs = ExperimentRun.objects.readable_by(runner).filter(key=SUBMISSIONS)
    for submission in submissions:
        runs = runs.filter(spec__variants__contains=[{"submission": submission.pk}])
    latest = runs.defer("runs", "failed").order_by("-pk")[:_LATEST]
    return [run for run in latest if len(run.spec["variants"]) == len(submissions)]


def _sides(submissions: Sequence[Submission], spec: ExperimentSpec, runs: _Runs, sight: RunSight) -> list[RepeatedSide]:
    names = {variant.submission: variant.name for variant in spec.variants}
    by_side = [[run for run in runs if run.variant == names[submission.pk]] for submission in submissions]
    return [
        RepeatedSide(
            letter=letter,
            trouble=_trouble(own),
            readings=[
                _reading(name, by_side[0], own, is_first=letter == LETTERS[0], sight=sight)
                for name in (_SHOWN if own else ())
            ],
        )
        for letter, own in zip(LETTERS, by_side, strict=False)
    ]


def _reading(name: str, first: _Runs, own: _Runs, *, is_first: bool, sight: RunSight) -> RepeatedReading:
    metric, is_bound = METRICS[name], _is_stopped(own)
    found = estimate(name, _values(own, name), are_whole=not is_bound)
    median = metric.worded(found.median)
    interval = spread(metric, replace(found, is_exact=found.is_exact and not sight.is_rounded))
    return RepeatedReading(
        metric=metric.label,
        words=(AT_LEAST if is_bound else "") + median,
        spread="" if interval == median else interval,
        change=None if is_first or not first else _change(name, first, own, sight),
    )


def _change(name: str, first: _Runs, own: _Runs, sight: RunSight) -> Change:
    """From the first side to this one: careful about noise, rounding, and runs that a limit or a crash ended."""
    untold = Change(words=UNTOLD, direction="untold")
    if _has_crashed(first) or _has_crashed(own):
        return untold
    counted = difference(name, _values(own, name), _values(first, name))
    found = seen_difference(counted, sight)
    is_bound = _is_stopped(first) or _is_stopped(own)
    if not found.is_told:
        words = "the same" if found.is_exact else SAME_ROUNDED if counted.is_exact else NOISE
        return untold if is_bound else Change(words=words, direction="same")
    is_less = found.ratio is not None and found.ratio < 1
    if _is_stopped(own if is_less else first):
        return untold
    return Change(words=_amount(found, name, is_bound=is_bound), direction="less" if is_less else "more")


def _amount(found: Difference, name: str, *, is_bound: bool) -> str:
    """ "4.7x less (4.5x to 4.9x)", "38 % more (30 % to 41 %)", "at least 4.5x less"."""
    if not found.ratio:
        return "new" if found.ratio is None else "none any more"
    few = "fewer" if METRICS[name].kind is Kind.COUNT else "less"
    word = few if found.ratio < 1 else "more"
    worded = _times if max(found.ratio, 1 / found.ratio) >= _TIMES_FROM else _per_cent
    if found.is_exact or not found.low or not found.high:
        return f"{'at least ' if is_bound else ''}{worded(found.ratio)} {word}"
    small, large = (found.low, found.high) if found.ratio > 1 else (found.high, found.low)
    if is_bound:
        return f"at least {worded(small)} {word}"
    interval = "" if worded(small) == worded(large) else f" ({worded(small)} to {worded(large)})"
    return f"{worded(found.ratio)} {word}{interval}"


def _times(ratio: float) -> str:
    return factor(max(ratio, 1 / ratio), 1)


def _per_cent(ratio: float) -> str:
    share = 100 * abs(ratio - 1)
    return f"{share:{'.0f' if share >= 1 else '.1g'}}\u00a0%"


def _values(runs: _Runs, name: str) -> list[int]:
    return [run.numbers[name] for run in runs]


def _is_stopped(runs: _Runs) -> bool:
    """Whether a limit ended any of them: its numbers are lower bounds."""
    return any(run.verdict in STOPPED or run.ending in _LIMITS for run in runs)


def _has_crashed(runs: _Runs) -> bool:
    return any(run.verdict == Verdict.RE for run in runs)


def _trouble(runs: _Runs) -> str:
    """How runs ended that did not end well."""
    if not runs:
        return "not run: it did not compile"
    bad = dict.fromkeys(run.verdict for run in runs if run.verdict not in ("", Verdict.AC))
    return ", ".join(Verdict(verdict).meaning.lower() for verdict in bad)
