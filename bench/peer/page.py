"""Write the table of peers into sandbox/README.md."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.experiment.page import machine_line, placed, table
from bench.peer.measuring import TALLY

PAGE = Path(__file__).parents[2] / "sandbox" / "README.md"
_KEY, _WRITER = "peers", "bench/peers.py"


@dataclass(frozen=True, kw_only=True, slots=True)
class _Column:
    heading: str
    key: str
    shown: Callable[[float], str]
    distance: Callable[[Mapping[str, float]], float]  # from bare: the least is the best


def _as_shown(places: int) -> Callable[[Mapping[str, float]], float]:
    """What looks the same in the table is the same."""
    return lambda estimate: round(estimate["value"], places)


def _sure_error(estimate: Mapping[str, float]) -> float:
    """The least that it can be, whatever its sign, given the noise; 0 when there may be none."""
    low, high = estimate["low"], estimate["high"]
    return 0.0 if low <= 0 <= high else round(min(abs(low), abs(high)), 1)


_COLUMNS = (
    _Column(heading="small C++, over bare", key="tiny_over_bare_ms", shown="{:.2f} ms".format, distance=_as_shown(2)),
    _Column(heading="Python, over bare", key="python_over_bare_ms", shown="{:.2f} ms".format, distance=_as_shown(2)),
    _Column(heading="C++, all cores busy", key="crowded_over_bare_ms", shown="{:.2f} ms".format, distance=_as_shown(2)),
    _Column(heading="opening", key="opening_ms", shown="{:.2f} ms".format, distance=_as_shown(2)),
    _Column(heading="error of CPU time", key="cpu_time_error_pct", shown="{:+.1f} %".format, distance=_sure_error),
    _Column(heading="CPU time of writes", key="writes_cpu_ratio", shown="{:.2f}".format, distance=_as_shown(2)),
    _Column(heading="wall time of writes", key="writes_wall_ratio", shown="{:.2f}".format, distance=_as_shown(2)),
)


def rewrite_page(report: Mapping[str, Any]) -> None:
    """Put the figures in their place. Raises ValueError when there is none."""
    PAGE.write_text(with_peer_figures(PAGE.read_text("utf-8"), report), "utf-8")


def with_peer_figures(page: str, report: Mapping[str, Any]) -> str:
    """The page with the figures of this report. Raises ValueError when it has no place for them."""
    return placed(page, _KEY, peer_figures(report), _WRITER)


def peer_figures(report: Mapping[str, Any]) -> str:
    """The table, in which the best of each column is bold, and in words who is better than Tally and who is missing."""
    heading = ("", *(column.heading for column in _measured(report["sandboxes"])))
    rows = [(_named(each), *_cells(each, report["sandboxes"])) for each in report["sandboxes"]]
    sentences = [_better(report["sandboxes"]), *_missing(report["not_measured"])]
    made_on = f"{report['rounds']} rounds in {report['took_s']} s; {machine_line(report)}."
    return "\n\n".join((table(heading, rows), " ".join(sentences), made_on))


def _measured(every: list[Mapping[str, Any]]) -> list[_Column]:
    """The columns that the report has: an older one has fewer."""
    return [column for column in _COLUMNS if any(each.get(column.key) for each in every)]


def _named(sandbox: Mapping[str, Any]) -> str:
    return f"{sandbox['name']} ({sandbox['version']})" if sandbox["version"] else str(sandbox["name"])


def _cells(sandbox: Mapping[str, Any], every: list[Mapping[str, Any]]) -> list[str]:
    found = []
    for column in _measured(every):
        best = min(_distance(column, each) for each in every)
        cell = _cell(column, sandbox)
        is_best = _has(column, sandbox) and _distance(column, sandbox) == best
        found.append(f"**{cell}**" if is_best else cell)
    return found


def _has(column: _Column, sandbox: Mapping[str, Any]) -> bool:
    return sandbox[column.key] is not None


def _cell(column: _Column, sandbox: Mapping[str, Any]) -> str:
    if not _has(column, sandbox):
        return "-"
    return column.shown(sandbox[column.key]["value"])


def _distance(column: _Column, sandbox: Mapping[str, Any]) -> float:
    return column.distance(sandbox[column.key]) if _has(column, sandbox) else math.inf


def _better(every: list[Mapping[str, Any]]) -> str:
    """Who did better than Tally, and in what."""
    ours = next(each for each in every if each["name"] == TALLY)
    found = [
        f"{each['name']} in {column.heading} ({_cell(column, each)} against {_cell(column, ours)})"
        for column in _measured(every)
        for each in every
        if _distance(column, each) < _distance(column, ours)
    ]
    return f"Better than Tally: {'; '.join(found)}." if found else "Nobody was better than Tally in any of them."


def _missing(reasons: Mapping[str, str]) -> list[str]:
    return [f"Not measured: {name} ({reason})." for name, reason in reasons.items()]
