"""Measure every list, filter, export and statistics page over two years of submissions, then back them up and restore.

How it works: a PostgreSQL of its own in a folder of its own gets the schema, the library and the rows of
`rows_of/two_years.py`. The oldest month of results is expired, as workers do it (`judge.retention`). Then each page is
asked for a few times through the site's ASGI application, one request after the other, and so is what workers ask. Of
each the report keeps p50, p95 and the longest time, how many statements it took, and the plan of the slowest of them in
brief (EXPLAIN). At last PostgreSQL starts again as in production, and `manage.py backup` and `manage.py restore` are
timed in a process of their own (`rows_of/saving.py`). Exits with 1 when a p95 is over 100 ms or a restored table has
other rows.

With `--folder` the database stays there, and a further run measures it again without filling it. With `--only-backup`
such a run measures no page, and adds backup and restoration to the report.
"""

import argparse
import asyncio
import json
import logging
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from bench import reporting
from bench.jail.statistic import quantile
from bench.load.stack import own_folder
from web.operations import services

if TYPE_CHECKING:
    from bench.rows_of import asked
    from bench.rows_of.asked import Statement
    from bench.rows_of.pages import Page, Question
    from bench.rows_of.two_years import People

BAR_MS = 100.0
_NODE = re.compile(r"( *)(?:->  )?(.+?)  \(cost=.*\(actual time=[\d.]+\.\.([\d.]+) rows=([\d.]+).*")
# A partitioned table's numbers are those of its partitions together.
_TABLES = """
SELECT coalesce(parent.relname, child.relname), count(inhparent), sum(child.reltuples)::bigint,
    sum(pg_table_size(child.oid))::bigint, sum(pg_indexes_size(child.oid))::bigint
FROM pg_class child LEFT JOIN pg_inherits ON inhrelid = child.oid LEFT JOIN pg_class parent ON parent.oid = inhparent
WHERE child.relkind = 'r' AND coalesce(parent.relname, child.relname) ~ '^(judge|problems|auth)_'
GROUP BY 1 HAVING sum(pg_total_relation_size(child.oid)) > 1000000 ORDER BY 4 DESC
"""
_WARM = 2  # requests that are not counted: imports, caches
_PIECES = 3  # of a file's body: its heading and the first rows are enough to say how fast it begins


@dataclass(frozen=True, kw_only=True, slots=True)
class Figure:
    """One page, or a group of pages. The statement is the slowest of its slowest request."""

    name: str
    asked_as: str
    requests: int
    p50_ms: float
    p95_ms: float
    max_ms: float
    p95_cpu_ms: float  # what site and database computed: the rest of the time went to the disk, and to others' load
    statements: int
    slowest: str  # which one of a group
    statement: str
    plan: list[str]

    @property
    def is_met(self) -> bool:
        """Whether its p95 is within the bar."""
        return self.p95_ms <= BAR_MS


@dataclass(frozen=True, kw_only=True, slots=True)
class Timed:
    """One request."""

    page: str
    took_ms: float
    cpu_ms: float
    statements: int
    slowest: "Statement | None"


async def measure(people: "People", repeats: int, computed: "asked.CpuTime") -> tuple[list[Figure], dict[str, Any]]:
    """Every page, every question of the queue, and one export of everything."""
    from asgiref.sync import sync_to_async

    from bench.rows_of import asked, pages
    from web.asgi import application

    all_pages = await sync_to_async(pages.all_pages)(people)
    questions = await sync_to_async(lambda: list(pages.all_questions(people)))()
    everybody = {page.user for page in all_pages}
    cookies = {user.pk: await sync_to_async(asked.cookie_of)(user) for user in everybody}
    ears = asked.Ears()
    await sync_to_async(_hang_up)()  # it connects anew, with ears
    with ears.listening():

        async def look(page: "Page") -> Timed:
            ears.heard.clear()
            before = computed.ms()
            answer = await asked.get(application, page.path, cookies[page.user.pk], _PIECES if page.is_stream else None)
            cpu_ms = computed.ms() - before
            if answer.status != 200:
                raise SystemExit(f"{page.path} was answered with {answer.status}")
            return _timed(page.path, answer.rows_ms if page.is_stream else answer.whole_ms, cpu_ms, ears.heard)

        def ask(question: "Question") -> Timed:
            ears.heard.clear()
            before, start = computed.ms(), time.perf_counter()
            question.ask()
            took_ms = (time.perf_counter() - start) * 1_000
            return _timed(question.name, took_ms, computed.ms() - before, ears.heard)

        figures = []
        for page in (page for page in all_pages if not page.group):
            found = [await look(page) for _ in range(_WARM + repeats)][_WARM:]
            figures.append(await sync_to_async(_figure)(page.name, page.user.get_username(), found))
        for group in dict.fromkeys(page.group for page in all_pages if page.group):
            each = [page for page in all_pages if page.group == group]
            found = [await look(page) for page in each]
            figures.append(await sync_to_async(_figure)(group, each[0].user.get_username(), found))
        for question in questions:
            found = [await sync_to_async(ask)(question) for _ in range(_WARM + repeats)][_WARM:]
            figures.append(await sync_to_async(_figure)(question.name, "worker", found))
    print(f"{time.strftime('%H:%M:%S')} the export of everything", flush=True)
    everything = await _export(lambda: asked.get(application, "/submissions/csv", cookies[people.staff.pk]))
    return figures, everything


