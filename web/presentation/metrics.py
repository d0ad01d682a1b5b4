"""Every metric of several runs, one beside the other: in words, as a bar, and as the change from the first of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from web.presentation.change import Change, Kind, change
from web.presentation.charts import LogScale, RunTimes
from web.presentation.measures import Measures
from web.presentation.units import count, data_size, duration, significant

AT_LEAST = "\u2265\u00a0"
_LINEAR = frozenset({Kind.TIME, Kind.MEMORY})
_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One number of one side. `change` is the one from the first side, which has None. `width` of a bar: per cent."""

    letter: str
    words: str
    change: Change | None
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One number of every side. The bars of a metric share one scale, which begins at 0."""

    name: str
    readings: list[Reading]
    is_logarithmic: bool
    is_pictured: bool  # has a picture of its own


@dataclass(frozen=True, kw_only=True, slots=True)
class _Defined:
    """What a metric is. `is_bound`: of a run that was stopped it is a lower bound, as a mean is not."""

    name: str
    kind: Kind
    value: Callable[[Measures], float | None]
    worded: Callable[[float | None], str]
    is_pictured: bool = False
    is_bound: bool = True


CPU_TIME = "CPU time"
WRITE_CALLS = "write calls"
_METRICS = (
    _Defined(name=CPU_TIME, kind=Kind.TIME, value=lambda m: m.cpu_us, worded=duration, is_pictured=True),
    _Defined(name="user time", kind=Kind.TIME, value=lambda m: m.times.user_us, worded=duration, is_pictured=True),
    _Defined(name="system time", kind=Kind.TIME, value=lambda m: m.times.system_us, worded=duration, is_pictured=True),
    _Defined(
        name="waiting time", kind=Kind.TIME, value=lambda m: m.times.waiting_us, worded=duration, is_pictured=True
    ),
    _Defined(name="wall time", kind=Kind.TIME, value=lambda m: m.wall_us, worded=duration),
    _Defined(
        name="peak memory", kind=Kind.MEMORY, value=lambda m: m.peak_memory_bytes, worded=data_size, is_pictured=True
    ),
    _Defined(name=WRITE_CALLS, kind=Kind.COUNT, value=lambda m: m.write_calls, worded=count, is_pictured=True),
    _Defined(name="bytes written", kind=Kind.BYTES, value=lambda m: m.write_bytes, worded=data_size),
    _Defined(
        name="bytes per write",
        kind=Kind.SIZE,
        value=lambda m: m.bytes_per_write,
        worded=data_size,
        is_pictured=True,
        is_bound=False,
    ),
    _Defined(name="read calls", kind=Kind.COUNT, value=lambda m: m.read_calls, worded=count, is_pictured=True),
    _Defined(name="bytes read", kind=Kind.BYTES, value=lambda m: m.read_bytes, worded=data_size),
    _Defined(name="bytes to stdout", kind=Kind.BYTES, value=lambda m: m.stdout_bytes, worded=data_size),
    _Defined(name="bytes to stderr", kind=Kind.BYTES, value=lambda m: m.stderr_bytes, worded=data_size),
    _Defined(
        name="switches, own", kind=Kind.SWITCHES, value=lambda m: m.voluntary_switches, worded=count, is_pictured=True
    ),
    _Defined(
        name="switches, forced",
        kind=Kind.SWITCHES,
        value=lambda m: m.involuntary_switches,
        worded=count,
        is_pictured=True,
    ),
    _Defined(name="minor page faults", kind=Kind.SWITCHES, value=lambda m: m.minor_faults, worded=count),
)


def metrics(letters: Sequence[str], runs: Sequence[Measures]) -> list[Metric]:
    """Every metric of the runs, which go by these letters; changes are from the first run."""
    return [
        Metric(
            name=each.name,
            readings=_readings(each, letters, runs),
            is_logarithmic=each.kind not in _LINEAR,
            is_pictured=each.is_pictured,
        )
        for each in _METRICS
    ]


def _readings(metric: _Defined, letters: Sequence[str], runs: Sequence[Measures]) -> list[Reading]:
    values = [metric.value(run) for run in runs]
    bounds = [metric.is_bound and run.is_stopped for run in runs]
    largest = max((value for value in values if value is not None), default=0)
    readings = []
    for place, (letter, value, is_bound) in enumerate(zip(letters, values, bounds, strict=True)):
        changed = change(values[0], value, metric.kind, a_stopped=bounds[0], b_stopped=is_bound)
        readings.append(
            Reading(
                letter=letter,
                words=(AT_LEAST if is_bound else "") + metric.worded(value),
                change=changed if place else None,
                width=_width(value or 0, largest, metric.kind),
            )
        )
    return readings


def _width(value: float, largest: float, kind: Kind) -> float:
    if not value:
        return 0
    width = 100 * value / largest if kind in _LINEAR else LogScale(largest=largest).x(value)
    return max(_VISIBLE, round(width, 2))


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
