"""What the lines of a source cost as this reader may see it: writes, and CPU time with its file for speedscope.

A table in the case, and text beside the source. Of a hidden case contestants see the few lines that matter, as rounded
numbers: with a line for each digit of the input a program could else tell what it read. Everything else, shares and the
file too, is computed from these.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _, ngettext

from judge.grading.events import LineCosts, LineTimes
from judge.models import TestCaseResult
from web.access.rounding import LEAST_SHARE, MOST_NAMES, Rounding
from web.presentation.units import count, data_size, duration, percent

_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide
_ELSEWHERE = "elsewhere"
_HEAT = (0.02, 0.1, 0.25, 0.5)  # shares from which a line is warmer
_FEW = 200  # samples: with fewer a share may be off by some per cent
_MANY_CUT = 0.02  # of all samples
_MORE_WITH_CALLS = 0.02  # of all: less is not worth telling beside the source


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCostView:
    """The writes of one line. `width` is that of its bar, in per cent of all writes."""

    line: int
    writes: int
    bytes: int
    width: float

    @property
    def words(self) -> str:
        """The cost beside the line: "1,000,000 writes, 6.6 MiB"."""
        words = ngettext("%(writes)s write, %(size)s", "%(writes)s writes, %(size)s", self.writes)
        return words % {"writes": count(self.writes), "size": data_size(self.bytes)}


@dataclass(frozen=True, kw_only=True, slots=True)
class LineCostsView:
    """The writes of one case by line, the most expensive first. `remarks` explain what is missing."""

    case_name: str
    case_number: int  # for people, from 1
    total: int
    lines: tuple[LineCostView, ...]
    remarks: tuple[str, ...]


def line_costs_view(result: TestCaseResult, rounding: Rounding) -> LineCostsView | None:
    """Return the line costs of a case; None if they were not measured."""
    costs = result.line_costs
    if costs is None:
        return None
    size = {line.line: line.bytes for line in costs.lines}
    total = rounding.count(sum(line.writes for line in costs.lines) + costs.elsewhere)
    writes_of = {line.line: line.writes for line in costs.lines}
    if not rounding.is_exact:
        # Fixed width, so that equal ones are in the order of the lines. What is of no line counts among all writes.
        by_name = {f"{line:09}": writes for line, writes in writes_of.items()}
        matter = rounding.names_that_matter({**by_name, _ELSEWHERE: costs.elsewhere})
        writes_of = {int(name): writes for name, writes in matter.items() if name != _ELSEWHERE}
    lines = tuple(
        LineCostView(
            line=line,
            writes=writes,
            bytes=rounding.count(size[line]),
            width=max(_VISIBLE, round(100 * writes / max(1, total), 1)),
        )
        for line, writes in writes_of.items()
    )
    remarks = tuple(_cost_remarks(costs, rounding, has_others=len(lines) < len(costs.lines)))
    return LineCostsView(
        case_name=result.name, case_number=result.position + 1, total=total, lines=lines, remarks=remarks
    )


def _cost_remarks(costs: LineCosts, rounding: Rounding, *, has_others: bool) -> Iterator[str]:
    elsewhere = rounding.count(costs.elsewhere)
    if has_others:
        yield _("Other lines made a few more.")
    if elsewhere:
        yield _(
            "Write calls that belong to no line of yours: %(writes)s. One example is output at the program's end."
        ) % {"writes": count(elsewhere)}
    if costs.sampled_every > 1 and rounding.is_exact:
        yield _(
            "There were so many ways to a write that only about one in %(every)s was looked at after the first ones: "
            "the counts of the lines are estimates."
        ) % {"every": costs.sampled_every}
    elif costs.sampled_every > 1:
        yield _(
            "There were so many ways to a write that only a part of them was looked at after the first ones: the "
            "counts of the lines are estimates."
        )
    if not costs.is_whole:
        yield _("The run did not come to its end, so these are the writes until then.")


@dataclass(frozen=True, kw_only=True, slots=True)
class LineTimeView:
    """The CPU time of one line: its own, and with all that it calls; as shares of all, too. `width`: of its bar."""

    line: int
    own_us: int
    total_us: int
    own_share: float
    total_share: float
    width: float

    @property
    def heat(self) -> int:
        """How warm the line is drawn, from 0 to 4."""
        return sum(self.own_share >= least for least in _HEAT)

    @property
    def words(self) -> str:
        """The time beside the line: "83 %, 1.74 s", or of one that only calls: "12 % with calls"."""
        values = {"share": percent(self.own_share), "time": duration(self.own_us), "total": percent(self.total_share)}
        has_calls = self.total_share - self.own_share >= _MORE_WITH_CALLS
        if self.own_share < LEAST_SHARE:
            return _("%(total)s with calls") % values if has_calls else values["time"]
        return (_("%(share)s, %(time)s; %(total)s with calls") if has_calls else _("%(share)s, %(time)s")) % values


@dataclass(frozen=True, kw_only=True, slots=True)
class LineTimesView:
    """The CPU time of one case by line, the most own time first. `remarks` explain what is missing."""

    case_name: str
    case_number: int  # for people, from 1
    cpu_us: int
    headline: str
    lines: tuple[LineTimeView, ...]
    remarks: tuple[str, ...]


def line_times_view(result: TestCaseResult, rounding: Rounding) -> LineTimesView | None:
    """Return the CPU time of a case by line; None if it was not sampled."""
    times = result.line_times
    if times is None:
        return None
    whole, seen = rounding.cpu_time_us(times.cpu_time_us), times.lines
    if not rounding.is_exact:
        least = times.samples * LEAST_SHARE
        seen = tuple(line for line in times.lines if line.own >= least or line.total >= least)[:MOST_NAMES]
    lines = []
    for line in seen:
        own, total = (rounding.time_us(_time_us(samples, times)) for samples in (line.own, line.total))
        own_share, total_share = (samples / max(1, times.samples) for samples in (line.own, line.total))
        if not rounding.is_exact:  # of an `Under` nothing
            own_share, total_share = (min(1.0, time / max(1, whole)) for time in (own, total))
        lines.append(
            LineTimeView(
                line=line.line,
                own_us=own,
                total_us=total,
                own_share=own_share,
                total_share=total_share,
                width=max(_VISIBLE, round(100 * own_share, 1)) if own else 0.0,
            )
        )
    if not rounding.is_exact:  # equal ones in the order of the lines: their true order would say more
        lines.sort(key=lambda line: (-line.own_us, -line.total_us, line.line))
    headline = _("No line of the source took a notable part of the CPU time.")
    if lines and lines[0].own_share >= LEAST_SHARE:
        values = {"line": lines[0].line, "share": percent(lines[0].own_share), "time": duration(whole)}
        headline = _("Line %(line)s took %(share)s of %(time)s of CPU time.") % values
    return LineTimesView(
        case_name=result.name,
        case_number=result.position + 1,
        cpu_us=whole,
        headline=headline,
        lines=tuple(lines),
        remarks=tuple(_time_remarks(result, times, rounding, has_others=len(lines) < len(times.lines))),
    )


def _time_us(samples: int, times: LineTimes) -> float:
    return samples / max(1, times.samples) * times.cpu_time_us


def _time_remarks(result: TestCaseResult, times: LineTimes, rounding: Rounding, *, has_others: bool) -> Iterator[str]:
    samples = times.samples
    if rounding.is_exact:
        words = ngettext("%(samples)s sample in a rerun.", "%(samples)s samples in a rerun.", samples)
        yield words % {"samples": count(samples)}
    judged, sampled = (duration(rounding.cpu_time_us(run.cpu_time_us)) for run in (result, times))
    words = _("CPU time of the judged run: %(judged)s; of the sampled run: %(sampled)s.")
    yield words % {"judged": judged, "sampled": sampled}
    if has_others:
        yield _("Other lines took a little more.")
    elsewhere = rounding.time_us(_time_us(times.elsewhere, times))
    if elsewhere:
        words = _("Attributed to no line of yours: %(time)s. One example is the start of the program.")
        yield words % {"time": duration(elsewhere)}
    if rounding.is_exact and samples < _FEW:
        yield _("With so few samples a share may be off by several per cent.")
    if rounding.is_exact and times.lost:
        words = ngettext("%(samples)s sample was lost.", "%(samples)s samples were lost.", times.lost)
        yield words % {"samples": count(times.lost)}
    if rounding.is_exact and times.cut > _MANY_CUT * samples:
        yield _("Some calls were nested too deeply to be followed: the times with calls are too small.")
    if not times.is_whole:
        yield _("The run did not come to its end, so this is the time until then.")


def speedscope(view: LineTimesView, times: LineTimes, source: str, name: str, rounding: Rounding) -> dict[str, Any]:
    """Return the samples in the file format of speedscope, as a "sampled" profile; weights are in microseconds.

    `name`: of the source file. For a reader who sees rounded numbers it has only those of the view. The last frame has
    the rest of the CPU time, so that speedscope computes the shares that the page shows.
    """
    text = source.split("\n")
    stacks: list[tuple[tuple[int, ...], int]] = [((line.line,), int(line.own_us)) for line in view.lines if line.own_us]
    if rounding.is_exact:
        stacks = [(stack.lines, round(_time_us(stack.samples, times))) for stack in times.stacks]
    numbers = sorted({line for lines, _us in stacks for line in lines})
    place = {line: index for index, line in enumerate(numbers)}
    frames: list[dict[str, Any]] = []
    for line in numbers:
        words = text[line - 1].strip() if line <= len(text) else ""
        frames.append({"name": f"{line}: {words[:100]}", "file": name, "line": line})
    samples = [[place[line] for line in reversed(lines)] for lines, _us in stacks]
    weights = [us for _lines, us in stacks]
    rest = int(view.cpu_us) - sum(weights)
    if rest > 0:
        frames.append({"name": _("other lines, or no line of the source")})
        samples.append([len(numbers)])
        weights.append(rest)
    profile = {
        "type": "sampled",
        "name": view.case_name,
        "unit": "microseconds",
        "startValue": 0,
        "endValue": sum(weights),
        "samples": samples,
        "weights": weights,
    }
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "Tally",
        "name": f"{name}, {view.case_name}",
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": [profile],
    }