async def _export(ask: Any) -> dict[str, Any]:
    """The file with every row, once, whole: how long that takes, and how much memory it adds at its peak."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    answer = await ask()
    return {
        "bytes": answer.size,
        "first_rows_ms": round(answer.rows_ms, 1),
        "seconds": round(answer.whole_ms / 1_000, 1),
        "added_to_peak_memory_bytes": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024,
    }


def _timed(page: str, took_ms: float, cpu_ms: float, heard: "list[Statement]") -> Timed:
    slowest = max(heard, key=lambda statement: statement.took_ms, default=None)
    return Timed(page=page, took_ms=took_ms, cpu_ms=cpu_ms, statements=len(heard), slowest=slowest)


def _figure(name: str, asked_as: str, found: list[Timed]) -> Figure:
    times = [each.took_ms for each in found]
    slowest = max(found, key=lambda each: each.took_ms)
    figure = Figure(
        name=name.strip(),
        asked_as=asked_as,
        requests=len(found),
        p50_ms=round(quantile(times, 0.5), 1),
        p95_ms=round(quantile(times, 0.95), 1),
        max_ms=round(max(times), 1),
        p95_cpu_ms=round(quantile([each.cpu_ms for each in found], 0.95), 1),
        statements=max(each.statements for each in found),
        slowest=slowest.page,
        statement=_brief(slowest.slowest.sql) if slowest.slowest else "",
        plan=_plan(slowest.slowest) if slowest.slowest else [],
    )
    numbers = (figure.p50_ms, figure.p95_ms, figure.max_ms, figure.p95_cpu_ms)
    print("".join(f"{number:8.1f}" for number in numbers), f"{figure.statements:4}  {figure.name}", flush=True)
    return figure


def _brief(statement: str) -> str:
    """Return the statement from its first FROM on, which names tables and conditions, in 300 characters."""
    _, start, rest = statement.partition(" FROM ")
    return (start + rest or statement).strip()[:300]


def _nodes(plan: Iterable[str]) -> list[str]:
    """Return the nodes of a plan with their depth and time, without costs, conditions and buffers."""
    nodes = (_NODE.fullmatch(line) for line in plan)
    return [f"{node[1]}{node[2]}: {node[3]} ms, {node[4]} rows" for node in nodes if node]


def _plan(statement: "Statement") -> list[str]:
    """Return how the database carries it out; of a statement that is no SELECT nothing."""
    from django.db import connection

    if not statement.sql.startswith("SELECT"):
        return []
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS) {statement.sql}", statement.values)
        return _nodes(line for (line,) in cursor.fetchall())


def _hang_up() -> None:
    from django.db import connection

    connection.close()
    connection.close_pool()  # type: ignore[attr-defined]  # PostgreSQL's has it


def _sizes() -> dict[str, Any]:
    """The database: its version, and how many rows and bytes the large tables have."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        version = cursor.fetchone()[0]
        cursor.execute(_TABLES)
        names = ("table", "partitions", "rows", "table_bytes", "index_bytes")
        tables = [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]
        cursor.execute("SELECT pg_database_size(current_database())")
        return {"version": version, "bytes": cursor.fetchone()[0], "tables": tables}


def _expire() -> dict[str, Any]:
    """Drop the oldest month of results: how long that takes, and how many rows go."""
    from bench.rows_of.two_years import KEPT_DAYS
    from judge import retention
    from judge.models import ExpiredResults

    rows, start = 0, time.monotonic()
    while retention.expire_next(KEPT_DAYS) is not None:  # the first partition is empty
        rows += ExpiredResults.objects.latest("pk").rows
    return {"kept_days": KEPT_DAYS, "rows": rows, "seconds": round(time.monotonic() - start, 2)}


def _prepare(folder: Path) -> None:
    """Point the settings at the folder and set Django up; nothing of the installation beside it is touched."""
    os.environ |= {f"TALLY_{name.upper()}_DIR": str(folder / name) for name in ("var", "work", "store")}
    os.environ["DATABASE_URL"] = services.postgres_url(folder / "postgres")
    os.environ["REDIS_URL"] = services.redis_url(folder / "redis")  # nobody rings here
    os.environ["DJANGO_SETTINGS_MODULE"] = "web.settings"
    import django

    django.setup()
    logging.disable(logging.WARNING)


