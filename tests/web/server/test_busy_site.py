"""The whole site while its requests are stuck in the database: who is answered all the same."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.templatetags.static import static

from tests.waiting import PATIENCE_S, until
from tests.web.asking import Asked
from web.asgi import application
from web.operations.readiness import Probe
from web.server import request_limit

pytestmark = pytest.mark.django_db(transaction=True)
STYLE = static("build/site.css")
Database = psycopg.Connection[tuple[int]]


@pytest.fixture
def holder(transactional_db: None) -> Iterator[Database]:
    """A connection that holds what every list of problems needs."""
    with psycopg.connect(**{**connection.get_connection_params(), "cursor_factory": psycopg.Cursor}) as held:
        held.execute("LOCK TABLE problems_problem IN ACCESS EXCLUSIVE MODE")
        yield held


def _stuck(holder: Database) -> int:
    found = holder.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone()
    assert found
    return found[0]


async def _answered(asked: Asked) -> Asked:
    async with asyncio.timeout(PATIENCE_S):
        await asked.serving
    return asked


def _while_all_are_stuck(holder: Database, meanwhile: Callable[[], Awaitable[None]]) -> None:
    async def run() -> None:
        stuck = [Asked(application, "/") for _ in range(settings.REQUESTS_AT_ONCE)]
        await until(lambda: _stuck(holder) == settings.REQUESTS_AT_ONCE, "they are stuck")
        try:
            await meanwhile()
        finally:
            holder.rollback()
            for each in stuck:
                assert (await _answered(each)).status == 200

    asyncio.run(run())


@pytest.mark.filterwarnings("ignore:StreamingHttpResponse must consume synchronous iterators")  # as in web.asgi
def test_supervisors_and_metrics_are_answered_while_every_place_is_taken(
    holder: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Probe, "PATIENCE_S", PATIENCE_S)

    async def look() -> None:
        in_line = Asked(application, "/")
        said = [await _answered(Asked(application, path)) for path in ("/healthz", "/readyz", "/metrics", STYLE)]
        assert [each.status for each in said] == [200, 200, 200, 200]
        assert b"tally_database_up 1.0" in said[2].body
        assert in_line.status is None
        holder.rollback()
        assert (await _answered(in_line)).status == 200

    _while_all_are_stuck(holder, look)


def test_who_comes_when_the_line_is_long_gets_the_sites_page(holder: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "MOST_WAITING", 0)

    async def look() -> None:
        refused = await _answered(Asked(application, "/"))
        assert refused.status == 503
        assert "Too many requests" in refused.body.decode()
        assert {b"retry-after", b"x-request-id"} <= {name for name, _ in refused.said[0]["headers"]}

    _while_all_are_stuck(holder, look)


def test_a_page_that_nobody_waits_for_is_not_made(holder: Database) -> None:
    async def look() -> None:
        gone = [Asked(application, "/") for _ in range(10)]
        await asyncio.sleep(0)
        for each in gone:
            each.say({"type": "http.disconnect"})
            assert not (await _answered(each)).said
        assert _stuck(holder) == settings.REQUESTS_AT_ONCE

    _while_all_are_stuck(holder, look)


def test_a_database_that_hangs_is_told_as_away_and_asked_by_one_look_of_each_kind(
    holder: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Probe, "PATIENCE_S", 0.2)
    holder.execute("LOCK TABLE judge_workernode IN ACCESS EXCLUSIVE MODE")

    async def ask(path: str) -> Asked:
        return await _answered(Asked(application, path))

    async def run() -> None:
        for _ in range(3):
            ready, metrics, health = [await ask(path) for path in ("/readyz", "/metrics", "/healthz")]
            assert (ready.status, metrics.status, health.status) == (503, 200, 200)
            assert b'"missing": ["database"]' in ready.body
            assert b"tally_database_up 0.0" in metrics.body
            assert b"tally_redis_up 1.0" in metrics.body
            assert b"tally_http_requests_total" in metrics.body
        assert _stuck(holder) == 2
        holder.rollback()
        monkeypatch.setattr(Probe, "PATIENCE_S", PATIENCE_S)
        assert (await ask("/readyz")).status == 200
        assert b"tally_database_up 1.0" in (await ask("/metrics")).body

    asyncio.run(run())
