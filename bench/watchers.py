"""Measure a thousand live result pages: `python -m bench.watchers` writes bench/reports/watchers.json.

How it works: a site of its own (`load/site.py`), one web process. Each watcher does what a result page does: it holds
the stream of its submission open, and at each "news" it asks for the part that changes, with the mark that it showed
last. This process plays the judge: it changes the rows as a grading does, commits, and announces. Meanwhile somebody
loads ordinary pages, one after the other. Four parts: nobody watches; all watch and nothing happens; two submissions
at a time are judged, a case every CASE_S, ten cases each; all that are left get their verdict in one moment.

`told_ms` is from the commit until the watcher heard the verdict or "news", `shown_ms` until it had the answer that it
asked for at "news".
A commit whose "news" stands for earlier ones too counts as told by it.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from urllib.parse import urlsplit

import psycopg
import redis

from bench import reporting
from bench.jail.statistic import quantile
from bench.load.cputime import CpuWatch
from bench.load.memory import resident_bytes, threads
from bench.load.site import PROBLEM, Person, Site, open_site
from bench.load.watching import Watcher, ask, mark_of
from web.operations.services import Service

CASE_S, CASES = 0.1, 10
_AT_ONCE = 2  # submissions judged at a time
_PATIENCE_S = 180
_ORDINARY = ("/", "/problems/", f"/problems/{PROBLEM}/")


class Change(Enum):
    """A commit's changes to some submissions, as pages see them."""

    CASE = b"UPDATE judge_submission SET test_case_count = test_case_count + 1 WHERE id = ANY(%s)"
    VERDICT = b"UPDATE judge_submission SET status = 'done', verdict = 'AC', lease_until = NULL WHERE id = ANY(%s)"


@dataclass(kw_only=True, slots=True)
class Judge:
    """Changes rows and announces it, as a worker does. `commits`: when, by submission, on the monotonic clock."""

    site: Site
    commits: dict[int, list[float]] = field(default_factory=dict)

    async def judge(self, submissions: Iterator[int], until: float) -> None:
        """One after the other, as long as there is time."""
        for submission in submissions:
            if time.monotonic() > until:
                return
            for _ in range(CASES):
                await asyncio.to_thread(self.change, [submission], Change.CASE)
                await asyncio.sleep(CASE_S)
            await asyncio.to_thread(self.change, [submission], Change.VERDICT)

    def change(self, submissions: list[int], what: Change) -> None:
        """Commit a change of them all, then announce each."""
        with psycopg.connect(self.site.postgres.url) as connection:
            connection.execute(what.value, [submissions])
        now = time.monotonic()
        with redis.Redis.from_url(self.site.redis.url) as client:
            for submission in submissions:
                self.commits.setdefault(submission, []).append(now)
                client.publish(f"submission:{submission}", "bench")


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseRunner:
    """The parts that all measurements share."""

    site: Site
    web: Service
    people: list[Person]
    watchers: list[Watcher]
    judge: Judge


async def measure(bench: CaseRunner, *, quiet_s: float, judging_s: float) -> dict[str, object]:
    """All four parts."""
    parts: dict[str, object] = {"alone": await _meanwhile(bench, asyncio.sleep(quiet_s))}
    began = time.monotonic()
    watching = [asyncio.create_task(each.watch()) for each in bench.watchers]
    await _until(lambda: all(each.is_open or each.error for each in bench.watchers), "every stream is open")
    opened = {"streams": sum(each.is_open for each in bench.watchers), "took_s": round(time.monotonic() - began, 2)}
    parts["opening"] = opened | _held(bench)
    parts["quiet"] = await _meanwhile(bench, asyncio.sleep(quiet_s))
    parts["judging"] = await _judged(bench, judging_s)
    parts["burst"] = await _burst(bench)
    for task in watching:
        task.cancel()
    await asyncio.gather(*watching, return_exceptions=True)
    parts["after"] = await _left(bench)
    errors = [each.error for each in bench.watchers if each.error]
    return parts | {"errors": len(errors), "kinds_of_errors": sorted(set(errors))}


