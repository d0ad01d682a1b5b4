"""The judge's findings for people: the sentence with its code marked, further evidence as facts, the lines."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop

from judge.grading.case_ending import CaseEnding
from judge.grading.events import Finding, FindingOfOlderRow
from judge.grading.explain import ABOUT_NO_CASE, say, telling_of
from judge.grading.explain.evidence.rule import OF_THE_PROBLEM, OF_THE_SOURCE, Words
from judge.grading.languages import Language
from judge.grading.measures import BY_NAME
from problems.jsonvalues import JsonError, from_row, to_json
from web.access.rounding import EXACT, Rounding, Under
from web.presentation.charts import Tick
from web.presentation.units import count, data_size, duration, limit, percent
from web.presentation.visible import with_code

_ROOM = 1.4  # times the smallest and the largest number, at each end of an axis
_MOST_TICKS = 4


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """A logarithmic axis between two positive numbers."""

    least: float
    most: float

    def part(self, number: float) -> float:
        """Return the position of a number: 0 at the start, 100 at the end."""
        return round(100 * math.log(number / self.least) / math.log(self.most / self.least), 2)


@dataclass(frozen=True, kw_only=True, slots=True)
class GrowthPlot:
    """How a program's time grows with the input's size: both axes logarithmic, one dot a test case, the fitted line.

    Positions are per cent of the drawing, from the left and from the top. `description` tells all of it in words.
    """

    dots: tuple[tuple[float, float], ...]
    line: tuple[float, float, float, float]  # x1, y1, x2, y2
    limit_y: float
    limit_words: str
    sizes: tuple[Tick, ...]
    times: tuple[Tick, ...]  # `x` from the top
    numbers: tuple[tuple[str, str], ...]  # size and time of each dot
    description: str


def growth_plot(evidence: Mapping[str, Any], rounding: Rounding) -> GrowthPlot | None:
    """Return the picture of a finding `growth` as this reader may see it; None if too little is left to draw."""
    rounded = [(rounding.count(size), rounding.time_us(time)) for size, time in evidence["points"]]
    dots = [(size, time) for size, time in rounded if not isinstance(size, Under) and not isinstance(time, Under)]
    if len(dots) < 2:
        return None
    limit_us = evidence["time_limit_ms"] * 1_000
    first, last = (
        dots[0][0],
        max(dots[-1][0], rounding.count(evidence.get("largest_bytes", evidence.get("largest_number", 0)))),
    )
    # The power, and a size with its time on the line; of rounded dots the middle one, and the power as it is told.
    power, middle = evidence["power_percent"] / 100, evidence["line"]
    if not rounding.is_exact:
        power, middle = round(power, 1), dots[len(dots) // 2]
    line = [(size, middle[1] * (size / middle[0]) ** power) for size in (first, last)]
    heights = [time for _size, time in (*dots, *line)]
    across = Axis(least=first / _ROOM, most=last * _ROOM)
    up = Axis(least=min(heights) / _ROOM, most=max(*heights, limit_us) * _ROOM)
    (x1, y1), (x2, y2) = ((across.part(size), 100 - up.part(time)) for size, time in line)
    in_words = count if "most_number" in evidence else data_size
    numbers = tuple((str(in_words(size)), duration(time)) for size, time in dots)
    pairs = ", ".join(_("%(size)s: %(time)s") % {"size": size, "time": time} for size, time in numbers)
    description = _("CPU time without the start by input size, both on logarithmic axes: %(pairs)s.")
    return GrowthPlot(
        dots=tuple((across.part(size), round(100 - up.part(time), 2)) for size, time in dots),
        line=(x1, round(y1, 2), x2, round(y2, 2)),
        limit_y=round(100 - up.part(limit_us), 2),
        limit_words=_("limit %(time)s") % {"time": limit(evidence["time_limit_ms"])},
        sizes=tuple(Tick(x=across.part(size), label=str(in_words(size))) for size in _steps(across, 2)),
        times=tuple(Tick(x=round(100 - up.part(time), 2), label=limit(time / 1_000)) for time in _steps(up, 10)),
        numbers=numbers,
        description=description % {"pairs": pairs},
    )


def _steps(axis: Axis, base: int) -> list[int]:
    """Return powers of the base on the axis, so few that their words have room."""
    powers = range(math.ceil(math.log(axis.least, base)), math.floor(math.log(axis.most, base)) + 1)
    every = max(1, math.ceil(len(powers) / _MOST_TICKS))
    return [base**power for power in powers[::every] if power >= 0]


_ORDER = ("cpu_time_us", "user_time_us", "system_time_us", "kernel_percent", "wall_time_us")
_SAID_ABOVE = frozenset(
    {"verdict", "accepted", "test_cases", "test_case", "construct", "score", "groups", "weight_percent"}
)
_LABELS = {  # of what is no number of a run: those have theirs in `judge.grading.measures`
    "kernel_percent": gettext_noop("share of the kernel"),
    "own_percent": gettext_noop("share of your own code"),
    "interactor_cpu_time_us": gettext_noop("CPU time of the judge's side"),
    "sent_bytes": gettext_noop("sent"),
    "loops": gettext_noop("loops"),
}
_SHOWN_LINES = 8
_WORDS = Words(duration=duration, size=data_size, count=count)

_BY_SUFFIX: Mapping[str, Callable[[float], str]] = {
    "_us": duration,
    "_ms": limit,
    "_bytes": data_size,
    "_share": percent,
    "_percent": lambda number: percent(number / 100),
}
_UNITS_THAT_ARE_NO_WORDS = ("_us", "_ms", "_bytes", "_percent")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One measured thing that a finding rests on and that its sentence does not tell."""

    label: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingView:
    """One finding. `lines` are line numbers of the source; no advice is an empty one."""

    code: str
    html: SafeString
    advice: SafeString
    facts: tuple[Fact, ...]
    lines: tuple[int, ...]
    plot: GrowthPlot | None = None


