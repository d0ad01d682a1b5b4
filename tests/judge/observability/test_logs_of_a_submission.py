"""A search for a submission's number in the logs shows its whole path: site, queue, a real worker, the push."""

import asyncio
import io
import json
import logging
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client

from bench.load.asgi import Exchange
from judge.models import Status, Submission, WorkerNode
from judge.observability.logs import JsonLines
from problems.management.commands.load_library import LIBRARY
from problems.store.publishing import publish
from tests.waiting import wait_for
from web.asgi import application
from web.operations import services

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]
SOURCE = "a, b = map(int, input().split())\nprint(a + b)  # my secret idea\n"


@pytest.fixture
def site_log() -> Iterator[io.StringIO]:
    """What this process, the site, writes with TALLY_LOG_FORMAT=json."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.addHandler(handler)
    yield written
    root.removeHandler(handler)


@pytest.fixture
def worker_log(tmp_path: Path, redis_server: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The log of a running worker that says everything, as JSON."""
    database = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{connection.settings_dict['NAME']}")
    monkeypatch.setenv("DATABASE_URL", database.geturl())
    monkeypatch.setenv("TALLY_LOG_FORMAT", "json")
    monkeypatch.setenv("TALLY_LOG_LEVEL", "DEBUG")
    argv = [sys.executable, str(settings.BASE_DIR / "manage.py"), "worker", "--name", "tally@logs"]
    log = tmp_path / "worker.log"
    service = services.start_process("worker", [*argv, "--concurrency", "1"], log, signal.SIGTERM)
    yield log
    service.stop()


@pytest.mark.thorough
def test_every_hop_of_a_submission_names_it(
    site_log: io.StringIO, worker_log: Path, client: Client, student: User
) -> None:
    problem = publish(LIBRARY / "sumoftwo", owner=None).problem
    wait_for(WorkerNode.objects.alive().exists, "the worker takes work", log=worker_log.read_text)
    client.force_login(student)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
    status = asyncio.run(_post(f"/problems/{problem.slug}/submit", cookie))
    assert status == 302
    submission = Submission.objects.get()
    wait_for(lambda: Submission.objects.get().status == Status.DONE, "it is judged", log=worker_log.read_text)
    last = "pages are told: GradingFinished"
    wait_for(lambda: last in worker_log.read_text(), "the last is logged", log=worker_log.read_text)
    assert asyncio.run(_get(f"/submissions/{submission.pk}/", cookie)) == 200
    lines = [*_about(site_log.getvalue(), submission.pk), *_about(worker_log.read_text(), submission.pk)]
    said = [f"{line['logger']}: {line['message']}" for line in lines]
    for hop in (
        "judge.submissions.intake: accepted: python",
        "judge.queue.wakeup: workers notified",
        "judge.workers.tasks: claimed by process",
        "sandbox.jail.nsjail: jail-",
        "judge.observability.logs: compiled",
        "sandbox.jail.jail: a run in jail-",
        "judge.observability.logs: case sample/1: AC",
        "judge.observability.logs: verdict AC",
        "judge.queue.wakeup: pages are told: GradingFinished",
        "web.server.request_log: GET submission: 200",
    ):
        assert any(each.startswith(hop) for each in said), (hop, said)
    accepted = next(line for line in lines if str(line["message"]).startswith("accepted"))
    assert accepted["request"] == "the-request"
    assert {line["attempt"] for line in lines if "worker" in line} == {1}
    workers = {str(line["worker"]).rpartition("/")[0] for line in lines if "worker" in line}
    assert workers == {"tally@logs"}
    everything = site_log.getvalue() + worker_log.read_text()
    assert "secret idea" not in everything
    assert cookie not in everything


def _about(log: str, submission_id: int) -> list[dict[str, object]]:
    """What `grep '"submission": 12,'` finds: every line about it."""
    found = [json.loads(line) for line in log.splitlines() if f'"submission": {submission_id},' in line]
    every = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert found == [line for line in every if line.get("submission") == submission_id]
    return found


async def _get(path: str, session: str) -> int:
    """Open a page; the answer's status."""
    exchange = Exchange(path, headers=[(b"cookie", f"{settings.SESSION_COOKIE_NAME}={session}".encode())])
    await exchange.go_through(application)
    return exchange.status


async def _post(path: str, session: str) -> int:
    """Submit as a browser does, through the whole ASGI application; the answer's status."""
    token = "a" * 32
    body = urlencode({"language": "python", "source": SOURCE, "csrfmiddlewaretoken": token}).encode()
    headers = {
        "cookie": f"{settings.SESSION_COOKIE_NAME}={session}; {settings.CSRF_COOKIE_NAME}={token}",
        "content-type": "application/x-www-form-urlencoded",
        "content-length": str(len(body)),
        "x-request-id": "the-request",
    }
    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    exchange = Exchange(path, method="POST", headers=pairs, body=body)
    await exchange.go_through(application)
    return exchange.status
