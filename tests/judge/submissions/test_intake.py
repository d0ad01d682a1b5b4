"""What is taken into the queue and what is refused, with which sentence."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from judge.models import CaseRerun, Status, Submission, TestCaseResult, WorkerNode
from judge.queue import wakeup
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from judge.submissions.intake import IntakeRefused
from problems.models import Audience, Problem
from sandbox.types import Profile

MakeSubmission = Callable[..., Submission]
MakeResult = Callable[[Submission], TestCaseResult]


pytestmark = pytest.mark.usefixtures("silent_wakeup")


def _refusal(user: User, problem: Problem, language: str = "python", source: bytes = b"print(1)") -> IntakeRefused:
    with pytest.raises(IntakeRefused) as refused:
        intake.submit(user, problem, language, source)
    assert Submission.objects.count() == 0
    return refused.value


@pytest.mark.django_db(transaction=True)
def test_accepted_submission_is_queued_and_rings_once(student: User, problem: Problem) -> None:
    submission = intake.submit(student, problem, "cpp", "int main() {} // 가".encode())
    submission.refresh_from_db()
    assert (submission.status, submission.attempt) == (Status.QUEUED, 0)
    assert bytes(submission.source) == "int main() {} // 가".encode()
    assert (submission.encoding, submission.original, submission.converted_from) == ("utf-8", None, "")
    assert submission.problem_version == problem.current_version
    assert wakeup.unread_wakeups() == 1


@pytest.mark.parametrize(
    ("language", "sent", "kept"),
    [
        ("python", "letter.py", "letter.py"),
        ("python", "", ""),
        ("python", "letter.cpp", ""),
        ("python", "../letter.py", ""),
        ("python", "편지.py", ""),
        ("python", "queue.py", ""),
        ("python", "__main__.py", ""),
        ("cpp", "queue.cpp", "queue.cpp"),
        ("rust", "main.rs", "main.rs"),
    ],
)
def test_a_files_name_is_kept_where_it_does_no_harm(
    language: str, sent: str, kept: str, student: User, problem: Problem
) -> None:
    submission = intake.submit(student, problem, language, b"1;", sent)
    submission.refresh_from_db()
    assert submission.file_name == kept


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (b"", "The source is empty."),
        (b" \n\t\r\n", "The source is empty."),
        (b"x" * (64 * 1024 + 1), "The source has 65,537 bytes; at most 65,536 are allowed."),
        (b"print(1)\0", "The source holds a NUL byte"),
        ("print(1)".encode("utf-16-le"), "The source holds a NUL byte"),
        ("a\0b".encode("utf-16"), "The source holds a NUL byte"),
        (" \n".encode("utf-16"), "The source is empty."),
        (b"# caf\xe9\r\n", "The source is neither UTF-8 nor CP949 text."),
        (b"# coding: utf-7\nprint(1)", "Line 1 of the source declares the encoding utf-7, but the source was sent in"),
        (b"\xff\xfea", "The source begins like UTF-16 but is not valid UTF-16."),
        (("가" * 30_000).encode("cp949"), "As UTF-8 the source has 90,000 bytes; at most 65,536 are allowed."),
    ],
)
def test_source_that_is_not_worth_grading_is_refused(
    student: User, problem: Problem, source: bytes, sentence: str
) -> None:
    refusal = _refusal(student, problem, source=source)
    assert refusal.code == "source"
    assert refusal.message.startswith(sentence)


@pytest.mark.parametrize(("encoding", "title"), [("cp949", "CP949"), ("utf-16", "UTF-16")])
@pytest.mark.django_db(transaction=True)
def test_another_encoding_is_kept_as_it_was_sent_and_compiled_as_utf8(
    student: User, problem: Problem, encoding: str, title: str
) -> None:
    text = 'print("안녕")  # 인사\r\n'
    submission = intake.submit(student, problem, "python", text.encode(encoding))
    submission.refresh_from_db()
    assert (bytes(submission.source), submission.encoding) == (text.encode(), encoding)
    assert submission.sent_source == text.encode(encoding)
    assert (submission.source_text, submission.converted_from) == (text, title)


@pytest.mark.parametrize(
    ("allowed", "sentence"),
    [
        (["cpp"], "This problem may be solved only in C++20 (g++ -O2)."),
        (
            ["cpp", "cobol", "rust"],
            "This problem may be solved only in C++20 (g++ -O2) or Rust (rustc -O, edition 2021).",
        ),
        ([], "This problem may be solved in no language that this judge runs."),
    ],
)
def test_a_language_that_the_problem_does_not_take_is_refused(
    student: User, problem: Problem, allowed: list[str], sentence: str
) -> None:
    assert problem.current_version is not None
    problem.current_version.languages = allowed
    problem.current_version.save()
    refusal = _refusal(student, problem, "python")
    assert (refusal.code, refusal.message) == ("language", sentence)
    if "cpp" in allowed:
        assert intake.submit(student, problem, "cpp", b"int main() {}").language == "cpp"


def test_site_limit_counts_when_it_is_smaller(student: User, problem: Problem, settings: Settings) -> None:
    settings.MAX_SOURCE_BYTES = 10
    assert "at most 10 are allowed" in _refusal(student, problem, source=b"x" * 11).message


def test_unknown_language_is_refused(student: User, problem: Problem) -> None:
    assert (
        _refusal(student, problem, language="cobol").message == "There is no such language. Choose one from the list."
    )


def test_switched_off_language_is_refused(student: User, problem: Problem, settings: Settings) -> None:
    settings.DISABLED_LANGUAGES = ["rust"]
    refusal = _refusal(student, problem, language="rust")
    assert (refusal.code, refusal.message) == (
        "language",
        "Rust (rustc -O, edition 2021) is switched off on this judge.",
    )


def test_language_that_no_living_worker_has_is_refused(student: User, problem: Problem) -> None:
    now = timezone.now()
    WorkerNode.objects.create(name="a", started_at=now, last_seen_at=now, languages={"cpp": "g++ 12"})
    long_ago = now - timedelta(minutes=10)
    WorkerNode.objects.create(name="b", started_at=long_ago, last_seen_at=long_ago, languages={"rust": "rustc"})
    assert "No worker of this judge can run Rust" in _refusal(student, problem, language="rust").message
    assert intake.submit(student, problem, "cpp", b"int main() {}").pk


def test_without_any_living_worker_submissions_wait(student: User, problem: Problem) -> None:
    assert intake.submit(student, problem, "rust", b"fn main() {}").status == Status.QUEUED


def test_hidden_problem_is_refused_but_staff_may_try_it(student: User, problem: Problem) -> None:
    problem.audience = Audience.HIDDEN
    problem.save()
    assert _refusal(student, problem).message == "This problem is not open for submissions."
    assert intake.submit(User(pk=student.pk, is_staff=True), problem, "python", b"print(1)").pk


def test_problem_without_a_version_is_refused(student: User, problem: Problem) -> None:
    problem.current_version = None
    problem.save()
    student.is_staff = True
    assert _refusal(student, problem).code == "problem"


def test_cap_counts_what_is_unfinished(student: User, problem: Problem, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 2
    first = intake.submit(student, problem, "python", b"print(1)")
    intake.submit(student, problem, "python", b"print(2)")
    with pytest.raises(IntakeRefused, match="You have 2 submissions") as refused:
        intake.submit(student, problem, "python", b"print(3)")
    assert refused.value.code == "busy"
    Submission.objects.filter(pk=first.pk).update(status=Status.DONE)
    assert intake.submit(student, problem, "python", b"print(3)").pk


@pytest.mark.django_db(transaction=True)
def test_cap_holds_against_submissions_at_the_same_moment(student: User, problem: Problem, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 3
    start = threading.Barrier(8)
    refusals: list[str] = []

    def submit(number: int) -> None:
        start.wait()
        try:
            intake.submit(student, problem, "python", b"print(%d)" % number)
        except IntakeRefused as refused:
            refusals.append(refused.code)
        finally:
            connection.close()

    threads = [threading.Thread(target=submit, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Submission.objects.count() == 3
    assert refusals == ["busy"] * 5


def test_profile_is_asked_for_once_per_case(
    student: User, make_submission: MakeSubmission, make_result: MakeResult
) -> None:
    result = make_result(make_submission(status=Status.DONE))
    first = intake.request_examination(result, RerunKind.PROFILE, student)
    assert intake.request_examination(result, RerunKind.PROFILE, student) == first
    assert CaseRerun.objects.get().status == Status.QUEUED


@pytest.mark.django_db(transaction=True)
def test_owner_and_staff_who_ask_at_the_same_moment_get_the_same_request(
    student: User, make_submission: MakeSubmission, make_result: MakeResult
) -> None:
    people = [student, User.objects.create_user("staff", is_staff=True)]
    submission = make_submission(status=Status.DONE)
    for _ in range(5):
        result, start = make_result(submission), threading.Barrier(2)

        def ask(user: User, result: TestCaseResult = result, start: threading.Barrier = start) -> CaseRerun:
            start.wait()
            try:
                return intake.request_examination(result, RerunKind.PROFILE, user)
            finally:
                connection.close()

        with ThreadPoolExecutor(2) as pool:
            asked = list(pool.map(ask, people))
        assert asked[0] == asked[1]
        CaseRerun.objects.update(status=Status.DONE)


def test_profile_of_somebody_elses_case_is_not_found(make_submission: MakeSubmission, make_result: MakeResult) -> None:
    result = make_result(make_submission(status=Status.DONE))
    with pytest.raises(IntakeRefused, match="no such test case"):
        intake.request_examination(result, RerunKind.PROFILE, User.objects.create_user("other"))


def test_profile_waits_for_the_verdict(student: User, make_submission: MakeSubmission, make_result: MakeResult) -> None:
    result = make_result(make_submission(status=Status.JUDGING))
    with pytest.raises(IntakeRefused, match="still being judged"):
        intake.request_examination(result, RerunKind.PROFILE, student)


def test_profiled_case_is_not_profiled_again(
    student: User, make_submission: MakeSubmission, make_result: MakeResult
) -> None:
    result = make_result(make_submission(status=Status.DONE))
    result.profile = Profile(syscalls={}, streams={})
    with pytest.raises(IntakeRefused, match="already profiled"):
        intake.request_examination(result, RerunKind.PROFILE, student)


def test_profile_requests_count_against_the_cap(
    student: User, make_submission: MakeSubmission, make_result: MakeResult, settings: Settings
) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 1
    submission = make_submission(status=Status.DONE)
    intake.request_examination(make_result(submission), RerunKind.PROFILE, student)
    with pytest.raises(IntakeRefused, match="as many as one person"):
        intake.request_examination(make_result(submission), RerunKind.PROFILE, student)
