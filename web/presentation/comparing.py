"""Two submissions to one problem side by side: cases matched by name, every metric with its change, both pictures."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from judge.models import Submission, TestCaseResult
from judge.verdicts import Verdict
from web.presentation.change import Change, Kind, change
from web.presentation.charts import LogScale, RunTimes, Tick, TimeBar, TimeScale, time_scale
from web.presentation.measures import Measures, is_exact_for, measures_of
from web.presentation.sight import Sight
from web.presentation.units import count, data_size, duration, points, significant


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One number of both sides, in words."""

    name: str
    a: str
    b: str
    change: Change


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedCase:
    """One test case that was judged in both. The bars share one scale, the write bars a logarithmic one."""

    name: str
    verdict_a: Verdict
    verdict_b: Verdict
    a: Measures
    b: Measures
    bar_a: TimeBar
    bar_b: TimeBar
    writes_a: float
    writes_b: float
    metrics: list[Metric]

    @property
    def cpu_change(self) -> Change:
        """The change of the CPU time."""
        return next(metric.change for metric in self.metrics if metric.name == "CPU time")

    @property
    def write_change(self) -> Change:
        """The change of the number of write calls."""
        return next(metric.change for metric in self.metrics if metric.name == "write calls")


@dataclass(frozen=True, kw_only=True, slots=True)
class MatchedGroup:
    """The points of one test group on both sides; None: that side does not have it."""

    name: str
    a: str
    b: str
    difference: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Comparison:
    """Two submissions compared. `total_a` and `total_b` are sums over the matched cases; None without any."""

    a: Submission
    b: Submission
    cases: list[MatchedCase]
    groups: list[MatchedGroup]
    only_a: list[str]
    only_b: list[str]
    total_a: Measures | None
    total_b: Measures | None
    metrics: list[Metric]
    scale: TimeScale
    write_ticks: list[Tick]
    is_exact: bool
    is_restricted: bool  # the problem hides secret cases from this reader

    @property
    def is_same_version(self) -> bool:
        """Whether both were judged against the same version of the problem."""
        return self.a.problem_version_id == self.b.problem_version_id


def compare_submissions(a: Submission, b: Submission, sight: Sight) -> Comparison:
    """The comparison of two submissions to the same problem, for one reader: of the cases whose numbers one sees."""
    is_staff = sight.sees_all
    results_a, results_b = _results(a, sight), _results(b, sight)
    names = [name for name in results_a if name in results_b]
    pairs = [(measures_of(results_a[name], is_staff), measures_of(results_b[name], is_staff)) for name in names]
    limit_us = max(a.problem_version.time_limit_ms, b.problem_version.time_limit_ms) * 1_000
    scale = time_scale((side.times for pair in pairs for side in pair), limit_us)
    log_scale = LogScale(largest=max((side.write_calls for pair in pairs for side in pair), default=1))
    cases = [
        _case(results_a[name], results_b[name], pair, scale, log_scale) for name, pair in zip(names, pairs, strict=True)
    ]
    is_exact = all(is_exact_for(result, is_staff) for results in (results_a, results_b) for result in results.values())
    total_a, total_b = (total([pair[side] for pair in pairs], is_exact) for side in (0, 1))
    return Comparison(
        a=a,
        b=b,
        cases=cases,
        groups=_groups(a, b),
        only_a=[name for name in results_a if name not in results_b],
        only_b=[name for name in results_b if name not in results_a],
        total_a=total_a,
        total_b=total_b,
        metrics=metrics(total_a, total_b) if total_a and total_b else [],
        scale=scale,
        write_ticks=log_scale.ticks(),
        is_exact=is_exact,
        is_restricted=sight.is_restricted,
    )


def _groups(a: Submission, b: Submission) -> list[MatchedGroup]:
    """The groups of A in their order, then those that only B has."""
    scores = [{group["name"]: group["score"] for group in side.groups} for side in (a, b)]
    found = []
    for name in dict.fromkeys([*scores[0], *scores[1]]):
        both = [side.get(name) for side in scores]
        difference = (both[1] or 0) - (both[0] or 0)
        found.append(MatchedGroup(name=name, a=points(both[0]), b=points(both[1]), difference=difference))
    return found


