"""A deadline: `python -m bench.deadline [--quick]` measures, and writes bench/reports/deadline.json.

How it works: 200 people send 2,000 short programs within a minute, each ten, and keep the page of the last one open
(`load/rush.py`); real PostgreSQL, site and worker. Then the worker goes on until the queue is empty. Before it starts
and after it has ended, the same rate is sent while nobody grades or watches: the idle value.

The bars: nothing is dropped or lost; accepting takes at most three times as long as when idle (p95); each person has a
verdict before anybody has three; and nine of ten statements on place and wait are within 30 % of what came, from when
they were shown. Of a wait 5 s are forgiven, since pages say tens of seconds, of a place one.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import psycopg

from bench import reporting
from bench.jail.statistic import quantile
from bench.load.arrivals import Load
from bench.load.cputime import CpuWatch
from bench.load.programs_sent import Program, program
from bench.load.rush import Rush
from bench.load.site import Person, Site, open_site, urls_of, wait_for
from web.operations.services import Service

MOST_OF_IDLE = 3
WITHIN, OF_TEN_SHOWN = 0.3, 9
_FORGIVEN_S, _FORGIVEN_PLACES = 5.0, 1
_FEW_S = 4.0  # "a few seconds"
_WORDS = re.compile(r"Number ([0-9,]+) in the queue\. .*?(?:about ([0-9]+) (second|minute)s?|(a few seconds))\.")
_UNKNOWN = re.compile(r"Number ([0-9,]+) in the queue\. The wait is not known")
_IDLE_S, _DRAINED_WITHIN_S = 10.0, 900.0
_ROWS = """
SELECT id, user_id, verdict, extract(epoch FROM created_at)::float8, extract(epoch FROM started_at)::float8,
       extract(epoch FROM finished_at)::float8
FROM judge_submission WHERE id > %s ORDER BY started_at
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Size:
    """How many people send how many submissions in how many seconds."""

    people: int
    submissions: int
    seconds: float


FULL, QUICK = Size(people=200, submissions=2_000, seconds=60), Size(people=20, submissions=100, seconds=6)


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """A submission of the rush as the database has it; times of the world's clock."""

    id: int
    user: int
    verdict: str
    created_s: float
    started_s: float
    finished_s: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Shown:
    """A statement on a page, and what came: the wait in seconds, and how many began until it did, itself included."""

    place: int
    wait_s: float
    came_place: int
    came_s: float
    is_rush: bool  # people were still sending

    @property
    def wait_error(self) -> float:
        """By which share of what came the wait was wrong, less what is forgiven; below 0: too short."""
        return _error(self.wait_s, self.came_s, _FORGIVEN_S)

    @property
    def place_error(self) -> float:
        """The same of the place."""
        return _error(self.place, self.came_place, _FORGIVEN_PLACES)


def _error(shown: float, came: float, forgiven: float) -> float:
    off = max(0.0, abs(shown - came) - forgiven) / max(came, 1e-3)
    return off if shown > came else -off


def order_of(rows: Sequence[Row]) -> dict[str, Any]:
    """When the last person had a first verdict, and when the first one had three; seconds from the first submission."""
    began_s = min(row.created_s for row in rows)
    verdicts: dict[int, list[float]] = {}
    for row in sorted(rows, key=lambda row: row.finished_s):
        verdicts.setdefault(row.user, []).append(row.finished_s - began_s)
    last_first = max(times[0] for times in verdicts.values())
    first_third = min((times[2] for times in verdicts.values() if len(times) > 2), default=float("inf"))
    return {
        "last_first_verdict_s": round(last_first, 1),
        "first_third_verdict_s": round(first_third, 1),
        "is_fair": last_first < first_third,
    }


