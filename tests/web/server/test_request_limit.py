"""Which requests a web process lets in: so many at once, in which order, and who is sent away or stops waiting."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.waiting import PATIENCE_S
from tests.web.asking import COMPLETE, Asked
from web.server import database_watch, request_limit
from web.server.body_limit import Message
from web.server.database_watch import DatabaseWatch
from web.server.request_limit import RequestLimit

Scope = dict[str, Any]
HALF: Message = {"type": "http.request", "body": b"half", "more_body": True}
GONE: Message = {"type": "http.disconnect"}


class _Site:
    """An application that answers when it is told to, and notes who is at work and who hung up before that."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.dropped: list[str] = []
        self.bodies: dict[str, bytes] = {}
        self.heard_after: dict[str, Message] = {}
        self.may_answer: dict[str, asyncio.Event] = {}
        self.may_end = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        path, body = scope["path"], b""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.dropped.append(path)
                return
            body += message["body"]
            if not message["more_body"]:
                break
        self.begun.append(path)
        self.bodies[path] = body
        await self.may_answer.setdefault(path, asyncio.Event()).wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await self.may_end.wait()
        self.heard_after[path] = await receive()

    def answer(self, path: str) -> None:
        self.may_answer.setdefault(path, asyncio.Event()).set()


def _limit(site: Any, most: int, watch: DatabaseWatch | None = None) -> RequestLimit:
    return RequestLimit(
        site,
        most,
        busy=lambda: b"too many",
        away=lambda: b"away",
        files="/static/",
        watch=watch or DatabaseWatch(lambda: ""),
    )


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not holds():
            await asyncio.sleep(0.01)


async def _settle() -> None:
    for _ in range(20):
        await asyncio.sleep(0)


class _Database:
    """A database that goes away and comes back."""

    def __init__(self) -> None:
        self.why_away = ""
        self.looks = 0

    def reach(self) -> str:
        self.looks += 1
        return self.why_away


def _run(test: Callable[[_Site, RequestLimit], Awaitable[None]], most: int = 1) -> None:
    async def run() -> None:
        site = _Site()
        await test(site, _limit(site, most))

    asyncio.run(run())


def test_a_request_waits_for_a_place_and_pages_wait_for_people() -> None:
    async def ask(site: _Site, limited: RequestLimit) -> None:
        asked = {}
        for path in ("/a", "/submissions/1/live", "/b", "/c"):
            asked[path] = Asked(limited, path)
            await _settle()
        assert site.begun == ["/a"]
        asked["/b"].serving.cancel()
        site.answer("/a")  # which is not at its end: its reader is slow
        await _settle()
        assert site.begun == ["/a", "/c"]
        site.answer("/c")
        await _settle()
        assert site.begun == ["/a", "/c", "/submissions/1/live"]

    _run(ask)


def test_what_somebody_sends_comes_before_what_somebody_looks_at_for_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def begun() -> list[str]:
        site = _Site()
        limited = _limit(site, 1)
        for path in ("/a", "/b", "/submit"):
            Asked(limited, path, method="POST" if path == "/submit" else "GET")
            await _settle()
        site.answer("/a")
        await _settle()
        return site.begun

    assert asyncio.run(begun()) == ["/a", "/submit"]
    monkeypatch.setattr(request_limit, "HEAD_START_S", 0.0)
    assert asyncio.run(begun()) == ["/a", "/b"]


def test_while_people_send_a_page_is_made_alone_unless_it_has_waited_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(site: _Site, limited: RequestLimit) -> None:
        for path in ("/a", "/submit", "/b", "/c", "/send", "/d"):
            Asked(limited, path, method="POST" if path in {"/submit", "/send"} else "GET")
            await _settle()
        assert site.begun == ["/a", "/submit", "/send"]
        for path in ("/submit", "/a"):
            site.answer(path)
            await _settle()
        assert site.begun == ["/a", "/submit", "/send"]
        site.answer("/send")
        await _settle()
        assert site.begun == ["/a", "/submit", "/send", "/b"]
        site.answer("/b")
        await _settle()
        assert site.begun == ["/a", "/submit", "/send", "/b", "/c"]
        monkeypatch.setattr(request_limit, "HEAD_START_S", 0.0)
        Asked(limited, "/tell", method="POST")
        await _settle()
        assert sorted(site.begun[5:]) == ["/d", "/tell"]

    _run(ask, most=4)


