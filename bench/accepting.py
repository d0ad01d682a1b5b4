"""E6: `python -m bench.accepting [--quick]` measures, and writes bench/reports/accepting.json and the docs.

How it works: 50 submissions a second for 30 s, by many people, at a fixed rate whatever becomes of them
(`load/arrivals.py`), first while nothing is graded, then at rising weight of the grading: each way in turn, graded
inside the request (`load/in_request.py`, which no address of the product reaches) and through the queue with a worker,
as the product does. The queue's way has as many web processes as the product starts. The other one has a process for
each core, since it needs them. A full run takes about nine minutes; other load makes the figures worthless.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import aiohttp

from bench import reporting
from bench.draining import grade_directly
from bench.load.arrivals import Load, load_of, send_at_rate
from bench.load.cputime import CpuWatch
from bench.load.page import accepting_figures, rewrite_page
from bench.load.programs_sent import Program, program
from bench.load.site import PROBLEM, Person, Site, open_site, urls_of
from web.operations.services import Service

RATE, SECONDS, TIMEOUT_S = 50.0, 30.0, 10.0
BURNS_MS = (0, 10, 20, 40, 75)  # of each of the problem's runs; the last is about a second for one submission
MOST_OF_IDLE = 3
WARM_UP_S = 3.0
_PEOPLE, _SUBMISSIONS = 400, 5_000
_SETTLE_S = 2.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """The result of one load. `lost`: accepted but missing in the table. `cores`: how many each part kept busy."""

    load: Load
    rows: int
    graded_per_s: float
    cores: dict[str, float]

    @property
    def lost(self) -> int:
        """Answered as taken, but not in the database."""
        return max(0, self.load.taken - self.rows)

    def as_json(self) -> dict[str, Any]:
        """For the report."""
        return {
            **asdict(self.load),
            "dropped_pct": round(self.load.dropped_pct, 2),
            "lost": self.lost,
            "graded_per_s": round(self.graded_per_s, 2),
            "cores": self.cores,
        }


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """One weight, both ways. `grading_ms`: the time of one grading alone."""

    burn_ms: int
    grading_ms: int
    in_request: Accepted
    queue: Accepted


class Measurement:
    """The loads on one site."""

    def __init__(self, site: Site, people: Sequence[Person], seconds: float) -> None:
        self._site = site
        self._people = people
        self._seconds = seconds

    def idle(self) -> Accepted:
        """Submissions that nobody grades."""
        with self._site.web(processes=web_processes()) as web:
            return self._accepted(web, program("cpp"))

    def in_request(self, burn_ms: int) -> Accepted:
        """Graded by the web processes, before they answer."""
        cores = len(os.sched_getaffinity(0))
        with self._site.web(processes=cores, application="bench.load.in_request:application") as web:
            return self._accepted(web, program("cpp", burn_ms=burn_ms))

    def queue(self, burn_ms: int, worker: Service) -> Accepted:
        """Graded by a worker, sooner or later."""
        with self._site.web(processes=web_processes()) as web:
            return self._accepted(web, program("cpp", burn_ms=burn_ms), worker)

    def _accepted(self, web: Sequence[Service], sent: Program, worker: Service | None = None) -> Accepted:
        url = f"{urls_of(web)[0]}/problems/{PROBLEM}/submit"
        asyncio.run(_send_all(url, self._people, sent, min(WARM_UP_S, self._seconds)))
        self._site.forget_queue()
        time.sleep(_SETTLE_S)
        before = self._site.value("SELECT count(*) FROM judge_submission")
        done_before = self._site.value("SELECT count(*) FROM judge_submission WHERE status = 'done'")
        trees = {"web": [each.process.pid for each in web], "database": [self._site.postgres.process.pid]}
        watch = CpuWatch({**trees, **({"worker": [worker.process.pid]} if worker else {})})
        own_s, began = time.process_time(), time.monotonic()
        load = asyncio.run(_send_all(url, self._people, sent, self._seconds))
        took_s = time.monotonic() - began
        cores = {**watch.cores(), "driver": round((time.process_time() - own_s) / took_s, 3)}
        rows = self._site.value("SELECT count(*) FROM judge_submission") - before
        graded = self._site.value("SELECT count(*) FROM judge_submission WHERE status = 'done'") - done_before
        self._site.forget_queue()
        found = Accepted(load=load, rows=rows, graded_per_s=graded / took_s, cores=cores)
        print(found.as_json(), file=sys.stderr, flush=True)
        return found


async def _send_all(url: str, people: Sequence[Person], sent: Program, seconds: float) -> Load:
    # Each on a connection of its own, as from many browsers; none is kept that the site may close meanwhile.
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    jar = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(connector=connector, cookie_jar=jar) as session:

        async def send(number: int) -> bool:
            person = people[number % len(people)]
            fields = {"csrfmiddlewaretoken": person.token, "language": sent.language, "source": sent.source}
            cookies = {"Cookie": f"sessionid={person.session}; csrftoken={person.token}"}
            try:
                async with session.post(url, data=fields, headers=cookies, allow_redirects=False) as answer:
                    await answer.read()
                    return answer.status == 302
            except aiohttp.ClientError:
                return False

        arrivals = await send_at_rate(send, rate=RATE, seconds=seconds, timeout_s=TIMEOUT_S)
    return load_of(arrivals, timeout_s=TIMEOUT_S)


def web_processes() -> int:
    """As many as the product starts on this machine."""
    return max(1, min(4, len(os.sched_getaffinity(0)) // 2))


def measure(
    site: Site, *, burns_ms: Sequence[int], seconds: float, people: Sequence[Person]
) -> tuple[Accepted, list[Level]]:
    """The idle value, then every weight both ways."""
    measurement = Measurement(site, people, seconds)
    idle = measurement.idle()
    alone = [grade_directly(site, [program("cpp", burn_ms=burn_ms)] * 3) for burn_ms in burns_ms]
    in_request = [measurement.in_request(burn_ms) for burn_ms in burns_ms]
    with site.worker() as worker:
        queue = [measurement.queue(burn_ms, worker) for burn_ms in burns_ms]
    return idle, [
        Level(
            burn_ms=burn_ms,
            grading_ms=round(1_000 * statistics.median(each.took_s for each in alone[number])),
            in_request=in_request[number],
            queue=queue[number],
        )
        for number, burn_ms in enumerate(burns_ms)
    ]


def report_of(idle: Accepted, levels: Sequence[Level]) -> dict[str, Any]:
    """Every figure, and what the bars are about."""
    queued = [level.queue for level in levels]
    return {
        "rate": RATE,
        "timeout_s": TIMEOUT_S,
        "web_processes": {"queue": web_processes(), "in_request": len(os.sched_getaffinity(0))},
        "idle": idle.as_json(),
        "levels": [
            {
                "burn_ms": level.burn_ms,
                "grading_ms": level.grading_ms,
                "in_request": level.in_request.as_json(),
                "queue": level.queue.as_json(),
            }
            for level in levels
        ],
        "sent_through_queue": sum(each.load.sent for each in queued),
        "dropped_through_queue": sum(each.load.dropped for each in queued),
        "lost_through_queue": sum(each.lost for each in queued),
        "worst_of_idle": round(max(each.load.p95_ms for each in queued) / idle.load.p95_ms, 3),
        "most_of_idle": MOST_OF_IDLE,
    }


def is_met(report: dict[str, Any]) -> bool:
    """Whether accepting dropped and lost nothing, and stayed quick enough."""
    is_whole = not report["dropped_through_queue"] and not report["lost_through_queue"]
    return bool(is_whole and report["worst_of_idle"] < report["most_of_idle"])


def main(arguments: list[str] | None = None) -> int:
    """Measure, write and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="two weights for 6 s each, printed and not kept")
    reporting.add_switches(parser, "accepting")
    options = parser.parse_args(arguments)
    described, began = reporting.begin(options), time.monotonic()
    with open_site() as site:
        people = site.populate(people=_PEOPLE, submissions=_SUBMISSIONS // (10 if options.quick else 1))
        burns_ms = (BURNS_MS[0], BURNS_MS[-1]) if options.quick else BURNS_MS
        idle, levels = measure(site, burns_ms=burns_ms, seconds=6 if options.quick else SECONDS, people=people)
    report = {"machine": described, "took_s": round(time.monotonic() - began), **report_of(idle, levels)}
    if reporting.write(report, options) and reporting.is_committed(options):
        rewrite_page("e6-accepting", accepting_figures(report))
    print(json.dumps(report, indent=1))
    return int(not is_met(report))


if __name__ == "__main__":
    sys.exit(main())
