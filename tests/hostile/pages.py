"""A program's way from the form on a problem's page to the pages of its result."""

from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import Protocol

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from judge.models import Submission
from judge.workers import tasks
from problems.store.publishing import publish
from tests.hostile.conftest import canary

MARK = "LEAK-XSS"
CODE_KIB = 64
_PROBLEM = "name: Sum\nlimits: {{time_limit: 1, memory: 256, output: 1, code: {code_kib}}}\n"


class Program(Protocol):
    """What can be sent in."""

    @property
    def file(self) -> str:
        """Its name."""
        ...

    @property
    def language(self) -> str:
        """The id of its language."""
        ...

    @property
    def source(self) -> bytes:
        """What is in it."""
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """A case after judging, with the pages that its author sees."""

    submission: Submission
    page: str
    fragment: str
    list_page: str
    comparison: str


class Live(HTMLParser):
    """What of a page would act (scripts' texts, handlers, addresses, titles), and its texts."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.acting: list[str] = []
        self.text: list[str] = []
        self.beside_source: list[str] = []
        self._inside = ""
        self._is_source = False
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._inside = tag if tag in ("script", "style", "title") else ""
        self._is_source |= tag == "ol" and "source" in (dict(attributes).get("class") or "").split()
        for name, value in attributes:
            if name.startswith(("on", "hx-on", "data-hx-on")) or (value or "").lower().startswith("javascript:"):
                self.acting.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""
        self._is_source &= tag != "ol"

    def handle_data(self, data: str) -> None:
        if self._inside and MARK in data:
            self.acting.append(f"{self._inside}: {data}")
        if not self._inside:
            self.text.append(data)
            if not self._is_source:
                self.beside_source.append(data)


def publish_sum(folder: Path, *, accepts: bool = True, code_kib: int = CODE_KIB) -> None:
    """The problem "sum": a sample, and a hidden test whose input holds a secret, and its answer unless it `accepts`."""
    secret = canary("TEST")
    answer = "3\n" if accepts else f"3\n# {secret}\n"
    cases = {"sample/1": ("1 2\n", "3\n"), "secret/07-tricky": (f"1 2\n# {secret}\n", answer)}
    for name, contents in cases.items():
        for suffix, content in zip((".in", ".ans"), contents, strict=True):
            path = folder / "sum" / "data" / f"{name}{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    (folder / "sum" / "problem.yaml").write_text(_PROBLEM.format(code_kib=code_kib))
    publish(folder / "sum", owner=None)


def send(client: Client, program: Program) -> HttpResponse:
    """Send a file by the form on the problem's page."""
    file = SimpleUploadedFile(program.file, program.source)
    answer = client.post(reverse("submit", args=["sum"]), {"language": program.language, "file": file})
    assert isinstance(answer, HttpResponse)
    return answer


def judge(client: Client, program: Program, folder: Path, *, accepts: bool = True) -> Judged:
    """Send the program, have it judged and look at all its pages."""
    publish_sum(folder, accepts=accepts)
    assert send(client, program).status_code == 302
    submission = Submission.objects.get()
    tasks.grade_submission.apply(args=[submission.pk], throw=True)
    submission.refresh_from_db()
    return Judged(
        submission=submission,
        page=get(client, reverse("submission", args=[submission.pk])),
        fragment=get(client, reverse("submission_live", args=[submission.pk])),
        list_page=get(client, reverse("submission_list")),
        comparison=get(client, f"{reverse('compare')}?a={_similar(submission).pk}&b={submission.pk}"),
    )


def get(client: Client, address: str) -> str:
    """A page, which must be there and run nothing that is written in it."""
    answer = client.get(address)
    assert answer.status_code == 200
    assert "unsafe" not in answer["Content-Security-Policy"]
    return answer.content.decode("utf-8")


def _similar(submission: Submission) -> Submission:
    """Another submission of the same author, to compare with."""
    same = ("user_id", "problem_id", "problem_version_id", "language", "status", "verdict", "compile_message")
    values = {name: getattr(submission, name) for name in same}
    return Submission.objects.create(source=b"\n" + bytes(submission.source), **values)
