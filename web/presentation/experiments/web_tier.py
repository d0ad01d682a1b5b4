"""E5: how many web processes and instances serve best, as bench/web_load.py measured it."""

from collections.abc import Mapping, Sequence
from typing import Any

from web.presentation.charts import TimeScale
from web.presentation.experiments.listing import Beside
from web.presentation.experiments.load_report import Group, LoadPicture, LoadReport, load_bar
from web.presentation.experiments.load_reports import machine_words, read_report
from web.presentation.units import counted, limit

_QUESTION = "How many web processes and instances does a site need, and when is one more of no use?"
_MECHANISM = (
    "A process of Python computes on one core at a time, and what comes in meanwhile stands in line before it: a "
    "second process shortens that line where a core is left for it. Database and visitors need cores, too, and once "
    "all of them are busy, a further process only divides them anew, and costs memory and connections. "
    "Where answers wait for something else, processes help beyond the number of cores, since more can wait at once."
)
_SOURCE = (
    "Reported by their author, with 100 users and a simple answer, here one without a page or a query. An answer that "
    "waits for something else: 2.2 a second with 24 % failures from one process, 22.3 from twelve. Tally's pages wait "
    "for its database alone, in threads."
)
_PUBLISHED: dict[tuple[int, int], tuple[tuple[str, ...], tuple[int, int]]] = {
    (1, 1): (("310", "", "", ""), (1, 1)),  # theirs, and which of ours is the nearest
    (1, 4): (("311", "", "", ""), (1, 4)),
    (3, 1): (("315", "6.5 ms", "12 ms", ""), (2, 1)),
    (3, 4): (("305", "", "", "6 %"), (2, 4)),
}
_COLUMNS = ("Requests/s", "Mean", "p95", "Failures")
_LOADS = {"simple": "no page", "typical": "pages"}
_BARS = {"median_ms": ("series-a", "median"), "p95_ms": ("series-b", "p95")}

_Cells = Sequence[Mapping[str, Any]]


def web_tier() -> LoadReport | None:
    """Return E5; None if it was not measured."""
    report = read_report("web_load.json")
    if report is None:
        return None
    cells = sorted(report["cells"], key=lambda cell: str(cell["load"]))
    typical = [cell for cell in cells if cell["load"] == "typical"]
    scale = TimeScale(end_us=max(1, *(round(1_020 * cell["p95_ms"]) for cell in typical)), limit_us=None)
    return LoadReport(
        number="E5",
        address="experiment_web_tier",
        title="Web tier: how many processes and instances",
        question=_QUESTION,
        sentence=_sentence([cell for cell in typical if cell["instances"] == 1], report["recommended_processes"]),
        card_metric="p95 of pages, from one instance",
        card_bars=tuple(
            load_bar("series-b", _processes(cell), *_time(scale, cell["p95_ms"]))
            for cell in typical
            if cell["instances"] == 1
        ),
        pictures=(_picture(report, typical, scale),),
        beside=_beside([cell for cell in cells if cell["load"] == "simple"]),
        published_source=_SOURCE,
        mechanism=_MECHANISM,
        heading=("Load", "Instances x processes", "Requests/s", "Mean", "Median", "p95", "Failures"),
        rows=tuple(_row(cell) for cell in cells),
        machine=machine_words(report),
    )


def _sentence(of_one_instance: _Cells, recommended: int) -> str:
    best = next(cell for cell in of_one_instance if cell["processes"] == recommended)
    others = [f"{limit(cell['p95_ms'])} with {_processes(cell)}" for cell in of_one_instance if cell is not best]
    against = f", against {' and '.join(others)}" if others else ""
    return (
        f"Recommended on that machine: {_processes(best)} of one instance, for {best['requests_per_s']:g} pages "
        f"a second at a p95 of {limit(best['p95_ms'])}{against}."
    )


def _picture(report: Mapping[str, Any], typical: _Cells, scale: TimeScale) -> LoadPicture:
    recommended = (1, report["recommended_processes"])
    return LoadPicture(
        title="How long visitors wait for a page",
        note=f"{report['visitors']} visitors, each of whom wants one every two seconds",
        groups=tuple(
            Group(
                name=_arrangement(cell["instances"], cell["processes"]),
                note=f"{cell['requests_per_s']:g} requests/s"
                + (", recommended" if (cell["instances"], cell["processes"]) == recommended else ""),
                bars=tuple(load_bar(kind, name, *_time(scale, cell[key])) for key, (kind, name) in _BARS.items()),
            )
            for cell in typical
        ),
        ticks=scale.ticks(),
        legend=tuple(_BARS.values()),
    )


def _beside(simple: _Cells) -> Beside:
    by_arrangement = {(cell["instances"], cell["processes"]): cell for cell in simple}
    rows = []
    for theirs, (figures, nearest) in _PUBLISHED.items():
        name = _short(*theirs) + ("" if nearest == theirs else f", here {_short(*nearest)}")
        cell = by_arrangement.get(nearest)
        rows.append((name, figures, _figures(cell) if cell else ("",) * len(_COLUMNS)))
    return Beside(of="Instances x processes", columns=_COLUMNS, here="Here", here_columns=_COLUMNS, rows=tuple(rows))


def _row(cell: Mapping[str, Any]) -> tuple[str, ...]:
    rate, mean, p95, failures = _figures(cell)
    arrangement = _short(cell["instances"], cell["processes"])
    return _LOADS[cell["load"]], arrangement, rate, mean, f"{cell['median_ms']:g} ms", p95, failures


def _figures(cell: Mapping[str, Any]) -> tuple[str, str, str, str]:
    rate, mean, p95, failures = (cell[name] for name in ("requests_per_s", "mean_ms", "p95_ms", "failures_pct"))
    return f"{rate:g}", f"{mean:g} ms", f"{p95:g} ms", f"{failures:g} %"


def _time(scale: TimeScale, time_ms: float) -> tuple[float, str]:
    return scale.x(1_000 * time_ms), limit(time_ms)


def _arrangement(instances: int, processes: int) -> str:
    of_each = " each" if instances > 1 else ""
    return f"{counted(instances, 'instance')}, {counted(processes, 'process', 'processes')}{of_each}"


def _short(instances: int, processes: int) -> str:
    return f"{instances} x {processes}"


def _processes(cell: Mapping[str, Any]) -> str:
    return counted(cell["processes"], "process", "processes")
