"""How files and pages go out: names with a hash, ten years of caching, compressed; streams as they are made."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from io import BytesIO
from itertools import islice

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.templatetags.static import static
from django.test import Client, RequestFactory
from django.urls import reverse

from judge.models import Status, Submission
from problems.models import Problem
from tests.waiting import PATIENCE_S, until
from tests.web.asking import Asked
from web.asgi import application
from web.server.middleware import CompressedPages
from web.server.streaming import download

FILES = list(json.loads((settings.STATIC_ROOT / "staticfiles.json").read_text())["paths"])
BROWSER = "gzip, deflate, br, zstd"
MOST_EDITOR_BYTES = 120_000  # compressed by gzip, as most proxies and all browsers know it


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(("accepted", "encoding"), [("gzip", "gzip"), (BROWSER, "br"), ("", None)])
def test_a_file_is_kept_for_ten_years_and_goes_out_compressed(
    client: Client, name: str, accepted: str, encoding: str | None
) -> None:
    answer = client.get(static(name), headers={"Accept-Encoding": accepted})
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "max-age=315360000, public, immutable"
    assert answer.get("Content-Encoding") == (None if name.endswith(".woff2") else encoding)
    assert (settings.BASE_DIR / "web/static" / name).exists()
    b"".join(answer)


@pytest.mark.parametrize("name", [*FILES, "build/site.000000000000.js"])
def test_a_name_that_does_not_tell_what_is_in_it_is_not_kept(client: Client, name: str) -> None:
    answer = client.get(f"/static/{name}")
    assert answer.status_code == 404
    assert "max-age" not in answer.get("Cache-Control", "")


def test_the_editor_stays_small() -> None:
    editor = settings.STATIC_ROOT / static("build/editor.js").removeprefix("/static/")
    assert len(gzip.compress(editor.read_bytes(), 9)) < MOST_EDITOR_BYTES


@pytest.mark.django_db
@pytest.mark.parametrize(("accepted", "encoding"), [(BROWSER, "gzip"), ("", None)])
def test_a_page_is_compressed_for_who_takes_that(client: Client, accepted: str, encoding: str | None) -> None:
    for path, status in (("/login/", 200), ("/nowhere/", 404)):
        answer = client.get(path, headers={"Accept-Encoding": accepted})
        assert (answer.status_code, answer.get("Content-Encoding")) == (status, encoding)
        assert "Accept-Encoding" in answer["Vary"]
        content = gzip.decompress(answer.content) if encoding else answer.content
        assert content.rstrip().endswith(b"</html>")


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("redis_server")
def test_an_event_of_a_live_page_arrives_at_once_as_it_is(client: Client, student: User, problem: Problem) -> None:
    version = problem.current_version
    assert version
    waiting = Submission.objects.create(
        user=student, problem=problem, problem_version=version, language="cpp", source=b"x", status=Status.QUEUED
    )
    client.force_login(student)
    path = reverse("submission_events", args=[waiting.pk])
    cookie = f"sessionid={client.cookies['sessionid'].value}"

    async def follow() -> None:
        asked = Asked(application, path, cookie=cookie, encoding=BROWSER)
        await until(lambda: asked.body == b"event: news\ndata:\n\n", "the first event is here, and no byte more")
        assert not asked.serving.done()
        assert b"content-encoding" not in {name.lower() for name, _ in asked.said[0]["headers"]}
        asked.say({"type": "http.disconnect"})
        async with asyncio.timeout(PATIENCE_S):
            await asked.serving

    asyncio.run(follow())


def _through_middleware(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    answer = CompressedPages(lambda _: response)(request)
    assert isinstance(answer, HttpResponseBase)
    return answer


def test_a_download_goes_out_piece_by_piece_as_it_is_made() -> None:
    made: list[bytes] = []

    def pieces() -> Iterator[bytes]:
        while True:  # whoever collects before sending comes to no end
            made.append(b"%08d" % len(made) * 1_000)
            yield made[-1]

    request = RequestFactory().get("/", headers={"Accept-Encoding": BROWSER})
    answer = _through_middleware(request, download(request, pieces(), name="x.csv", media_type="text/csv"))
    assert list(islice(answer, 3)) == made[:3]
    assert len(made) == 3
    assert "Content-Encoding" not in answer


def test_under_asgi_too() -> None:
    headers = [(b"accept-encoding", BROWSER.encode())]
    scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "query_string": b""}
    request = ASGIRequest(scope, BytesIO())
    made = download(request, iter([b"a" * 1_000, b"b"]), name="x.csv", media_type="text/csv")
    answer = _through_middleware(request, made)

    async def content() -> list[bytes]:
        return [piece async for piece in answer]  # type: ignore[attr-defined]

    assert asyncio.run(content()) == [b"a" * 1_000, b"b"]
