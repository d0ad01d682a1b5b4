"""Error pages, the health probe, and the frame around every page."""

import io
import logging
from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from pytest_django import DjangoAssertNumQueries, Settings

from judge.observability.logs import TextLines
from problems.models import Problem
from problems.store.store import PackageMissing, StoreUnavailable
from web.views import errors

pytestmark = pytest.mark.django_db


def test_missing_page_is_a_404_in_the_sites_look(client: Client) -> None:
    answer = client.get("/nowhere/")
    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


def test_form_text_beyond_the_request_cap_is_a_413(
    client: Client, student: User, problem: Problem, settings: Settings
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    client.force_login(student)
    answer = client.post("/problems/sumoftwo/submit", {"language": "python", "source": "x" * 2_000})
    assert answer.status_code == 413
    assert "Request too large" in answer.content.decode()


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What is logged from now on, as it goes to stderr."""
    lines = io.StringIO()
    handler = next(each for each in logging.getLogger().handlers if isinstance(each.formatter, TextLines))
    monkeypatch.setattr(handler, "stream", lines)
    return lines


def test_error_of_ours_names_no_internals_but_in_the_log(
    client: Client, monkeypatch: pytest.MonkeyPatch, written: io.StringIO
) -> None:
    def broken(request: HttpRequest) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("web.views.problems.listing.listed_problems", broken)
    client.raise_request_exception = False
    answer = client.get("/problems/")
    assert answer.status_code == 500
    assert "This is our fault" in answer.content.decode()
    assert "secret detail" not in answer.content.decode()
    assert "Traceback" in written.getvalue()
    assert "RuntimeError: secret detail" in written.getvalue()


@pytest.mark.parametrize("why", [OperationalError, InterfaceError, StoreUnavailable, PackageMissing])
def test_a_service_that_is_away_is_a_503_that_says_when_to_ask_again(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, why: type[Exception]
) -> None:
    def broken(request: HttpRequest) -> None:
        raise why("secret detail")

    monkeypatch.setattr("web.views.problems.listing.listed_problems", broken)
    answer = client.get("/problems/")
    assert (answer.status_code, answer["Retry-After"]) == (503, "10")
    assert "A part of this site does not answer" in answer.content.decode()
    assert "secret detail" not in answer.content.decode()
    assert "secret detail" in caplog.text


@pytest.mark.parametrize(
    ("address", "page"),
    [("/compare/shared/s3cret/", "shared_comparison"), ("/assignments/3/join/s3cret/", "join_assignment")],
)
def test_the_log_of_an_outage_names_the_page_and_no_token_of_its_link(
    client: Client, student: User, monkeypatch: pytest.MonkeyPatch, written: io.StringIO, address: str, page: str
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr("web.views.submissions.comparison.get_object_or_404", broken)
    monkeypatch.setattr("web.access.get_object_or_404", broken)
    client.force_login(student)
    assert client.get(address).status_code == 503
    assert (
        f"ERROR web.server.middleware: GET {page} is answered 503: the server closed the connection"
        in written.getvalue()
    )
    assert "s3cret" not in written.getvalue()


@pytest.mark.parametrize(
    ("view", "status"), [(errors.bad_request, 400), (errors.forbidden, 403), (errors.not_found, 404)]
)
def test_error_pages_ask_nothing_of_the_database(
    view: Callable[[HttpRequest, Exception], HttpResponse],
    status: int,
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    request = RequestFactory().get("/")
    with django_assert_num_queries(0):
        assert view(request, ValueError()).status_code == status
