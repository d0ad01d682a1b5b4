"""What hostile programs leave in rows and on pages: stored as bytes, shown as text, hidden tests kept hidden.

Takes the cases of the manifest that have to do with it from the form on the problem's page to the pages of the result.
"""

import re
import socket
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from judge import tasks
from judge.languages import detect_all
from judge.models import Status, Submission, WorkerNode
from judge.verdicts import Verdict
from problems.publishing import publish
from tests.hostile.conftest import canary
from tests.hostile.corpus import CANARY, CASES, Case

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("worker")]

_INVARIANTS = {"page_escaped", "stored_ok", "hidden_tests_hidden"}
_STORED = [case for case in CASES if _INVARIANTS & case.invariants]
_TEXTS = [case for case in _STORED if b"\0" not in case.source]
_MARK = "LEAK-XSS"
_PROBLEM = "name: Sum\nlimits: {time_limit: 1, memory: 256, output: 1}\n"


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A case after judging, with the pages that its author sees."""

    submission: Submission
    page: str
    fragment: str
    list_page: str
    comparison: str


class _Live(HTMLParser):
    """What of a page would act: scripts' texts, handlers, addresses, titles."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.acting: list[str] = []
        self.text: list[str] = []
        self._inside = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._inside = tag if tag in ("script", "style", "title") else ""
        for name, value in attributes:
            if name.startswith(("on", "hx-on", "data-hx-on")) or (value or "").lower().startswith("javascript:"):
                self.acting.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside and _MARK in data:
            self.acting.append(f"{self._inside}: {data}")
        if not self._inside:
            self.text.append(data)


@pytest.fixture
def worker(db: None, redis_server: str) -> None:
    """The row of the worker that grades in place."""
    now = timezone.now()
    languages = {language: toolchain.version for language, toolchain in detect_all().items()}
    WorkerNode.objects.create(name=socket.gethostname(), started_at=now, last_seen_at=now, languages=languages)


@pytest.fixture
def author(client: Client) -> Client:
    """A contestant, signed in."""
    client.force_login(User.objects.create_user("author"))
    return client


def _publish(folder: Path, answer: str, secret: str) -> None:
    """The problem "sum": a sample, and a hidden test whose input and answer hold a secret."""
    cases = {"sample/1": ("1 2\n", "3\n"), "secret/07-tricky": (f"1 2\n# {secret}\n", answer)}
    for name, contents in cases.items():
        for suffix, content in zip((".in", ".ans"), contents, strict=True):
            path = folder / "sum" / "data" / f"{name}{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    (folder / "sum" / "problem.yaml").write_text(_PROBLEM)
    publish(folder / "sum", owner=None)


def _send(client: Client, case: Case) -> HttpResponse:
    file = SimpleUploadedFile(case.file, case.source)
    answer = client.post(reverse("submit", args=["sum"]), {"language": case.language, "file": file})
    assert isinstance(answer, HttpResponse)
    return answer


def _judge(client: Client, case: Case, folder: Path) -> Judged:
    secret = canary("TEST")
    _publish(folder, "3\n" if Verdict.AC in case.verdicts else f"3\n# {secret}\n", secret)
    assert _send(client, case).status_code == 302
    submission = Submission.objects.get()
    tasks.grade_submission.apply(args=[submission.pk], throw=True)
    submission.refresh_from_db()
    return Judged(
        submission=submission,
        page=_get(client, reverse("submission", args=[submission.pk])),
        fragment=_get(client, reverse("submission_live", args=[submission.pk])),
        list_page=_get(client, reverse("submission_list")),
        comparison=_get(client, f"{reverse('compare')}?a={_similar(submission).pk}&b={submission.pk}"),
    )


def _get(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    assert "unsafe" not in answer["Content-Security-Policy"]
    return answer.content.decode("utf-8")


def _similar(submission: Submission) -> Submission:
    """Another submission of the same author, to compare with."""
    same = ("user_id", "problem_id", "problem_version_id", "language", "status", "verdict", "compile_message")
    values = {name: getattr(submission, name) for name in same}
    return Submission.objects.create(source=b"\n" + bytes(submission.source), **values)


@pytest.mark.parametrize("case", _TEXTS, ids=lambda case: case.file)
def test_a_case_is_stored_and_shown_as_text(case: Case, author: Client, tmp_path: Path) -> None:
    judged = _judge(author, case, tmp_path)
    submission = judged.submission
    assert (submission.status, submission.attempt) == (Status.DONE, 1)
    assert submission.verdict in case.verdicts
    assert bytes(submission.source) == case.source
    for page in (judged.page, judged.fragment, judged.list_page, judged.comparison):
        live = _Live(page)
        assert not live.acting
        assert CANARY not in page


def test_markup_in_compiler_messages_is_read_not_obeyed(author: Client, tmp_path: Path) -> None:
    (case,) = (case for case in _TEXTS if case.file == "out_10_html_in_compile_error.cpp")
    judged = _judge(author, case, tmp_path)
    text = "".join(_Live(judged.page).text)
    assert "<script>document.title='LEAK-XSS'</script>" in re.sub(r"\s+", " ", text)
    assert "{{ 7*7 }}" in text


def test_every_byte_of_the_output_is_stored(author: Client, tmp_path: Path) -> None:
    (case,) = (case for case in _TEXTS if case.file == "out_11_all_bytes.cpp")
    sample = _judge(author, case, tmp_path).submission.results.get(is_sample=True)
    assert bytes(range(256)) in bytes(sample.output)
    assert bytes(range(256)) in bytes(sample.stderr)


def test_a_hidden_exit_code_reaches_the_staff_only(author: Client, tmp_path: Path) -> None:
    (case,) = (case for case in _TEXTS if case.file == "chk_10_exit_code_oracle.py")
    judged = _judge(author, case, tmp_path)
    sample, hidden = judged.submission.results.all()
    assert "exit code 49" in sample.detail  # "1" of the input
    assert not re.search(r"\b49\b", hidden.detail)
    assert not any(map(bytes, (hidden.output, hidden.stderr, hidden.expected)))
    assert judged.page.count("exit code 49") == judged.fragment.count("exit code 49") > 0


@pytest.mark.parametrize("case", [case for case in _STORED if case not in _TEXTS], ids=lambda case: case.file)
def test_a_source_with_nul_bytes_is_refused_with_a_sentence(case: Case, author: Client, tmp_path: Path) -> None:
    _publish(tmp_path, "3\n", canary("TEST"))
    answer = _send(author, case)
    assert answer.status_code == 422
    assert "NUL" in answer.content.decode("utf-8")
    assert not Submission.objects.exists()


def test_nobody_else_can_read_it(author: Client, tmp_path: Path) -> None:
    (case,) = (case for case in CASES if case.file == "ctl_01_aplusb.py")
    judged = _judge(author, case, tmp_path)
    assert judged.submission.verdict == Verdict.AC
    other = Client()
    other.force_login(User.objects.create_user("other"))
    for name in ("submission", "submission_live"):
        assert other.get(reverse(name, args=[judged.submission.pk])).status_code == 404
