"""`/metrics`: every number moves when the thing happens, nobody else reads it, and it asks little of the database."""

import asyncio
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from bench.load.asgi import Exchange
from judge.grading.events import GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission, WorkerNode
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.workers import reaper
from problems.models import Problem
from web.asgi import application

pytestmark = pytest.mark.django_db
Numbers = dict[tuple[str, frozenset[tuple[str, str]]], float]
WORKER = "tally@here/0"
HERE = {"Host": "localhost:8000"}


@pytest.fixture
def make_submission(student: User, problem: Problem) -> Callable[..., Submission]:
    """A function that inserts a queued submission."""

    def make(**columns: object) -> Submission:
        given = {"user": student, "problem": problem, "problem_version": problem.current_version, "source": b"1"}
        return Submission.objects.create(**{**given, "language": "python", **columns})

    return make


def scrape(client: Client) -> Numbers:
    """Every sample by its name and labels."""
    answer = client.get("/metrics", headers=HERE)
    assert answer.status_code == 200
    return {
        (
            sample.name,
            frozenset(sample.labels.items()),
        ): sample.value
        for family in text_string_to_metric_families(answer.content.decode())
        for sample in family.samples
    }


def number(numbers: Numbers, name: str, **labels: str) -> float:
    """One sample; 0 when it is not there."""
    return numbers.get((name, frozenset(labels.items())), 0.0)


def test_queue_is_told_as_it_is(client: Client, make_submission: Callable[..., Submission]) -> None:
    make_submission()
    old = make_submission()
    Submission.objects.filter(pk=old.pk).update(created_at=Now() - timedelta(minutes=5))
    make_submission(next_try_at=Now() + timedelta(minutes=5))
    make_submission(status=Status.JUDGING, lease_until=Now() + timedelta(minutes=5))
    make_submission(status=Status.DONE)
    numbers = scrape(client)
    assert number(numbers, "tally_queue_waiting", kind="submission") == 2
    assert number(numbers, "tally_queue_pausing", kind="submission") == 1
    assert number(numbers, "tally_queue_judging", kind="submission") == 1
    assert 300 <= number(numbers, "tally_queue_oldest_seconds", kind="submission") < 600
    assert number(numbers, "tally_queue_waiting", kind="packageupload") == 0


def test_verdict_judge_error_and_stages_are_counted(client: Client, make_submission: Callable[..., Submission]) -> None:
    before = scrape(client)
    for verdict in (Verdict.AC, Verdict.JE):
        lease = records.claim(Submission.objects.filter(pk=make_submission().pk), WORKER)
        assert lease
        GradingRecord(lease).write(GradingFinished(verdict=verdict, explanation=()))
    after = scrape(client)

    def rise(name: str, **labels: str) -> float:
        return number(after, name, **labels) - number(before, name, **labels)

    assert rise("tally_verdicts_total", language="python", verdict="AC") == 1
    assert rise("tally_verdicts_total", language="python", verdict="JE") == 1
    assert rise("tally_judge_errors_total") == 1
    for stage in ("queue", "compile", "run", "check", "write", "push"):
        assert rise("tally_stage_seconds_count", stage=stage) == 2
        assert rise("tally_stage_seconds_bucket", stage=stage, le="+Inf") == 2
    assert rise("tally_stage_seconds_sum", stage="total") > 0


