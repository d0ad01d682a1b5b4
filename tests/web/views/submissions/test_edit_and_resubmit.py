"""A submission's source back in the editor, and a program that seems to be in another language than the chosen one."""

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from judge.models import Submission
from problems.models import Problem
from tests.web.presentation.shown import words_of

pytestmark = pytest.mark.django_db

PYTHON = "import sys\n\nfor line in sys.stdin:\n    print(line)\n"
DOUBT = "This looks like Python, but the language is C++."


@pytest.fixture
def submission(student: User, problem: Problem) -> Submission:
    assert problem.current_version
    return Submission.objects.create(
        user=student,
        problem=problem,
        problem_version=problem.current_version,
        language="rust",
        source="fn main() {}\n// <caf\xe9>\n".encode(),
    )


@pytest.fixture
def signed_in(client: Client, student: User, problem: Problem) -> Client:
    client.force_login(student)
    return client


def test_the_editor_has_source_and_language_of_the_own_submission(signed_in: Client, submission: Submission) -> None:
    page = signed_in.get(f"/problems/sumoftwo/?edit={submission.pk}").content.decode()
    assert "fn main() {}\n// &lt;caf\xe9&gt;\n</textarea>" in page
    assert '<option value="rust" selected>' in page
    assert f'<a href="/submissions/{submission.pk}/">submission {submission.pk}</a>' in page
    assert "data-edits" in page
    assert "data-edits" not in signed_in.get("/problems/sumoftwo/").content.decode()


def test_nobody_elses_submission_is_edited_not_even_by_staff(
    client: Client, submission: Submission, other_student: User, instructor: User
) -> None:
    address = f"/problems/sumoftwo/?edit={submission.pk}"
    assert client.get(address).status_code == 404
    for user in (other_student, instructor):
        client.force_login(user)
        assert client.get(address).status_code == 404


@pytest.mark.parametrize("number", ["", "x", "-1", "0", "9" * 40, "\u0663"])
def test_what_names_no_submission_is_not_found(signed_in: Client, number: str) -> None:
    assert signed_in.get("/problems/sumoftwo/", {"edit": number}).status_code == 404


def test_the_page_offers_editing_and_the_file_byte_for_byte(
    signed_in: Client, submission: Submission, instructor: User
) -> None:
    Submission.objects.update(source=b"// caf\xe9\r\n", status="done", verdict="CE", compile_ok=False)
    page = signed_in.get(f"/submissions/{submission.pk}/").content.decode()
    assert f'href="/problems/sumoftwo/?edit={submission.pk}"' in page
    answer = signed_in.get(f"/submissions/{submission.pk}/source")
    assert b"".join(answer) == b"// caf\xe9\r\n"
    assert answer["Content-Disposition"] == f'attachment; filename="submission-{submission.pk}.rs"'
    signed_in.force_login(instructor)
    assert "?edit=" not in signed_in.get(f"/submissions/{submission.pk}/").content.decode()


CONVERTED = "The source was sent in CP949. It is compiled and shown as UTF-8. Download gives the file as it was sent."


def test_a_source_in_cp949_is_shown_and_edited_as_utf8_and_downloaded_as_it_was_sent(
    signed_in: Client, submission: Submission, instructor: User
) -> None:
    sent = "// 합\r\nfn main() {}\r\n"
    Submission.objects.update(source=sent.encode(), original=sent.encode("cp949"), encoding="cp949", status="done")
    page = signed_in.get(f"/submissions/{submission.pk}/").content.decode()
    assert CONVERTED in words_of(page)
    assert "// 합" in page
    assert b"".join(signed_in.get(f"/submissions/{submission.pk}/source")) == sent.encode("cp949")
    assert "// 합\r\nfn main" in signed_in.get(f"/problems/sumoftwo/?edit={submission.pk}").content.decode()


def test_a_row_from_before_encodings_were_read_stays_readable(signed_in: Client, submission: Submission) -> None:
    Submission.objects.update(source="// 합\n".encode("cp949"), status="done", verdict="CE", compile_ok=False)
    page = signed_in.get(f"/submissions/{submission.pk}/").content.decode()
    assert "The source was sent in" not in words_of(page)
    assert "// \ufffd" in page
    assert b"".join(signed_in.get(f"/submissions/{submission.pk}/source")) == "// 합\n".encode("cp949")


def test_a_file_in_cp949_is_not_asked_about(signed_in: Client) -> None:
    """As text of the editor it would not be what was sent."""
    sent = {"language": "cpp", "file": SimpleUploadedFile("main.txt", f"# 합\n{PYTHON}".encode("cp949"))}
    assert signed_in.post("/problems/sumoftwo/submit", sent).status_code == 302
    assert Submission.objects.get().language == "cpp"


def test_a_program_that_looks_like_another_language_comes_back_with_both_choices(signed_in: Client) -> None:
    answer = signed_in.post("/problems/sumoftwo/submit", {"language": "cpp", "source": PYTHON})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert Submission.objects.count() == 0
    for said in (DOUBT, "Submit as Python", "Submit anyway as C++"):
        assert said in words_of(page)
    assert PYTHON in page
    assert '<option value="cpp" selected>' in page


def test_the_editor_asks_in_which_language_a_program_is(signed_in: Client) -> None:
    address = "/problems/sumoftwo/recognise"
    answer = signed_in.post(address, {"language": "cpp", "source": PYTHON})
    assert answer.status_code == 200
    for sentence in (DOUBT, "Submit as Python", "Submit anyway as C++"):
        assert sentence in words_of(answer.content.decode())
    assert "autofocus" not in answer.content.decode()
    assert signed_in.post(address, {"language": "python", "source": PYTHON}).status_code == 204
    assert signed_in.post(address, {"language": "cobol", "source": PYTHON}).status_code == 204
    assert signed_in.post(address, {"source": "\0"}).status_code == 422
    assert Client().post(address, {"language": "cpp", "source": PYTHON}).status_code == 404
    assert Submission.objects.count() == 0


@pytest.mark.parametrize("language", ["python", "cpp"])
def test_the_sender_has_the_last_word(signed_in: Client, language: str) -> None:
    sent = {"language": "cpp", "source": PYTHON, "take_as": language}
    assert signed_in.post("/problems/sumoftwo/submit", sent).status_code == 302
    assert Submission.objects.get().language == language


def test_a_file_that_looks_like_another_language_comes_back_as_text(signed_in: Client) -> None:
    sent = {"language": "python", "file": SimpleUploadedFile("main.cpp", PYTHON.encode())}
    answer = signed_in.post("/problems/sumoftwo/submit", sent)
    assert answer.status_code == 422
    assert DOUBT in words_of(answer.content.decode())
    assert PYTHON in answer.content.decode()


def test_an_unknown_choice_is_refused(signed_in: Client) -> None:
    sent = {"language": "cpp", "source": PYTHON, "take_as": "cobol"}
    answer = signed_in.post("/problems/sumoftwo/submit", sent)
    assert answer.status_code == 422
    assert "There is no such language." in answer.content.decode()
    assert Submission.objects.count() == 0