def shown_of(captions: Sequence[tuple[int, float, str]], rows: Sequence[Row]) -> tuple[list[Shown], int]:
    """What pages stated (submission, when, words) beside what came, and how often the wait was not known."""
    by_id = {row.id: row for row in rows}
    starts = sorted(row.started_s for row in rows)
    last_sent_s = max(row.created_s for row in rows)
    shown, unknown = [], 0
    for submission, at_s, words in captions:
        row, said = by_id[submission], _WORDS.match(words)
        unknown += bool(_UNKNOWN.match(words))
        if said is None or at_s >= row.started_s:
            continue  # it begins while the page is being told
        number, unit, few = said[2], said[3], said[4]
        statement = Shown(
            place=int(said[1].replace(",", "")),
            wait_s=_FEW_S if few else float(number) * (60 if unit == "minute" else 1),
            came_place=sum(at_s < start <= row.started_s for start in starts),
            came_s=row.started_s - at_s,
            is_rush=at_s < last_sent_s,
        )
        shown.append(statement)
    return shown, unknown


def statements(shown: Sequence[Shown]) -> dict[str, Any]:
    """How wrong they were."""
    if not shown:
        return {"shown": 0}
    return {
        "shown": len(shown),
        "waits_within_pct": _within_pct([each.wait_error for each in shown]),
        "places_within_pct": _within_pct([each.place_error for each in shown]),
        "wait_error": _quantiles([each.wait_error for each in shown]),
        "place_error": _quantiles([each.place_error for each in shown]),
        "came_s": _quantiles([each.came_s for each in shown]),
    }


def _within_pct(errors: Sequence[float]) -> float:
    return round(100 * sum(abs(error) <= WITHIN for error in errors) / len(errors), 1)


def _quantiles(values: Sequence[float]) -> dict[str, float]:
    return {f"p{share}": round(quantile(values, share / 100), 2) for share in (5, 25, 50, 75, 95)}