def test_lost_lease_failure_and_given_up_row_are_counted(
    client: Client,
    make_submission: Callable[..., Submission],
    settings: Settings,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    names = [f"tally_{name}_total" for name in ("leases_lost", "failures", "given_up")]
    assert [number(scrape(client), name, kind="submission") for name in names] == [0, 0, 0]
    settings.MAX_ATTEMPTS = 2
    make_submission(failures=1, status=Status.JUDGING, lease_until=Now() - timedelta(seconds=1), worker=WORKER)
    lease = records.claim(Submission.objects.filter(pk=make_submission().pk), WORKER)
    assert lease
    with django_capture_on_commit_callbacks(execute=True):
        reaper.take_back(Submission)
        records.release(lease, "OSError: no space")
    assert [number(scrape(client), name, kind="submission") for name in names] == [1, 1, 1]
    assert number(scrape(client), "tally_judge_errors_total") == 1


def test_workers_are_told_with_what_they_measured(client: Client) -> None:
    now = timezone.now()
    seen = {"a": now, "b": now - timedelta(minutes=5)}
    for name, last in seen.items():
        WorkerNode.objects.create(
            name=name,
            started_at=now,
            last_seen_at=last,
            languages={"cpp": "12"},
            processes=3,
            overhead_wall_us=1_200,
            problem="" if name == "a" else "The disk is full.",
        )
    sick = f"{WorkerNode.SICK}It is full."
    WorkerNode.objects.create(name="sick", started_at=now, last_seen_at=now, problem=sick)
    stopped = {"problem": WorkerNode.TOLD_TO_STOP, "languages": {"cpp": "12", "rust": "1.63"}}
    WorkerNode.objects.create(name="gone", started_at=now, last_seen_at=seen["b"], **stopped)
    WorkerNode.objects.create(name="dead", started_at=now, last_seen_at=seen["b"], languages={"go": "1.19"})
    numbers = scrape(client)
    assert number(numbers, "tally_workers_alive") == 1
    assert (
        number(numbers, "tally_worker_up", worker="gone") == number(numbers, "tally_worker_problem", worker="gone") == 0
    )
    assert ("tally_worker_silent_seconds", frozenset({("worker", "gone")})) not in numbers
    told = {dict(labels)["language"]: value for (name, labels), value in numbers.items() if "_with_language" in name}
    assert told == {"cpp": 1, "go": 0}  # who was told to stop is missed by no alert
    assert number(numbers, "tally_worker_up", worker="a") == 1
    assert number(numbers, "tally_worker_up", worker="b") == 0
    assert number(numbers, "tally_worker_problem", worker="b") == 1
    assert [number(numbers, "tally_worker_sick", worker=name) for name in ("a", "b", "gone", "sick")] == [0, 0, 0, 1]
    assert number(numbers, "tally_worker_problem", worker="sick") == 1
    assert number(numbers, "tally_worker_silent_seconds", worker="b") >= 300
    assert number(numbers, "tally_worker_processes", worker="a") == 3
    assert number(numbers, "tally_worker_overhead_seconds", worker="a") == 0.0012


def test_requests_are_counted_by_page_and_open_streams_too(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    before = number(scrape(client), "tally_http_requests_total", page="healthz", method="GET", status="200")
    headers = asyncio.run(_ask("/healthz", [(b"x-request-id", b"from-the-proxy")]))
    assert (b"x-request-id", b"from-the-proxy") in headers
    after = scrape(client)
    assert number(after, "tally_http_requests_total", page="healthz", method="GET", status="200") == before + 1
    assert number(after, "tally_http_request_seconds_count", page="healthz") >= 1
    assert number(after, "tally_streams_open") == 0
    assert number(after, "tally_disk_free_bytes", folder="var") > 0


@pytest.mark.parametrize("given", [b"", b"a b", b"x" * 65, b"\xe9"])
def test_request_id_that_is_none_is_replaced(given: bytes) -> None:
    headers = dict(asyncio.run(_ask("/healthz", [(b"x-request-id", given)])))
    assert len(headers[b"x-request-id"]) == 16


def test_only_who_has_the_token_may_read(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = "a long token"
    assert client.get("/metrics").status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer another"}).status_code == 403
    assert client.get("/metrics", headers={"Authorization": "Bearer a long token"}).status_code == 200


@pytest.mark.parametrize("address", ["192.168.0.7", "8.8.8.8", "", "2001:db8::1"])
def test_without_a_token_nobody_else_may_read(client: Client, address: str) -> None:
    assert client.get("/metrics", REMOTE_ADDR=address, headers=HERE).status_code == 403


@pytest.mark.parametrize(
    "header", ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "X-Real-IP"]
)
def test_without_a_token_a_proxy_on_this_machine_lets_nobody_in(client: Client, header: str) -> None:
    assert client.get("/metrics", headers={**HERE, header: "127.0.0.1"}).status_code == 403


def test_without_a_token_a_proxy_that_says_nothing_lets_nobody_in(client: Client, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["judge.example.org", *settings.LOOPBACK_HOSTS]
    assert client.get("/metrics", headers={"Host": "judge.example.org"}).status_code == 403
    for name in ("localhost", "127.0.0.1:8000", "[::1]:8000"):
        assert client.get("/metrics", REMOTE_ADDR="::1", headers={"Host": name}).status_code == 200


def test_folder_that_is_not_made_yet_is_measured_where_it_will_lie(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.VAR_DIR = tmp_path / "not" / "made"
    free = number(scrape(client), "tally_disk_free_bytes", folder="var")
    assert free == pytest.approx(shutil.disk_usage(tmp_path).free, rel=0.5)
    assert free > 0


def test_of_a_disk_that_cannot_be_measured_nothing_is_said(client: Client, settings: Settings, tmp_path: Path) -> None:
    settings.VAR_DIR = tmp_path / ("x" * 300)  # no file system takes such a name
    numbers = scrape(client)
    assert ("tally_disk_free_bytes", frozenset({("folder", "var")})) not in numbers
    assert number(numbers, "tally_disk_free_bytes", folder="store") > 0


def test_scrape_asks_the_same_few_questions_however_many_there_are(
    client: Client, make_submission: Callable[..., Submission], django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(30):
        make_submission(status=Status.DONE, verdict="AC")
    with django_assert_max_num_queries(9):
        scrape(client)


async def _ask(path: str, headers: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """The headers of the whole site's answer, as uvicorn asks for it."""
    exchange = Exchange(path, headers=headers)
    await exchange.go_through(application)
    return exchange.headers
