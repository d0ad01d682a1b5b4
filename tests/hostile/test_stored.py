"""What hostile programs leave in rows and on pages: stored as bytes, shown as text, hidden tests kept hidden.

Takes the cases of the manifest that have to do with it from the form on the problem's page to the pages of the result,
where the plain problem will do; `showing.Site` looks at all the others, after their gradings in test_corpus.py.
"""

import re
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.grading.case_ending import CaseEnding
from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from sandbox.types import Ending
from tests.hostile.corpus.corpus import CANARY, CASES, HONEST, OF_OUR_CORPUS, Case, forbidden_in
from tests.hostile.pages import Live, judge, publish_sum, send

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("worker")]

_INVARIANTS = {"page_escaped", "stored_ok", "hidden_tests_hidden"}
_PLAIN = HONEST["ctl_01_aplusb.py"]
_STORED = [
    case
    for case in CASES
    if _INVARIANTS & case.invariants
    and case.verdicts
    and (case.problem, case.problem_limits) == (_PLAIN.problem, _PLAIN.problem_limits)
]
_REFUSED = {  # by the form, with these words; the rest of the corpus is text in UTF-8
    **{case.id: "NUL" for case in _STORED if b"\0" in case.source},
    "cmp_py_08_invalid_utf8.py": "neither UTF-8 nor CP949",
    "cmp_rs_20_invalid_utf8.rs": "neither UTF-8 nor CP949",
}
_TEXTS = [case for case in _STORED if case.id not in _REFUSED]


@pytest.mark.parametrize("case", _TEXTS, ids=lambda case: case.id)
def test_a_case_is_stored_and_shown_as_text(case: Case, author: Client, tmp_path: Path) -> None:
    judged = judge(author, case, tmp_path, accepts=Verdict.AC in case.verdicts)
    submission = judged.submission
    assert (submission.status, submission.attempt) == (Status.DONE, 1)
    assert submission.verdict in case.verdicts
    assert bytes(submission.source) == case.source
    for page in (judged.page, judged.fragment, judged.list_page, judged.comparison):
        live = Live(page)
        assert not live.acting
        assert not forbidden_in("\n".join(live.beside_source).encode("utf-8", "surrogateescape"), case.forbid)
        assert CANARY not in page


@OF_OUR_CORPUS
def test_markup_in_compiler_messages_is_read_not_obeyed(author: Client, tmp_path: Path) -> None:
    (case,) = (case for case in _TEXTS if case.file == "out_10_html_in_compile_error.cpp")
    judged = judge(author, case, tmp_path, accepts=Verdict.AC in case.verdicts)
    text = "".join(Live(judged.page).text)
    assert "<script>document.title='LEAK-XSS'</script>" in re.sub(r"\s+", " ", text)
    assert "{{ 7*7 }}" in text


@OF_OUR_CORPUS
def test_every_byte_of_the_output_is_stored(author: Client, tmp_path: Path) -> None:
    (case,) = (case for case in _TEXTS if case.file == "out_11_all_bytes.cpp")
    sample = judge(author, case, tmp_path, accepts=Verdict.AC in case.verdicts).submission.results.get(is_sample=True)
    assert bytes(range(256)) in bytes(sample.output)
    assert bytes(range(256)) in bytes(sample.stderr)


@OF_OUR_CORPUS
def test_a_hidden_exit_code_reaches_the_staff_only(author: Client, tmp_path: Path) -> None:
    (case,) = (case for case in _TEXTS if case.file == "chk_10_exit_code_oracle.py")
    judged = judge(author, case, tmp_path, accepts=Verdict.AC in case.verdicts)
    sample, hidden = judged.submission.results.all()
    assert sample.ending
    assert sample.ending.exit_code == 49  # "1" of the input
    assert hidden.ending == CaseEnding(how=Ending.EXITED)
    assert not any(map(bytes, (hidden.output, hidden.stderr, hidden.expected)))
    assert judged.page.count("exit code 49") == judged.fragment.count("exit code 49") > 0


@pytest.mark.parametrize("case", [case for case in _STORED if case not in _TEXTS], ids=lambda case: case.id)
def test_a_source_that_is_no_text_is_refused_with_a_sentence(case: Case, author: Client, tmp_path: Path) -> None:
    publish_sum(tmp_path)
    answer = send(author, case)
    assert answer.status_code == 422
    assert _REFUSED[case.id] in answer.content.decode("utf-8")
    assert not Submission.objects.exists()


def test_nobody_else_can_read_it(author: Client, tmp_path: Path) -> None:
    case = HONEST["ctl_01_aplusb.py"]
    judged = judge(author, case, tmp_path, accepts=Verdict.AC in case.verdicts)
    assert judged.submission.verdict == Verdict.AC
    other = Client()
    other.force_login(User.objects.create_user("other"))
    for name in ("submission", "submission_live"):
        assert other.get(reverse(name, args=[judged.submission.pk])).status_code == 404