def measure(site: Site, size: Size) -> dict[str, Any]:
    """Idle, the rush, idle again."""
    people = site.populate(people=size.people, submissions=size.submissions)
    site.execute("UPDATE judge_submission SET started_at = NULL")  # nobody judged them: they say nothing of the pace
    processes = max(1, min(4, len(os.sched_getaffinity(0)) // 2))  # as many as the product starts
    with site.web(processes=processes) as web:
        url = urls_of(web)[0]
        idle = [_idle(site, url, people, size)]
        with site.worker() as worker:
            _warm_up(site, worker, url, people)
            rush = _rush(site, url, people, size, web, worker)
        idle.append(_idle(site, url, people, size))
    idle_ms = statistics.median(each.p95_ms for each in idle)
    return {
        **asdict(size),
        "web_processes": processes,
        "idle": [asdict(each) for each in idle],
        **rush,
        "of_idle": round(rush["accepting"]["p95_ms"] / idle_ms, 2),
        "most_of_idle": MOST_OF_IDLE,
    }


def _idle(site: Site, url: str, people: Sequence[Person], size: Size) -> Load:
    rush = Rush(url, people, _programs("idle"), is_watched=False)
    seconds = min(_IDLE_S, size.seconds)
    load = asyncio.run(rush.send(round(seconds * size.submissions / size.seconds), seconds))
    site.forget_queue()
    site.execute("UPDATE judge_submission SET started_at = NULL WHERE worker = ''")
    print("idle", load, file=sys.stderr, flush=True)
    return load


def _warm_up(site: Site, worker: Service, url: str, people: Sequence[Person]) -> None:
    """Three of each person's, so that their programs are compiled and the pace is known."""
    count = 3 * len(people)
    asyncio.run(Rush(url, people, _programs("warm"), is_watched=False).send(count, max(6.0, count / 10)))
    _drained(site, worker)


def _programs(mark: str) -> list[Program]:
    """Two in C++, compiled once for each person, and one in Python."""
    return [program("cpp"), program("python", mark=mark), program("cpp", burn_ms=1)]


def _drained(site: Site, worker: Service) -> None:
    left = "SELECT count(*) FROM judge_submission WHERE status <> 'done'"
    wait_for(lambda: site.value(left) == 0, worker, patience_s=_DRAINED_WITHIN_S, look_every_s=1)


def _rush(
    site: Site, url: str, people: Sequence[Person], size: Size, web: Sequence[Service], worker: Service
) -> dict[str, Any]:
    before = int(site.value("SELECT max(id) FROM judge_submission"))
    rush = Rush(url, people, _programs("rush"), is_watched=True)
    trees = {"web": [each.process.pid for each in web], "database": [site.postgres.process.pid]}
    watch, load_average, began = CpuWatch({**trees, "worker": [worker.process.pid]}), os.getloadavg()[0], time.time()
    accepting, cores = asyncio.run(_sent(rush, size, site, worker, watch))
    rows = _rows(site, before)
    captions = [(each.submission, at_s, words) for each in rush.watchers for at_s, words in each.captions]
    shown, unknown = shown_of(captions, rows)
    print("rush", accepting, file=sys.stderr, flush=True)
    return {
        "load_before_rush": round(load_average, 2),
        "accepting": asdict(accepting),
        "lost": max(0, accepting.taken - len(rows)),
        "not_accepted_programs": sum(row.verdict != "AC" for row in rows),
        "drained_s": round(max(row.finished_s for row in rows) - began, 1),
        "cores_while_sending": cores,
        "pages": len(rush.watchers),
        "pages_ms": {f"p{share}": round(quantile(rush.pages_ms, share / 100)) for share in (50, 95, 100)},
        "captions": len(captions),
        "errors": len(rush.errors),
        "kinds_of_errors": sorted(set(rush.errors)),
        "order": order_of(rows),
        "statements": statements(shown),
        "while_people_send": statements([each for each in shown if each.is_rush]),
        "afterwards": statements([each for each in shown if not each.is_rush]),
        "wait_not_known": unknown,
    }


async def _sent(rush: Rush, size: Size, site: Site, worker: Service, watch: CpuWatch) -> tuple[Load, dict[str, float]]:
    accepting = await rush.send(size.submissions, size.seconds)
    cores = watch.cores()
    await asyncio.to_thread(_drained, site, worker)
    await rush.leave()
    return accepting, cores


def _rows(site: Site, before: int) -> list[Row]:
    with psycopg.connect(site.postgres.url) as connection:
        rows = connection.execute(_ROWS.encode(), [before]).fetchall()
    names = ("id", "user", "verdict", "created_s", "started_s", "finished_s")
    return [Row(**dict(zip(names, row, strict=True))) for row in rows]


def bars(report: dict[str, Any]) -> dict[str, bool]:
    """Which of the bars are met."""
    shown = report["statements"]
    return {
        "none_dropped": not report["accepting"]["dropped"] and not report["lost"],
        "accepting": report["of_idle"] < MOST_OF_IDLE,
        "order": report["order"]["is_fair"],
        "place": shown.get("places_within_pct", 0) >= 10 * OF_TEN_SHOWN,
        "wait": shown.get("waits_within_pct", 0) >= 10 * OF_TEN_SHOWN,
    }


def main(arguments: list[str] | None = None) -> int:
    """Measure, write and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--quick", action="store_true", help="100 submissions of 20 people in 6 s, printed and not kept"
    )
    reporting.add_switches(parser, "deadline")
    options = parser.parse_args(arguments)
    described, began = reporting.begin(options), time.monotonic()
    size = QUICK if options.quick else FULL
    with open_site(TALLY_MAX_IN_FLIGHT_PER_USER=str(size.submissions // size.people)) as site:
        measured = measure(site, size)
    report = {"machine": described, "took_s": round(time.monotonic() - began), **measured, "bars": bars(measured)}
    reporting.write(report, options)
    print(json.dumps(report, indent=1))
    return int(not all(report["bars"].values()))


if __name__ == "__main__":
    sys.exit(main())
