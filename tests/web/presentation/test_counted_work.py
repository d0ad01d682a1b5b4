"""How often the lines of a source run, as its page shows it: in the case, beside the source, and to whom."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from judge.grading.counted_work import CountedLine, CountedRun, CountedWork, Law, Term
from judge.models import Submission, TestCaseResult
from problems.columns import clean_json

SOURCE = b"".join(b"line %d\n" % number for number in range(1, 60))
PAIRS = Law(
    sizes=("number1",),
    terms=(Term(top=1, bottom=2, halves=(4,)), Term(top=-1, bottom=2, halves=(2,))),
    is_exact=True,
)
LONG = Law(sizes=("number1",), terms=(Term(top=8_317, halves=(2,)),), is_exact=True)
WORK = CountedWork(
    names=("number1",),
    sizes=(100_000,),
    runs=tuple(CountedRun(case="", sizes=(n,)) for n in (10, 20, 40, 80)),
    lines=(
        CountedLine(line=14, counts=(45, 190, 780, 3_160), law=PAIRS, expected=4_999_950_000),
        CountedLine(line=9, counts=(1, 2, 3, 4), law=LONG, expected=831_700_000),
        *(CountedLine(line=number, counts=(1, 1, 1, 1), expected=1_234) for number in range(20, 40)),
    ),
    is_counted=False,
)


@pytest.fixture
def counted(make_submission: Callable[..., Submission], make_result: Callable[..., TestCaseResult]) -> Submission:
    submission = make_submission(source=SOURCE)
    make_result(submission, counted_work=clean_json(WORK), name="secret/1", is_sample=False)
    return submission


def page(client: Client, submission: Submission) -> str:
    return client.get(reverse("submission", args=[submission.pk])).content.decode().replace("\u00a0", " ")


def beside(text: str, line: int) -> str:
    row = re.search(rf'<li id="L{line}">.*?</li>', text, re.DOTALL)
    assert row is not None
    told = re.search(r'"line-count">(.*?)</span>', row[0])
    return told[1] if told else ""


def test_staff_see_laws_and_exact_counts(client: Client, counted: Submission, admin_client: Client) -> None:
    text = page(admin_client, counted)
    assert beside(text, 14) == "n*(n-1)/2: 4,999,950,000 times"
    assert beside(text, 9) == "8317*n: 831,700,000 times"
    assert "n is the first number of the input." in text
    assert "Counted exactly in 4 runs that came to their end." in text
    assert "The counts of this case, which was stopped, follow from the laws." in text


def test_of_a_hidden_case_contestants_see_few_lines_with_rounded_counts(client: Client, counted: Submission) -> None:
    client.force_login(counted.user)
    text = page(client, counted)
    assert beside(text, 14) == "n*(n-1)/2: 5,000,000,000 times"
    assert beside(text, 9) == "830,000,000 times"
    assert len(re.findall(r'"line-count"', text)) == 8
    assert "831,700,000" not in text
    assert "1,234" not in text
    assert "8317" not in text


def test_a_comparison_has_the_hottest_lines_of_both_where_both_were_counted(
    make_submission: Callable[..., Submission], make_result: Callable[..., TestCaseResult], admin_client: Client
) -> None:
    sides = [make_submission(source=SOURCE), make_submission(source=SOURCE + b"x")]
    make_result(sides[0], counted_work=clean_json(WORK), name="secret/1")
    other = make_result(sides[1], name="secret/1")
    address = f"{reverse('compare')}?s={sides[0].pk}&s={sides[1].pk}"
    assert "How often each line runs" not in admin_client.get(address).content.decode()
    other.counted_work = replace(WORK, lines=WORK.lines[1:])
    other.save()
    text = admin_client.get(address).content.decode()
    assert "How often each line runs" in text
    assert text.count("<code>n*(n-1)/2</code>") == 1
    assert text.count("<code>8317*n</code>") == 2