def test_a_page_that_was_held_back_comes_when_nobody_sends_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "SENDING_S", 0.1)
    monkeypatch.setattr(request_limit, "_LOOK_EVERY_S", 0.01)

    async def ask(site: _Site, limited: RequestLimit) -> None:
        for path in ("/slow", "/submit", "/a"):
            Asked(limited, path, method="POST" if path == "/submit" else "GET")
            await _settle()
        assert site.begun == ["/slow", "/submit"]
        await _until(lambda: site.begun == ["/slow", "/submit", "/a"])  # though nobody comes or goes

    _run(ask, most=4)


def test_a_page_is_not_held_back_by_one_that_waits_for_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "BUSY_S", 0.1)
    monkeypatch.setattr(request_limit, "_LOOK_EVERY_S", 0.01)

    async def ask(site: _Site, limited: RequestLimit) -> None:
        for path in ("/slow", "/submit", "/a", "/b"):
            Asked(limited, path, method="POST" if path == "/submit" else "GET")
            await _settle()
        site.answer("/submit")
        await _settle()
        assert site.begun == ["/slow", "/submit"]
        await _until(lambda: site.begun == ["/slow", "/submit", "/a"])
        await _until(lambda: site.begun == ["/slow", "/submit", "/a", "/b"])

    _run(ask, most=4)


def test_pages_are_made_side_by_side_when_nobody_sends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "SENDING_S", 0.0)

    async def ask(site: _Site, limited: RequestLimit) -> None:
        for path in ("/submit", "/a", "/b", "/c"):
            Asked(limited, path, method="POST" if path == "/submit" else "GET")
            await _settle()
        assert site.begun == ["/submit", "/a", "/b"]

    _run(ask, most=3)


def test_what_a_page_asks_for_waits_no_longer_than_its_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "PATIENCE_S", 0.0)

    async def ask(site: _Site, limited: RequestLimit) -> None:
        for path in ("/a", "/submissions/1/live", "/b"):
            Asked(limited, path)
            await _settle()
        site.answer("/a")
        await _settle()
        assert site.begun == ["/a", "/submissions/1/live"]

    _run(ask)


def test_a_body_that_comes_slowly_takes_nobodys_place() -> None:
    async def ask(site: _Site, limited: RequestLimit) -> None:
        slow = Asked(limited, "/slow", HALF)
        await _settle()
        Asked(limited, "/quick")
        await _settle()
        assert site.begun == ["/quick"]
        slow.say({"type": "http.request", "body": b" and half", "more_body": False})
        await _settle()
        assert site.begun == ["/quick"]
        site.answer("/quick")
        await _settle()
        assert site.begun == ["/quick", "/slow"]
        assert site.bodies["/slow"] == b"half and half"

    _run(ask)


def test_files_of_the_pages_wait_behind_no_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "MOST_WAITING", 1)

    async def ask(site: _Site, limited: RequestLimit) -> None:
        asked = [Asked(limited, path) for path in ("/a", "/b", "/static/a.css", "/static/b.css", "/c")]
        await _settle()
        assert site.begun == ["/a", "/static/a.css"]
        assert [each.status for each in asked] == [None, None, None, None, 503]

    _run(ask)


def test_a_request_that_fails_leaves_its_place() -> None:
    async def ask() -> None:
        async def fails(scope: Scope, receive: Any, send: Any) -> None:
            await receive()
            raise LookupError

        limited = _limit(fails, 1)
        for _ in range(3):
            with pytest.raises(LookupError):
                await Asked(limited, "/").serving

    asyncio.run(ask())