def total(runs: Sequence[Measures], is_exact: bool) -> Measures | None:
    """Sums over runs, the largest peak of memory; None without runs. With three digits unless it is exact."""
    if not runs:
        return None

    def summed(value: Callable[[Measures], int]) -> int:
        number = sum(map(value, runs))
        return number if is_exact else significant(number)

    return Measures(
        times=RunTimes(
            user_us=summed(lambda run: run.times.user_us),
            system_us=summed(lambda run: run.times.system_us),
            waiting_us=summed(lambda run: run.times.waiting_us),
        ),
        cpu_us=summed(lambda run: run.cpu_us),
        wall_us=summed(lambda run: run.wall_us),
        queued_us=summed(lambda run: run.queued_us),
        peak_memory_bytes=max(run.peak_memory_bytes for run in runs),
        read_calls=summed(lambda run: run.read_calls),
        write_calls=summed(lambda run: run.write_calls),
        read_bytes=summed(lambda run: run.read_bytes),
        write_bytes=summed(lambda run: run.write_bytes),
        stdout_bytes=summed(lambda run: run.stdout_bytes),
        stderr_bytes=summed(lambda run: run.stderr_bytes),
        voluntary_switches=summed(lambda run: run.voluntary_switches),
        involuntary_switches=summed(lambda run: run.involuntary_switches),
        minor_faults=summed(lambda run: run.minor_faults),
        major_faults=summed(lambda run: run.major_faults),
        is_stopped=any(run.is_stopped for run in runs),
    )


_METRICS: Sequence[tuple[str, Kind, Callable[[Measures], float | None], Callable[[float | None], str]]] = (
    ("CPU time", Kind.TIME, lambda m: m.cpu_us, duration),
    ("user time", Kind.TIME, lambda m: m.times.user_us, duration),
    ("system time", Kind.TIME, lambda m: m.times.system_us, duration),
    ("waiting time", Kind.TIME, lambda m: m.times.waiting_us, duration),
    ("wall time", Kind.TIME, lambda m: m.wall_us, duration),
    ("peak memory", Kind.MEMORY, lambda m: m.peak_memory_bytes, data_size),
    ("write calls", Kind.COUNT, lambda m: m.write_calls, count),
    ("bytes written", Kind.BYTES, lambda m: m.write_bytes, data_size),
    ("bytes per write", Kind.SIZE, lambda m: m.bytes_per_write, data_size),
    ("read calls", Kind.COUNT, lambda m: m.read_calls, count),
    ("bytes read", Kind.BYTES, lambda m: m.read_bytes, data_size),
    ("bytes to stdout", Kind.BYTES, lambda m: m.stdout_bytes, data_size),
    ("bytes to stderr", Kind.BYTES, lambda m: m.stderr_bytes, data_size),
    ("switches, own", Kind.SWITCHES, lambda m: m.voluntary_switches, count),
    ("switches, forced", Kind.SWITCHES, lambda m: m.involuntary_switches, count),
    ("minor page faults", Kind.SWITCHES, lambda m: m.minor_faults, count),
)
_NO_LOWER_BOUND = "bytes per write"  # a mean does not grow with the length of the run


def metrics(a: Measures, b: Measures) -> list[Metric]:
    """Every metric of both sides with its change."""
    rows = []
    for name, kind, value, worded in _METRICS:
        is_bound = name != _NO_LOWER_BOUND
        changed = change(
            value(a), value(b), kind, a_stopped=a.is_stopped and is_bound, b_stopped=b.is_stopped and is_bound
        )
        rows.append(Metric(name=name, a=worded(value(a)), b=worded(value(b)), change=changed))
    return rows


def _case(
    result_a: TestCaseResult,
    result_b: TestCaseResult,
    pair: tuple[Measures, Measures],
    scale: TimeScale,
    log_scale: LogScale,
) -> MatchedCase:
    a, b = pair
    return MatchedCase(
        name=result_a.name,
        verdict_a=Verdict(result_a.verdict),
        verdict_b=Verdict(result_b.verdict),
        a=a,
        b=b,
        bar_a=scale.bar(a.times),
        bar_b=scale.bar(b.times),
        writes_a=log_scale.x(a.write_calls),
        writes_b=log_scale.x(b.write_calls),
        metrics=metrics(a, b),
    )


def _results(submission: Submission, sight: Sight) -> dict[str, TestCaseResult]:
    results = submission.results.filter(attempt=submission.attempt).order_by("position")
    return {result.name: result for result in results if sight.sees_numbers(result)}