def _filled(folder: Path, submissions: int) -> dict[str, Any]:
    """Fill the database unless it is; return what with, how long it took and what was expired afterwards."""
    from django.core.management import call_command

    from bench.rows_of.two_years import Size, fill

    note = folder / "filled.json"
    if note.exists():
        call_command("migrate", verbosity=0)
        return cast(dict[str, Any], json.loads(note.read_text()))
    services.make_database(folder / "postgres", "tally")
    call_command("migrate", verbosity=0)
    call_command("load_library", stdout=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    start = time.monotonic()
    size = replace(Size(), submissions=submissions)
    fill(size)
    filled = {"rows": asdict(size), "filled_s": round(time.monotonic() - start, 1), "expired": _expire()}
    note.write_text(json.dumps(filled))
    return filled


def _measured(folder: Path, submissions: int, repeats: int) -> dict[str, Any]:
    from bench.rows_of import asked
    from bench.rows_of.two_years import people_of_filled

    filled = _filled(folder, submissions)
    print(f"{filled['rows']['submissions']:,} submissions in {filled['filled_s']} s; expired: {filled['expired']}")
    print("     p50     p95     max p95 cpu    q  page (ms)")
    loads = [os.getloadavg()[0]]
    people = people_of_filled()
    _hang_up()  # the site's connections come from a pool
    figures, everything = asyncio.run(measure(people, repeats, asked.CpuTime(folder / "postgres")))
    loads += os.getloadavg()
    return {
        "database": _sizes(),
        **filled,
        "load_while_measured": [round(load, 2) for load in loads],  # of a minute: before; after; of 5 and 15 minutes
        "bar_ms": BAR_MS,
        "worst_p95_ms": max(figure.p95_ms for figure in figures),
        "worst_p95_cpu_ms": max(figure.p95_cpu_ms for figure in figures),
        "over_the_bar": _over(figures),
        "export_of_everything": everything,
        "pages": [asdict(figure) for figure in figures],
    }


def _over(figures: Iterable[Figure]) -> list[str]:
    return [figure.name for figure in figures if not figure.is_met]


def main() -> int:
    """Fill, measure, print and write the report; 1 when a page is too slow."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--submissions", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--folder", type=Path, help="keep the database here, and measure one that is here already")
    parser.add_argument("--fill-only", action="store_true", help="stop when the database is filled")
    parts = parser.add_mutually_exclusive_group()
    parts.add_argument("--no-backup", action="store_true", help="do not back up and restore")
    parts.add_argument("--only-backup", action="store_true", help="measure no page; add to the report that is there")
    reporting.add_switches(parser, "rows")
    arguments = parser.parse_args()
    machine = reporting.begin(arguments)
    with own_folder("tally-rows-") if arguments.folder is None else nullcontext(arguments.folder) as folder:
        _prepare(folder)
        if arguments.fill_only:
            with _postgres(folder, durable=False):
                print(_filled(folder, arguments.submissions))
            return 0
        if arguments.only_backup:
            report = json.loads(arguments.report.read_text("utf-8"))
        else:
            with _postgres(folder, durable=False):
                report = {"machine": machine} | _measured(folder, arguments.submissions, arguments.repeats)
            reporting.write(report, arguments)
        if not arguments.no_backup:
            with _postgres(folder, durable=True):
                report["backup_and_restore"] = _saved(folder)
            reporting.write(report, arguments, machine)
    print(f"the slowest p95 is {report['worst_p95_ms']} ms; over {BAR_MS:g} ms: {report['over_the_bar'] or 'none'}")
    print(f"the export of everything: {report['export_of_everything']}")
    saved = report.get("backup_and_restore", {})
    print(f"backup and restore: {saved or 'not tried'}")
    return 1 if report["over_the_bar"] or not saved.get("is_same", True) else 0


@contextmanager
def _postgres(folder: Path, *, durable: bool) -> Iterator[None]:
    server = services.start_postgres(folder / "postgres", durable=durable)
    try:
        yield
    finally:
        _hang_up()
        server.stop()


def _saved(folder: Path) -> dict[str, Any]:
    """Back up and restore; the process of the pages waits for no statement longer than the site does."""
    note, aside = folder / "filled.json", folder / "half.json"
    note.rename(aside)  # until it is restored, the database is not filled
    command = [sys.executable, "-m", "bench.rows_of.saving", str(folder / "backup")]
    load, done = os.getloadavg()[0], subprocess.run(command, stdout=subprocess.PIPE, check=True)
    aside.rename(note)
    return {"load_at_start": round(load, 2), **json.loads(done.stdout)}


if __name__ == "__main__":
    sys.exit(main())