def test_who_hangs_up_in_line_is_never_worked_for() -> None:
    async def ask(site: _Site, limited: RequestLimit) -> None:
        first = Asked(limited, "/a")
        await _settle()
        reloads = [Asked(limited, "/reloaded", HALF, COMPLETE) for _ in range(10)]
        patient = Asked(limited, "/patient")
        await _settle()
        for each in reloads:
            each.say(GONE)
        await asyncio.gather(*(each.serving for each in reloads))
        assert site.dropped == ["/reloaded"] * 10
        assert not any(each.said for each in reloads)
        site.answer("/a")
        site.answer("/patient")
        site.may_end.set()
        first.say(GONE)
        patient.say(GONE)
        await asyncio.gather(first.serving, patient.serving)
        assert site.begun == ["/a", "/patient"]
        assert site.heard_after["/patient"] == GONE  # who is let in hears that its client hangs up later
        again = Asked(limited, "/again")
        await _settle()
        assert site.begun[-1] == "/again"
        again.serving.cancel()

    _run(ask)


def test_what_comes_while_a_request_is_in_line_is_heard_after_it() -> None:
    async def ask(site: _Site, limited: RequestLimit) -> None:
        Asked(limited, "/a")
        await _settle()
        odd = Asked(limited, "/odd", COMPLETE, {"type": "odd"})
        await _settle()
        site.answer("/a")
        site.answer("/odd")
        site.may_end.set()
        await odd.serving
        assert site.heard_after["/odd"] == {"type": "odd"}

    _run(ask)


def test_above_a_length_of_the_line_one_is_told_at_once_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "MOST_WAITING", 2)
    monkeypatch.setattr(request_limit, "MOST_PAGES_WAITING", 1)

    async def ask(site: _Site, limited: RequestLimit) -> None:
        asked = [Asked(limited, f"/{number}") for number in range(4)]
        pages = [Asked(limited, f"/submissions/{number}/events") for number in range(2)]
        await asyncio.gather(asked[3].serving, pages[1].serving)
        assert [each.status for each in asked] == [None, None, None, 503]
        assert [each.status for each in pages] == [None, 503]
        headers = dict(asked[3].said[0]["headers"])
        assert (headers[b"retry-after"], asked[3].body) == (b"10", b"too many")
        asked[1].say(GONE)
        await asked[1].serving
        later = Asked(limited, "/later")
        await _settle()
        assert later.status is None  # there is room in line again
        for path in ("/0", "/2", "/later"):
            site.answer(path)
        await _settle()
        assert site.begun[:3] == ["/0", "/2", "/later"]

    _run(ask)


def test_nobody_waits_for_a_database_that_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_watch, "LOOK_EVERY_S", 0.01)
    database = _Database()
    watch = DatabaseWatch(database.reach)

    async def ask(site: _Site, limited: RequestLimit) -> None:
        limited = _limit(site, 1, watch)
        working, waiting = Asked(limited, "/a"), Asked(limited, "/b")
        await _settle()
        database.why_away = "no answer"
        watch.suspect()
        await _until(lambda: watch.is_away)
        late, health, ready, file = (Asked(limited, path) for path in ("/c", "/healthz", "/readyz", "/static/a.css"))
        await _until(lambda: waiting.status is not None)
        assert [(each.status, each.body) for each in (waiting, late)] == [(503, b"away")] * 2
        assert site.begun == ["/a", "/healthz", "/readyz", "/static/a.css"]
        database.why_away = ""
        await _until(lambda: not watch.is_away)
        site.answer("/a")
        Asked(limited, "/d")
        await _settle()
        assert site.begun[-1] == "/d"
        assert [each.status for each in (working, health, ready, file)] == [200, None, None, None]

    _run(ask)


def test_slow_request_is_a_reason_to_look_and_a_quick_one_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request_limit, "SLOW_S", 0.2)
    database = _Database()

    async def ask(site: _Site, limited: RequestLimit) -> None:
        limited = _limit(site, 1, DatabaseWatch(database.reach))
        site.answer("/quick")
        site.answer("/static/slow.css")
        Asked(limited, "/quick")
        await asyncio.sleep(0.4)
        assert not database.looks
        Asked(limited, "/slow")
        await _until(lambda: database.looks == 1)

    _run(ask)