async def _judged(bench: CaseRunner, seconds: float) -> dict[str, object]:
    left = iter([each.submission for each in bench.people[: len(bench.people) // 2]])
    until = time.monotonic() + seconds
    grading = asyncio.gather(*(bench.judge.judge(left, until) for _ in range(_AT_ONCE)))
    found = await _meanwhile(bench, grading)
    await _settled(bench)
    return found | _delays(bench)


async def _burst(bench: CaseRunner) -> dict[str, object]:
    bench.judge.commits.clear()
    left = [each.submission for each in bench.people[len(bench.people) // 2 :]]

    async def all_at_once() -> None:
        await asyncio.to_thread(bench.judge.change, left, Change.VERDICT)
        await _settled(bench)

    return await _meanwhile(bench, all_at_once()) | _delays(bench)


async def _meanwhile(bench: CaseRunner, happening: Awaitable[object]) -> dict[str, object]:
    """How long ordinary pages take while this happens, and what the web process uses."""
    cpu = CpuWatch({"web": [bench.web.process.pid]})
    asked_before = sum(len(each.fetches) for each in bench.watchers)
    task = asyncio.ensure_future(happening)
    took: list[float] = []
    failed = 0
    began = time.monotonic()
    while not task.done() or len(took) < 2:
        start = time.monotonic()
        answer = await ask(_address(bench.web), _ORDINARY[len(took) % 2], bench.people[0].session)
        took.append((time.monotonic() - start) * 1_000)
        failed += answer.status != 200
        await asyncio.sleep(0.05)
    await task
    seconds = time.monotonic() - began
    fetched = sum(len(each.fetches) for each in bench.watchers) - asked_before
    return {
        "seconds": round(seconds, 1),
        "ordinary_pages": len(took),
        "ordinary_failed": failed,
        "ordinary_ms": _spread(took),
        "web_cores": cpu.cores()["web"],
        "parts_fetched_per_s": round(fetched / seconds, 1),
    }


def _delays(bench: CaseRunner) -> dict[str, object]:
    told, shown, never = [], [], 0
    for watcher in bench.watchers:
        for commit in bench.judge.commits.get(watcher.submission, ()):
            heard = min((each for each in (*watcher.news, *watcher.verdicts) if each >= commit), default=None)
            had = next((end for start, end in watcher.fetches if start >= commit), None)
            if heard is None or had is None:
                never += 1
            else:
                told.append((heard - commit) * 1_000)
                shown.append((had - commit) * 1_000)
    return {"commits_watched": len(told), "never_told": never, "told_ms": _spread(told), "shown_ms": _spread(shown)}


def _undone(bench: CaseRunner) -> Iterator[Watcher]:
    """The watchers that have not fetched what was committed last."""
    for watcher in bench.watchers:
        commits = bench.judge.commits.get(watcher.submission)
        if commits and not watcher.error and (not watcher.fetches or watcher.fetches[-1][0] < commits[-1]):
            yield watcher


async def _settled(bench: CaseRunner) -> None:
    """Until every watcher shows what there is to show."""
    await _until(lambda: not any(_undone(bench)), "every watcher shows what was committed last")


async def _until(holds: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited {_PATIENCE_S} s in vain: {what}")
        await asyncio.sleep(0.05)


def _held(bench: CaseRunner) -> dict[str, object]:
    """What the web process holds while all watch."""
    pid = bench.web.process.pid
    with redis.Redis.from_url(bench.site.redis.url) as client:
        listening = sum(int(each["sub"]) > 0 for each in client.client_list())
    return {
        "web_memory_bytes": resident_bytes(pid),
        "web_threads": threads(pid),
        "redis_subscribers": listening,
        "database_connections": _database_connections(bench),
    }


async def _left(bench: CaseRunner) -> dict[str, object]:
    """What is left of it once all watchers are gone."""
    with redis.Redis.from_url(bench.site.redis.url) as client:
        await _until(lambda: not client.pubsub_channels(), "Redis has no channel left")
        channels = len(client.pubsub_channels())
    return {"channels": channels, "database_connections": _database_connections(bench)}


def _database_connections(bench: CaseRunner) -> int:
    query = "SELECT count(*) - 1 FROM pg_stat_activity WHERE datname = 'tally'"
    return int(bench.site.value(query))


async def _watchers(web: Service, people: list[Person], count: int) -> list[Watcher]:
    """As many, of everybody's submission in turn, with the mark that its page has now."""
    pages = [await ask(_address(web), f"/submissions/{each.submission}/", each.session) for each in people]
    chosen = [(people[at], mark_of(pages[at])) for at in (number % len(people) for number in range(count))]
    return [Watcher(_address(web), each.submission, each.session, mark) for each, mark in chosen]


def _spread(values: list[float]) -> dict[str, float]:
    if not values:
        return {}
    return {
        "p50": round(quantile(values, 0.5), 1),
        "p95": round(quantile(values, 0.95), 1),
        "max": round(max(values), 1),
    }


def _address(web: Service) -> tuple[str, int]:
    parts = urlsplit(web.url)
    assert parts.hostname
    assert parts.port
    return parts.hostname, parts.port


def main() -> int:
    """Measure, print and write the report; 1 when a stream was refused or a commit never told."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=1_000)
    of_whom = "one each of as many people, who watch it; one person has 20 live pages at most"
    parser.add_argument("--submissions", type=int, default=1_000, help=of_whom)
    parser.add_argument("--judging-s", type=float, default=12)
    parser.add_argument("--quiet-s", type=float, default=5)
    reporting.add_switches(parser, "watchers")
    arguments = parser.parse_args()
    machine = reporting.begin(arguments)
    with open_site() as site:
        people = site.populate(people=arguments.submissions, submissions=arguments.submissions)
        site.execute(
            "UPDATE judge_submission SET status = 'judging', verdict = '', finished_at = NULL,"
            " lease_until = now() + interval '1 hour', test_case_count = 20"
        )
        with site.web() as (web,):
            watchers = asyncio.run(_watchers(web, people, arguments.watchers))
            bench = CaseRunner(site=site, web=web, people=people, watchers=watchers, judge=Judge(site=site))
            parts = asyncio.run(measure(bench, quiet_s=arguments.quiet_s, judging_s=arguments.judging_s))
    asked = {"watchers": arguments.watchers, "submissions": arguments.submissions, "web_processes": 1}
    report = {"machine": machine, **asked, **parts}
    reporting.write(report, arguments)
    print(json.dumps(report, indent=2))
    return 1 if parts["errors"] else 0


if __name__ == "__main__":
    sys.exit(main())
