"""The numbers of an experiment in words: which ones are shown, how each is called, and how a cell reads."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum

from judge.experiment.results import Cell, Difference, Estimate
from sandbox.types import Ending
from web.presentation.measures import STOPPED
from web.presentation.metrics import AT_LEAST
from web.presentation.units import count, data_size, duration, factor, percent, significant


class Kind(Enum):
    """What a metric is drawn on: a scale of time, of sizes, or a logarithmic one for counts."""

    TIME = "time"
    SIZE = "size"
    COUNT = "count"


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One number of a run. `parts`: metrics that it is the sum of, drawn one after the other."""

    name: str
    label: str
    kind: Kind
    worded: Callable[[float | None], str]
    noun: str  # within a sentence
    parts: tuple[str, ...] = ()


def _time(name: str, label: str, *parts: str) -> Metric:
    return Metric(name=name, label=label, kind=Kind.TIME, worded=duration, noun=_small(label), parts=parts)


def _size(name: str, label: str) -> Metric:
    return Metric(name=name, label=label, kind=Kind.SIZE, worded=data_size, noun=_small(label))


def _count(name: str, label: str) -> Metric:
    return Metric(name=name, label=label, kind=Kind.COUNT, worded=count, noun=_small(label))


def _small(label: str) -> str:
    return label if label.startswith("CPU") else label[0].lower() + label[1:]


BYTES_PER_WRITE = "bytes_per_write"
EXACT = "exact"
NOT_TOLD = "not told"
_SPACE = "\u00a0"  # between a number and its unit
_TIMES = "\u00d7"
_LIMITS = {ending.value for ending in (Ending.MEMORY_LIMIT, Ending.CPU_LIMIT, Ending.WALL_LIMIT, Ending.OUTPUT_LIMIT)}
METRICS = {
    metric.name: metric
    for metric in (
        _time("cpu_time_us", "CPU time", "user_time_us", "system_time_us"),
        _time("user_time_us", "User time"),
        _time("system_time_us", "System time"),
        _time("wall_time_us", "Wall time"),
        _time("waiting_time_us", "Waiting"),
        _size("peak_memory_bytes", "Peak memory"),
        _count("write_calls", "Write calls"),
        _size("write_bytes", "Bytes written"),
        _size(BYTES_PER_WRITE, "Bytes per write"),
        _count("read_calls", "Read calls"),
        _size("read_bytes", "Bytes read"),
        _count("voluntary_switches", "Own switches"),
        _count("involuntary_switches", "Forced switches"),
        _count("minor_faults", "Minor page faults"),
    )
}
TABLE = (
    "cpu_time_us",
    "user_time_us",
    "system_time_us",
    "wall_time_us",
    "waiting_time_us",
    "peak_memory_bytes",
    "write_calls",
    BYTES_PER_WRITE,
    "voluntary_switches",
    "involuntary_switches",
)
PICTURES = (
    "cpu_time_us",
    "wall_time_us",
    "waiting_time_us",
    "write_calls",
    BYTES_PER_WRITE,
    "voluntary_switches",
    "involuntary_switches",
    "peak_memory_bytes",
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One number of one cell: its median in words, and beneath it how sure that is, or its share of something.

    `is_range`: `spread` is the range in which it lies. `is_bound`: a run was stopped at a limit.
    """

    words: str
    spread: str = ""
    share: str = ""
    is_range: bool = False
    is_bound: bool = False


def median_of(cell: Cell, name: str) -> float | None:
    """The median of a metric; of the bytes per write, what the other two medians come to."""
    if name == BYTES_PER_WRITE:
        calls, written = median_of(cell, "write_calls"), median_of(cell, "write_bytes")
        return written / calls if calls and written is not None else None
    estimate = cell.estimates.get(name)
    return None if estimate is None else estimate.median


def was_stopped(endings: Iterable[str], verdicts: Iterable[str]) -> bool:
    """Whether a limit ended any of the runs that ended in these ways: their numbers are lower bounds."""
    return not _LIMITS.isdisjoint(endings) or not STOPPED.isdisjoint(verdicts)


def median_words(cell: Cell, name: str) -> str:
    """The median; of runs that were stopped at a limit at least that, but for a mean."""
    return (AT_LEAST if _is_bound(cell, name) else "") + METRICS[name].worded(median_of(cell, name))


def _is_bound(cell: Cell, name: str) -> bool:
    return name != BYTES_PER_WRITE and was_stopped(cell.endings, cell.verdicts)


def reading(cell: Cell, name: str) -> Reading:
    """A metric of a cell for the table."""
    how_sure = spread(METRICS[name], cell.estimates.get(name))
    return Reading(
        words=median_words(cell, name),
        spread=how_sure,
        share=_share(cell, name),
        is_range=how_sure not in ("", EXACT),
        is_bound=_is_bound(cell, name),
    )


def spread(metric: Metric, estimate: Estimate | None) -> str:
    """The interval of a median in words: "0.21 to 0.24 s", "exact"; nothing where it is too narrow to be seen."""
    if estimate is None or estimate.runs < 2:
        return ""
    if estimate.is_exact:
        return EXACT
    low, high = metric.worded(estimate.low), metric.worded(estimate.high)
    return "" if low == high else between(low, high)


def between(low: str, high: str) -> str:
    """An interval with its unit once, where both ends have the same."""
    number, space, unit = low.rpartition(_SPACE)
    return f"{number if space and high.endswith(space + unit) else low} to {high}"


def ratio_words(found: Difference) -> Reading:
    """How many times as much as the first variant has: "4.7x" with its interval, or that it cannot be told."""
    exact = EXACT if found.is_exact else ""
    if not found.is_told:
        return Reading(words="the same", spread=exact) if found.is_exact else Reading(words=NOT_TOLD)
    if found.ratio is None:
        return Reading(words="new", spread="the first has none")
    interval = exact
    if not found.is_exact and found.low is not None and found.high is not None:
        low, high = times(found.low), times(found.high)
        interval = "" if low == high else f"{low} to {high}"
    return Reading(words=times(found.ratio), spread=interval, is_range=interval not in ("", EXACT))


def times(ratio: float) -> str:
    """A ratio of any size: "4.7x", near to one "1.04x", and of small ones "1/1,200"."""
    if ratio <= 0:
        return f"0{_TIMES}"
    if ratio >= 1.95:
        return factor(ratio, 1)
    return f"{ratio:.2f}{_TIMES}" if ratio >= 0.1 else f"1/{significant(1 / ratio, 2):,}"


def _share(cell: Cell, name: str) -> str:
    """What part of the wall time was waiting, of the CPU time the kernel's."""
    whole = {"waiting_time_us": "wall_time_us", "system_time_us": "cpu_time_us"}.get(name)
    if whole is None:
        return ""
    part, all_of_it = median_of(cell, name), median_of(cell, whole)
    if part is None or not all_of_it:
        return ""
    return f"{percent(min(1.0, part / all_of_it))} of {METRICS[whole].noun}"
