"""CPU time by line as this reader may see it: a table in the case, text beside the source, and a file for speedscope.

Of a hidden case contestants see the few lines that took most, as rounded times; everything else, shares and the file
too, is computed from these.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from judge.grading.events import LineTime, LineTimes
from judge.models import TestCaseResult
from web.access.rounding import LEAST_SHARE, MOST_NAMES, Rounding
from web.presentation.units import count, duration, percent

_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide
_HEAT = (0.02, 0.1, 0.25, 0.5)  # shares from which a line is warmer
_FEW = 200  # samples: with fewer a share may be off by some per cent
_MANY_CUT = 0.02  # of all samples
_MORE_WITH_CALLS = 0.02  # of all: less is not worth telling beside the source


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
    case_position: int
    cpu_us: int
    headline: str
    lines: tuple[LineTimeView, ...]
    remarks: tuple[str, ...]

    @property
    def case_number(self) -> int:
        """The case's number for people, from 1."""
        return self.case_position + 1

    def of_line(self, line: int) -> LineTimeView | None:
        """Return the time of this line, if it has any."""
        return next((time for time in self.lines if time.line == line), None)


def line_times_view(result: TestCaseResult, rounding: Rounding) -> LineTimesView | None:
    """Return the CPU time of a case by line; None if it was not sampled."""
    times = result.line_times
    if times is None:
        return None
    whole = rounding.cpu_time_us(times.cpu_time_us)
    lines = tuple(_view(line, times, whole, rounding) for line in _listed(times, rounding))
    if not rounding.is_exact:  # equal ones in the order of the lines: their true order would say more
        lines = tuple(sorted(lines, key=lambda line: (-line.own_us, -line.total_us, line.line)))
    has_others = len(lines) < len(times.lines)
    return LineTimesView(
        case_name=result.name,
        case_position=result.position,
        cpu_us=whole,
        headline=_headline(lines, whole),
        lines=lines,
        remarks=tuple(_remarks(result, times, rounding, has_others=has_others)),
    )


def _listed(times: LineTimes, rounding: Rounding) -> Sequence[LineTime]:
    """Return the lines that this reader sees."""
    if rounding.is_exact:
        return times.lines
    least = times.samples * LEAST_SHARE
    return [line for line in times.lines if line.own >= least or line.total >= least][:MOST_NAMES]


def _view(line: LineTime, times: LineTimes, whole: int, rounding: Rounding) -> LineTimeView:
    own, total = (rounding.time_us(_time_us(samples, times)) for samples in (line.own, line.total))
    if rounding.is_exact:
        own_share, total_share = (samples / max(1, times.samples) for samples in (line.own, line.total))
    else:  # of an `Under` nothing
        own_share, total_share = (min(1.0, time / max(1, whole)) for time in (own, total))
    return LineTimeView(
        line=line.line,
        own_us=own,
        total_us=total,
        own_share=own_share,
        total_share=total_share,
        width=max(_VISIBLE, round(100 * own_share, 1)) if own else 0.0,
    )


def _time_us(samples: int, times: LineTimes) -> float:
    return samples / max(1, times.samples) * times.cpu_time_us


def _headline(lines: tuple[LineTimeView, ...], whole: int) -> str:
    first = lines[0] if lines else None
    if first is None or first.own_share < LEAST_SHARE:
        return _("No line of the source took a notable part of the CPU time.")
    return _("Line %(line)s took %(share)s of %(time)s of CPU time.") % {
        "line": first.line,
        "share": percent(first.own_share),
        "time": duration(whole),
    }


def _remarks(result: TestCaseResult, times: LineTimes, rounding: Rounding, *, has_others: bool) -> Iterator[str]:
    samples = times.samples
    if rounding.is_exact:
        yield ngettext("%(samples)s sample in a rerun.", "%(samples)s samples in a rerun.", samples) % {
            "samples": count(samples)
        }
    judged, sampled = rounding.cpu_time_us(result.cpu_time_us), rounding.cpu_time_us(times.cpu_time_us)
    yield _("CPU time of the judged run: %(judged)s; of the sampled run: %(sampled)s.") % {
        "judged": duration(judged),
        "sampled": duration(sampled),
    }
    if has_others:
        yield _("Other lines took a little more.")
    elsewhere = rounding.time_us(_time_us(times.elsewhere, times))
    if elsewhere:
        yield _("Attributed to no line of yours: %(time)s. One example is the start of the program.") % {
            "time": duration(elsewhere)
        }
    if rounding.is_exact and samples < _FEW:
        yield _("With so few samples a share may be off by several per cent.")
    if rounding.is_exact and times.lost:
        yield ngettext("%(samples)s sample was lost.", "%(samples)s samples were lost.", times.lost) % {
            "samples": count(times.lost)
        }
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
    frames: list[dict[str, Any]] = [{"name": _frame(line, text), "file": name, "line": line} for line in numbers]
    samples, weights = (
        [[place[line] for line in reversed(lines)] for lines, _us in stacks],
        [us for _lines, us in stacks],
    )
    rest = int(view.cpu_us) - sum(weights)
    if rest > 0:
        frames.append({"name": _("other lines, or no line of the source")})
        samples, weights = [*samples, [len(numbers)]], [*weights, rest]
    return {
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "exporter": "Tally",
        "name": f"{name}, {view.case_name}",
        "activeProfileIndex": 0,
        "shared": {"frames": frames},
        "profiles": [
            {
                "type": "sampled",
                "name": view.case_name,
                "unit": "microseconds",
                "startValue": 0,
                "endValue": sum(weights),
                "samples": samples,
                "weights": weights,
            }
        ],
    }


def _frame(line: int, text: list[str]) -> str:
    words = text[line - 1].strip() if line <= len(text) else ""
    return f"{line}: {words[:100]}"