def finding_views(
    explanation: Sequence[Finding], of_cases: Mapping[str, Rounding], of_others: Rounding, language: Language | None
) -> list[FindingView]:
    """Return the findings of a row in words, each as exactly as the case that it names, else as `of_others`.

    Who sees exact numbers reads the English of an older row whose evidence does not suffice for sentences of now.
    """
    views = []
    for finding in explanation:
        rounding = of_cases.get(finding.evidence.get("test_case", ""), of_others)
        rounding = EXACT if finding.code in ABOUT_NO_CASE else rounding
        view = _view(finding, rounding, language)
        if view is None and rounding.is_exact and isinstance(finding, FindingOfOlderRow):
            lines = tuple(finding.lines or finding.evidence.get("lines", ()))[:_SHOWN_LINES]
            html, advice = with_code(finding.text), with_code(finding.advice)
            view = FindingView(code=finding.code, html=html, advice=advice, facts=(), lines=lines)
        views += [view] if view else []
    return views


def _view(finding: Finding, rounding: Rounding, language: Language | None) -> FindingView | None:
    """Return the finding in newly made sentences; None if this version has none for it, or the row is too old."""
    evidence = {name: _as_shown(name, value, rounding, language) for name, value in finding.evidence.items()}
    telling = telling_of(evidence, finding.lines, language, _WORDS)
    sentence = say(finding.code, telling, is_older=isinstance(finding, FindingOfOlderRow))
    if sentence is None:
        return None
    names = [
        name
        for name in sorted(evidence, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
        if name not in _SAID_ABOVE and name not in telling.asked and _is_number(evidence[name])
    ]
    return FindingView(
        code=finding.code,
        html=with_code(sentence.text),
        advice=with_code(sentence.advice),
        facts=tuple(_fact(name, evidence[name]) for name in names),
        lines=finding.lines[:_SHOWN_LINES],
        plot=growth_plot(finding.evidence, rounding) if finding.code == "growth" else None,
    )


def _as_shown(name: str, value: Any, rounding: Rounding, language: Language | None) -> Any:
    """Return a piece of evidence as this reader may see it, before any sentence is made of it."""
    if rounding.is_exact or name in OF_THE_PROBLEM:
        return value
    if name == "ending":
        try:
            return to_json(from_row(CaseEnding, value).bounded(language.known_errors if language else frozenset()))
        except JsonError:  # of another version
            return None
    if isinstance(value, str):
        return value if name in OF_THE_SOURCE else ""
    return rounding.named(name, value) if _is_number(value) else value


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _fact(name: str, number: float) -> Fact:
    for suffix, worded in _BY_SUFFIX.items():
        if name.endswith(suffix):
            return Fact(label=_label(name), value=worded(number))
    if name.startswith("bytes_per_"):
        return Fact(label=_label(name), value=data_size(number))
    return Fact(label=_label(name), value=count(number) if number == int(number) else f"{number:,.2f}")


def _label(name: str) -> str:
    if name in BY_NAME:
        return _(BY_NAME[name].label)
    if name in _LABELS:
        return _(_LABELS[name])
    for suffix in _UNITS_THAT_ARE_NO_WORDS:
        name = name.removesuffix(suffix)
    return name.replace("_", " ")
