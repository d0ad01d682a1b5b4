"""E5: how many web processes and instances serve best, as bench/web_load.py measured it."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from web.presentation.charts import TimeScale
from web.presentation.compare.comparing import listed
from web.presentation.experiments.listing import Beside
from web.presentation.experiments.load_report import Group, LoadPicture, LoadReport, load_bar
from web.presentation.experiments.load_reports import machine_words, read_report
from web.presentation.units import count, limit, per_cent

_QUESTION = gettext_lazy("How many web processes and instances does a site need, and when is one more of no use?")
_MECHANISM = gettext_lazy(
    "A process of Python computes on one core at a time, and what comes in meanwhile stands in line before it: a "
    "second process shortens that line where a core is left for it. Database and visitors need cores, too, and once "
    "all of them are busy, a further process only divides them anew, and costs memory and connections. "
    "Where answers wait for something else, processes help beyond the number of cores, since more can wait at once."
)
_SOURCE = gettext_lazy(
    "Reported by their author, with 100 users and a simple answer, here one without a page or a query. An answer that "
    "waits for something else: 2.2 a second with %(failures)s failures from one process, 22.3 from twelve. Tally's "
    "pages wait for its database alone, in threads."
)
_PUBLISHED: dict[tuple[int, int], tuple[tuple[str, ...], str, tuple[int, int]]] = {
    (1, 1): (("310", "", ""), "", (1, 1)),  # theirs, the last in per cent, and which of ours is the nearest
    (1, 4): (("311", "", ""), "", (1, 4)),
    (3, 1): (("315", "6.5 ms", "12 ms"), "", (2, 1)),
    (3, 4): (("305", "", ""), "6", (2, 4)),
}
_COLUMNS = (gettext_noop("Requests/s"), gettext_noop("Mean"), "p95", gettext_noop("Failures"))
_LOADS = {"simple": gettext_noop("no page"), "typical": gettext_noop("pages")}
_BARS = {"median_ms": ("series-a", gettext_noop("median")), "p95_ms": ("series-b", "p95")}

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
        title=_("Web tier: how many processes and instances"),
        question=str(_QUESTION),
        sentence=_sentence([cell for cell in typical if cell["instances"] == 1], report["recommended_processes"]),
        card_metric=_("p95 of pages, from one instance"),
        card_bars=tuple(
            load_bar("series-b", _processes(cell), *_time(scale, cell["p95_ms"]))
            for cell in typical
            if cell["instances"] == 1
        ),
        pictures=(_picture(report, typical, scale),),
        beside=_beside([cell for cell in cells if cell["load"] == "simple"]),
        published_source=_SOURCE % {"failures": per_cent(24)},
        mechanism=str(_MECHANISM),
        heading=(_("Load"), _("Instances x processes"), _("Requests/s"), _("Mean"), _("Median"), "p95", _("Failures")),
        rows=tuple(_row(cell) for cell in cells),
        machine=machine_words(report),
    )


def _sentence(of_one_instance: _Cells, recommended: int) -> str:
    best = next(cell for cell in of_one_instance if cell["processes"] == recommended)
    others = [
        _("%(time)s with %(processes)s") % {"time": limit(cell["p95_ms"]), "processes": _processes(cell)}
        for cell in of_one_instance
        if cell is not best
    ]
    if others:
        words = _(
            "Recommended on that machine: %(processes)s of one instance, for %(pages)s pages a second at a p95 of "
            "%(time)s, against %(others)s."
        )
    else:
        words = _(
            "Recommended on that machine: %(processes)s of one instance, for %(pages)s pages a second at a p95 of "
            "%(time)s."
        )
    return words % {
        "processes": _processes(best),
        "pages": f"{best['requests_per_s']:g}",
        "time": limit(best["p95_ms"]),
        "others": listed(others),
    }


def _picture(report: Mapping[str, Any], typical: _Cells, scale: TimeScale) -> LoadPicture:
    recommended = (1, report["recommended_processes"])
    return LoadPicture(
        title=_("How long visitors wait for a page"),
        note=ngettext(
            "%(visitors)s visitor, who wants one every two seconds",
            "%(visitors)s visitors, each of whom wants one every two seconds",
            report["visitors"],
        )
        % {"visitors": report["visitors"]},
        groups=tuple(
            Group(
                name=_arrangement(cell["instances"], cell["processes"]),
                note=_rate(cell, is_recommended=(cell["instances"], cell["processes"]) == recommended),
                bars=tuple(load_bar(kind, _(name), *_time(scale, cell[key])) for key, (kind, name) in _BARS.items()),
            )
            for cell in typical
        ),
        ticks=scale.ticks(),
        legend=tuple((kind, _(name)) for kind, name in _BARS.values()),
    )


def _rate(cell: Mapping[str, Any], *, is_recommended: bool) -> str:
    words = _("%(rate)s requests/s, recommended") if is_recommended else _("%(rate)s requests/s")
    return words % {"rate": f"{cell['requests_per_s']:g}"}


def _beside(simple: _Cells) -> Beside:
    by_arrangement = {(cell["instances"], cell["processes"]): cell for cell in simple}
    rows = []
    for theirs, (figures, failures, nearest) in _PUBLISHED.items():
        name = _short(*theirs)
        if nearest != theirs:
            name = _("%(theirs)s, here %(ours)s") % {"theirs": name, "ours": _short(*nearest)}
        cell = by_arrangement.get(nearest)
        figures = (*figures, per_cent(failures) if failures else "")
        rows.append((name, figures, _figures(cell) if cell else ("",) * len(_COLUMNS)))
    columns = tuple(_(name) for name in _COLUMNS)
    return Beside(
        of=_("Instances x processes"), columns=columns, here=_("Here"), here_columns=columns, rows=tuple(rows)
    )


def _row(cell: Mapping[str, Any]) -> tuple[str, ...]:
    rate, mean, p95, failures = _figures(cell)
    arrangement = _short(cell["instances"], cell["processes"])
    return _(_LOADS[cell["load"]]), arrangement, rate, mean, limit(cell["median_ms"]), p95, failures


def _figures(cell: Mapping[str, Any]) -> tuple[str, str, str, str]:
    rate, mean, p95, failures = (cell[name] for name in ("requests_per_s", "mean_ms", "p95_ms", "failures_pct"))
    return f"{rate:g}", limit(mean), limit(p95), per_cent(f"{failures:g}")


def _time(scale: TimeScale, time_ms: float) -> tuple[float, str]:
    return scale.x(1_000 * time_ms), limit(time_ms)


def _arrangement(instances: int, processes: int) -> str:
    counts = ngettext("%(number)s instance", "%(number)s instances", instances) % {"number": count(instances)}
    if instances == 1:
        return f"{counts}, {_count_of_processes(processes)}"
    return _("%(instances)s, %(processes)s each") % {
        "instances": counts,
        "processes": _count_of_processes(processes),
    }


def _short(instances: int, processes: int) -> str:
    return f"{instances} x {processes}"


def _processes(cell: Mapping[str, Any]) -> str:
    return _count_of_processes(cell["processes"])


def _count_of_processes(number: int) -> str:
    return ngettext("%(number)s process", "%(number)s processes", number) % {"number": count(number)}
