"""A program that encodes its input in call counts: its author must not be able to decode it from any page.

Through the real grader and the real pages. On an open problem the author does, so the decoder works.
"""

import html
import re
from dataclasses import dataclass
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Submission
from judge.reruns.kinds import RerunKind
from judge.workers import tasks
from problems.models import ProblemVersion
from tests.hostile.pages import get, publish_sum, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("worker")]

SOURCE = Path(__file__).parent / "cases" / "found_27_counts_as_mail.cpp"
NAMES = ("getppid", "getuid", "getgid", "geteuid", "getegid", "getpgrp", "gettid")
WHERE = slice(18, 27)  # of the input


@dataclass(frozen=True, kw_only=True, slots=True)
class _Program:
    file: str = SOURCE.name
    language: str = "cpp"
    source: bytes = SOURCE.read_bytes()


def _decoded(page: str) -> list[int | None]:
    """The nine bytes as the program sent them; None where the page has no number."""
    case = re.search(r'<li id="case-2">.*?</li>\s*</ol>', page, re.DOTALL)
    assert case
    text = html.unescape(case[0]).replace("\u00a0", " ")
    found = [_number(rf"<code>{name}</code>.*?class=\"number\">([^<]*)<", text) for name in NAMES]
    bytes_sent = [None if number is None else number - 100 for number in found]
    writes = _number(r"write calls</span> <span class=\"number\">([^<]*)<", text)
    stderr = _number(r"bytes to stderr</dt><dd>([^<]*)<", text)
    return [
        *bytes_sent,
        None if writes is None else writes - 102,  # and one for the rest on stderr, one for the answer
        None if stderr is None else stderr - 600,
    ]


def _number(pattern: str, text: str) -> int | None:
    found = re.search(pattern, text, re.DOTALL)
    digits = re.fullmatch(r"([\d,]+)(?: bytes?)?", found[1].strip()) if found else None
    return int(digits[1].replace(",", "")) if digits else None


def _sent(author: Client, folder: Path, *, is_open: bool) -> tuple[Submission, bytes]:
    """The program judged, its hidden case profiled; and the nine bytes that it tells."""
    publish_sum(folder)
    ProblemVersion.objects.update(exact_numbers=is_open)
    assert send(author, _Program()).status_code == 302
    submission = Submission.objects.get()
    tasks.grade_submission.apply(args=[submission.pk], throw=True)
    hidden = submission.results.get(is_sample=False)
    assert hidden.verdict == Verdict.AC
    if hidden.profile is None:
        author.post(reverse("examine_case", args=[submission.pk, hidden.position, RerunKind.PROFILE]))
        tasks.examine_case.apply(args=[CaseRerun.objects.get().pk], throw=True)
        hidden.refresh_from_db()
    assert hidden.profile, "the kernel's counts are there"
    given = (folder / "sum" / "data" / "secret" / "07-tricky.in").read_bytes()
    return submission, given[WHERE]


def test_on_an_open_problem_the_author_reads_the_nine_bytes(author: Client, tmp_path: Path) -> None:
    submission, told = _sent(author, tmp_path, is_open=True)
    assert _decoded(get(author, reverse("submission", args=[submission.pk]))) == list(told)


def test_of_a_hidden_case_the_author_reads_none_of_them(author: Client, tmp_path: Path) -> None:
    submission, told = _sent(author, tmp_path, is_open=False)
    numbers = [100 + byte for byte in told[:7]] + [102 + told[7], 600 + told[8]]  # what the program's counts come to
    for name in ("submission", "submission_live"):
        read = _decoded(get(author, reverse(name, args=[submission.pk])))
        right = [number for one, byte, number in zip(read, told, numbers, strict=True) if one == byte]
        assert all(number % 10 == 0 for number in right), "by chance: a round number"
        assert read != list(told)
    exact = {str(number) for number in numbers if number % 10}
    for address in (
        reverse("submission", args=[submission.pk]),
        reverse("submission_list"),
        f"{reverse('compare')}?s={submission.pk}",
    ):
        case = get(author, address)
        assert not exact & set(re.findall(r">\s*([\d,]+)(?:\u00a0bytes)?\s*<", case)), address
    rows = b"".join(author.get(reverse("submission_csv"))).decode()
    assert not exact & set(re.findall(r"\d+", rows.partition("\n")[2].partition(",")[2]))
