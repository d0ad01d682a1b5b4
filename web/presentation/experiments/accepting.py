"""E6: grading in the request against grading through the queue, as bench/accepting.py measured it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from web.presentation.charts import LogScale, Tick
from web.presentation.experiments.listing import Beside
from web.presentation.experiments.load_report import Group, LoadPicture, LoadReport, load_bar
from web.presentation.experiments.load_reports import load_cells, machine_words, read_report
from web.presentation.experiments.pictures import Bar
from web.presentation.units import duration, limit

_QUESTION = (
    "What becomes of a site that does heavy work while visitors wait for the answer, and of one that hands it over?"
)
_MECHANISM = (
    "A process that grades answers nobody meanwhile. Where more work comes in than the cores can do, everybody waits "
    "in line, and the line only gets shorter when somebody gives up: those are the dropped ones. "
    "Through the queue the request ends when the row is committed, and the line is a table, in front of which nobody "
    "waits: heavier work makes it longer, and the answer comes as fast as before."
)
_SOURCE = (
    "Reported by their author, 50 requests a second for 30 s, five weights from light to heavy; handed over to another "
    "service, where none were dropped. Theirs and ours do not weigh the same, and here a visitor gives up after 10 s."
)
_PUBLISHED = (
    ("30 ms", "50/s", "0 %"),
    ("4.1 s", "22/s", "47 %"),
    ("6.3 s", "14/s", "66 %"),
    ("12.2 s", "8/s", "80 %"),
    ("25.2 s", "3/s", "89 %"),
)
_PUBLISHED_HANDED_OVER = "11 to 18 ms"  # at every weight
_IN_REQUEST = ("p95 in the request", "Taken", "Dropped")
_HANDED_OVER = "p95 handed over"
_WAYS = {"in_request": ("series-b", "in the request"), "queue": ("series-a", "through the queue")}
_SHARES = [Tick(x=0, label="0", anchor="start"), Tick(x=50, label="50 %"), Tick(x=100, label="100 %", anchor="end")]

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
        title="Heavy work in the request, or handed over",
        question=_QUESTION,
        sentence=_sentence(report),
        card_metric=f"Dropped, when one grading takes {heaviest['grading_ms']:,} ms",
        card_bars=_bars(heaviest, _dropped),
        pictures=(_latencies(report), _drops(report)),
        beside=_beside(levels),
        published_source=_SOURCE,
        mechanism=_MECHANISM,
        heading=(
            "One grading takes",
            *(f"{way}: {what}" for way in ("In the request", "Queue") for what in ("p95", "taken", "dropped")),
        ),
        rows=(
            ("nothing is graded", *2 * load_cells(report["idle"])),
            *(
                (f"{level['grading_ms']:,} ms", *(word for way in _WAYS for word in load_cells(level[way])))
                for level in levels
            ),
        ),
        machine=machine_words(report),
    )


def _sentence(report: Mapping[str, Any]) -> str:
    dropped = max(level["in_request"]["dropped_pct"] for level in report["levels"])
    return (
        f"At {report['rate']:g} submissions a second up to {dropped:.0f} % were dropped when the request graded. "
        f"Through the queue {report['dropped_through_queue']} of {report['sent_through_queue']:,} were, and "
        f"p95 was {report['worst_of_idle']:.1f} times its idle value at most, however heavy the grading."
    )


def _latencies(report: Mapping[str, Any]) -> LoadPicture:
    loads = [report["idle"], *(level[way] for level in report["levels"] for way in _WAYS)]
    scale = LogScale(largest=max(load["p95_ms"] for load in loads), words=limit)  # of milliseconds
    return LoadPicture(
        title="p95 of sending a program in",
        note=f"logarithmic; whoever has no answer gives up after {limit(1_000 * report['timeout_s'])}",
        groups=_groups(report, lambda load: (scale.x(load["p95_ms"]), _time(load["p95_ms"]))),
        ticks=scale.ticks(),
        legend=tuple(_WAYS.values()),
    )


def _drops(report: Mapping[str, Any]) -> LoadPicture:
    return LoadPicture(
        title="Dropped: refused, broken or given up",
        groups=_groups(report, _dropped),
        ticks=_SHARES,
        legend=tuple(_WAYS.values()),
    )


def _groups(report: Mapping[str, Any], reading: _Reading) -> tuple[Group, ...]:
    """Return the groups of bars: nothing graded, which is the same in both ways, then each weight."""
    idle = Group(name="Nothing is graded", bars=(load_bar("waiting", "either way", *reading(report["idle"])),))
    return (
        idle,
        *(
            Group(name=f"One grading takes {level['grading_ms']:,} ms", bars=_bars(level, reading))
            for level in report["levels"]
        ),
    )


def _bars(level: Mapping[str, Any], reading: _Reading) -> tuple[Bar, ...]:
    return tuple(load_bar(kind, name, *reading(level[way])) for way, (kind, name) in _WAYS.items())


def _dropped(load: _Load) -> tuple[float, str]:
    return load["dropped_pct"], load_cells(load)[2]


def _time(time_ms: float) -> str:
    return duration(1_000 * time_ms)


def _beside(levels: Sequence[Mapping[str, Any]]) -> Beside:
    rows = []
    for place, figures in enumerate(_PUBLISHED):
        ours = _here(levels[place]) if place < len(levels) else ("",) * 5
        rows.append((str(place + 1), (*figures, _PUBLISHED_HANDED_OVER), ours))
    return Beside(
        of="Weight",
        columns=(*_IN_REQUEST, _HANDED_OVER),
        here="Here",
        here_columns=("One grading", *_IN_REQUEST, _HANDED_OVER),
        rows=tuple(rows),
    )


def _here(level: Mapping[str, Any]) -> tuple[str, ...]:
    loads = level["in_request"]
    p95, taken, dropped = load_cells(loads)
    return f"{level['grading_ms']:,} ms", p95, taken, dropped, load_cells(level["queue"])[0]
