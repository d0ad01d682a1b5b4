"""E6: grading in the request against grading through the queue, as bench/accepting.py measured it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop

from web.presentation.charts import LogScale, Tick
from web.presentation.experiments.listing import Beside
from web.presentation.experiments.load_report import Group, LoadPicture, LoadReport, load_bar
from web.presentation.experiments.load_reports import load_cells, machine_words, read_report
from web.presentation.experiments.pictures import Bar
from web.presentation.units import limit, per_cent

_QUESTION = gettext_lazy(
    "What becomes of a site that does heavy work while visitors wait for the answer, and of one that hands it over?"
)
_MECHANISM = gettext_lazy(
    "A process that grades answers nobody meanwhile. Where more work comes in than the cores can do, everybody waits "
    "in line, and the line only gets shorter when somebody gives up: those are the dropped ones. "
    "Through the queue the request ends when the row is committed, and the line is a table, in front of which nobody "
    "waits: heavier work makes it longer, and the answer comes as fast as before."
)
_SOURCE = gettext_lazy(
    "Reported by their author, 50 requests a second for 30 s, five weights from light to heavy; handed over to another "
    "service, where none were dropped. Theirs and ours do not weigh the same, and here a visitor gives up after 10 s."
)
_PUBLISHED = (
    ("30 ms", "50/s", 0),
    ("4.1 s", "22/s", 47),
    ("6.3 s", "14/s", 66),
    ("12.2 s", "8/s", 80),
    ("25.2 s", "3/s", 89),
)
_PUBLISHED_HANDED_OVER = gettext_noop("11 to 18 ms")  # at every weight
_COLUMNS = (
    gettext_noop("p95 in the request"),
    gettext_noop("Taken"),
    gettext_noop("Dropped"),
    gettext_noop("p95 handed over"),
)
_WAYS = {
    "in_request": ("series-b", gettext_noop("in the request")),
    "queue": ("series-a", gettext_noop("through the queue")),
}

_Load = Mapping[str, Any]
_Reading = Callable[[_Load], tuple[float, str]]  # how wide it is drawn, and its words


def accepting() -> LoadReport | None:
    """Return E6; None if it was not measured."""
    report = read_report("accepting.json")
    if report is None:
        return None
    levels = report["levels"]
    heaviest = max(levels, key=lambda level: int(level["grading_ms"]))
    return LoadReport(
        number="E6",
        address="experiment_accepting",
        title=_("Heavy work in the request, or handed over"),
        question=str(_QUESTION),
        sentence=_sentence(report),
        card_metric=_("Dropped, when one grading takes %(time)s") % {"time": _weight(heaviest)},
        card_bars=_bars(heaviest, _dropped),
        pictures=(_latencies(report), _drops(report)),
        beside=_beside(levels),
        published_source=str(_SOURCE),
        mechanism=str(_MECHANISM),
        heading=(
            _("One grading takes"),
            _("In the request: p95"),
            _("In the request: taken"),
            _("In the request: dropped"),
            _("Queue: p95"),
            _("Queue: taken"),
            _("Queue: dropped"),
        ),
        rows=(
            (_("nothing is graded"), *2 * load_cells(report["idle"])),
            *((_weight(level), *(word for way in _WAYS for word in load_cells(level[way]))) for level in levels),
        ),
        machine=machine_words(report),
    )


def _shares() -> list[Tick]:
    middle, all_of_it = per_cent(50), per_cent(100)
    return [Tick(x=0, label="0", anchor="start"), Tick(x=50, label=middle), Tick(x=100, label=all_of_it, anchor="end")]


def _sentence(report: Mapping[str, Any]) -> str:
    dropped = max(level["in_request"]["dropped_pct"] for level in report["levels"])
    return _(
        "At %(rate)s submissions a second up to %(share)s were dropped when the request graded. Through the queue "
        "%(dropped)s of %(sent)s were, and p95 was %(times)s times its idle value at most, however heavy the grading."
    ) % {
        "rate": f"{report['rate']:g}",
        "share": per_cent(f"{dropped:.0f}"),
        "dropped": report["dropped_through_queue"],
        "sent": f"{report['sent_through_queue']:,}",
        "times": f"{report['worst_of_idle']:.1f}",
    }


def _latencies(report: Mapping[str, Any]) -> LoadPicture:
    loads = [report["idle"], *(level[way] for level in report["levels"] for way in _WAYS)]
    scale = LogScale(largest=max(load["p95_ms"] for load in loads), words=limit)  # of milliseconds
    return LoadPicture(
        title=_("p95 of sending a program in"),
        note=_("logarithmic; whoever has no answer gives up after %(time)s")
        % {"time": limit(1_000 * report["timeout_s"])},
        groups=_groups(report, lambda load: (scale.x(load["p95_ms"]), load_cells(load)[0])),
        ticks=scale.ticks(),
        legend=_legend(),
    )


def _drops(report: Mapping[str, Any]) -> LoadPicture:
    return LoadPicture(
        title=_("Dropped: refused, broken or given up"),
        groups=_groups(report, _dropped),
        ticks=_shares(),
        legend=_legend(),
    )


def _groups(report: Mapping[str, Any], reading: _Reading) -> tuple[Group, ...]:
    """Return the groups of bars: nothing graded, which is the same in both ways, then each weight."""
    idle = Group(name=_("Nothing is graded"), bars=(load_bar("waiting", _("either way"), *reading(report["idle"])),))
    return (
        idle,
        *(
            Group(name=_("One grading takes %(time)s") % {"time": _weight(level)}, bars=_bars(level, reading))
            for level in report["levels"]
        ),
    )


def _bars(level: Mapping[str, Any], reading: _Reading) -> tuple[Bar, ...]:
    return tuple(load_bar(kind, _(name), *reading(level[way])) for way, (kind, name) in _WAYS.items())


def _legend() -> tuple[tuple[str, str], ...]:
    return tuple((kind, _(name)) for kind, name in _WAYS.values())


def _weight(level: Mapping[str, Any]) -> str:
    return f"{level['grading_ms']:,} ms"


def _dropped(load: _Load) -> tuple[float, str]:
    return load["dropped_pct"], load_cells(load)[2]


def _beside(levels: Sequence[Mapping[str, Any]]) -> Beside:
    rows = []
    for place, (*figures, dropped) in enumerate(_PUBLISHED):
        ours = _here(levels[place]) if place < len(levels) else ("",) * 5
        theirs = (*figures, per_cent(dropped), _(_PUBLISHED_HANDED_OVER))
        rows.append((str(place + 1), theirs, ours))
    columns = tuple(_(name) for name in _COLUMNS)
    return Beside(
        of=_("Weight"),
        columns=columns,
        here=_("Here"),
        here_columns=(_("One grading"), *columns),
        rows=tuple(rows),
    )


def _here(level: Mapping[str, Any]) -> tuple[str, ...]:
    loads = level["in_request"]
    p95, taken, dropped = load_cells(loads)
    return _weight(level), p95, taken, dropped, load_cells(level["queue"])[0]
