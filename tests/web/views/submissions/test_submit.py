"""Sending a program in: what is taken, and the sentence for what is not."""

from collections import Counter

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext
from pytest_django import Settings

from judge.models import Submission
from problems.models import Audience, Problem

pytestmark = pytest.mark.django_db


@pytest.fixture
def signed_in(client: Client, student: User, problem: Problem) -> Client:
    client.force_login(student)
    return client


def send(client: Client, language: str = "python", **fields: object) -> HttpResponse:
    return client.post("/problems/sumoftwo/submit", {"language": language, **fields})  # type: ignore[return-value]


def source_file(name: str, content: bytes) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def test_text_is_queued_and_leads_to_its_page(signed_in: Client, student: User) -> None:
    answer = send(signed_in, source="print(3)")
    made = Submission.objects.get()
    assert (made.user, made.language, bytes(made.source)) == (student, "python", b"print(3)")
    assert (answer.status_code, answer["Location"]) == (302, f"/submissions/{made.pk}/")


@pytest.mark.usefixtures("every_send_counts")
def test_a_file_keeps_its_name_as_a_file_and_as_text_in_the_editor(signed_in: Client) -> None:
    send(signed_in, file=source_file("letter.py", b"print(3)"))
    send(signed_in, source="print(3)", file_name="letter.py")
    send(signed_in, source="print(3)", file=source_file("other.py", b"print(3)"), file_name="letter.py")
    send(signed_in, "rust", source="fn main() {}", file_name="letter.py")
    names = list(Submission.objects.order_by("pk").values_list("file_name", flat=True))
    assert names == ["letter.py", "letter.py", "other.py", ""]


def test_a_doubted_program_and_one_to_edit_bring_their_names_along(signed_in: Client) -> None:
    doubted = send(signed_in, "python", source="#include <cstdio>\nint main() {}", file_name="letter.py")
    hidden = '<input type="hidden" name="file_name" value="letter.py"'
    assert hidden in doubted.content.decode()
    send(signed_in, source="print(3)", file_name="letter.py")
    page = signed_in.get(f"/problems/sumoftwo/?edit={Submission.objects.get().pk}")
    assert hidden in page.content.decode()


def test_nothing_is_asked_twice_or_for_a_page_that_nobody_sees(signed_in: Client) -> None:
    with CaptureQueriesContext(connection) as asked:
        assert send(signed_in, source="print(3)").status_code == 302
    statements = [each["sql"] for each in asked.captured_queries]
    reading = [sql for sql in statements if sql.startswith("SELECT") and 'FROM "' in sql]  # our own texts do not quote
    about = Counter(sql.partition('FROM "')[2].partition('"')[0] for sql in reading)
    # Of the user: who it is, and then the lock. Of the queue: what was just sent, what is in flight, and the turn.
    once = dict.fromkeys(("django_session", "problems_problem", "judge_workernode", "judge_submission"), 1)
    assert about == {"auth_user": 2, **once}
    assert sum("FROM judge_submission" in sql for sql in statements) == 2
    assert not any("statement_html" in sql for sql in statements)


def test_a_button_pressed_twice_makes_one_submission_and_says_so(signed_in: Client) -> None:
    first, second = send(signed_in, source="print(3)"), send(signed_in, source="print(3)")
    assert first["Location"] == second["Location"]
    assert Submission.objects.count() == 1
    sentence = "You sent the same a few seconds ago. It was taken once, and this is its page."
    assert sentence in signed_in.get(second["Location"]).content.decode()
    assert send(signed_in, source="print(4)")["Location"] != first["Location"]
    assert sentence not in signed_in.get(first["Location"]).content.decode()


def test_refused_form_offers_languages_and_the_one_used_last(signed_in: Client) -> None:
    send(signed_in, "rust", source="fn main() {}")
    refused = send(signed_in, "cobol", source="x").content.decode()
    assert '<option value="python">' in refused
    assert 'accept=".py' in refused
    page = signed_in.get("/problems/sumoftwo/").content.decode()
    assert '<option value="rust" selected>' in page


def test_loading_the_address_again_leads_to_the_problem(signed_in: Client) -> None:
    answer = signed_in.get("/problems/sumoftwo/submit")
    assert (answer.status_code, answer["Location"]) == (302, "/problems/sumoftwo/")
    assert signed_in.get("/problems/nosuch/submit", follow=True).status_code == 404


def test_line_ends_of_a_text_area_become_line_feeds(signed_in: Client) -> None:
    send(signed_in, source="a\r\nb\r\n")
    assert bytes(Submission.objects.get().source) == b"a\nb\n"


def test_file_keeps_its_bytes_and_tells_the_language(signed_in: Client) -> None:
    source = "// 두 수의 합\r\nfn main() {}\r\n"
    for encoding in ("utf-8", "cp949", "utf-16"):
        send(signed_in, "python", source="print(3)", file=source_file("../../etc/합.rs", source.encode(encoding)))
        made = Submission.objects.latest("pk")
        assert (made.language, made.source_text) == ("rust", source)
        assert (made.sent_source, made.encoding) == (source.encode(encoding), encoding)


def test_file_with_an_unknown_ending_is_in_the_chosen_language(signed_in: Client) -> None:
    send(signed_in, "cpp", file=source_file("main.txt", b"int main() {}"))
    assert Submission.objects.get().language == "cpp"


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"source": ""}, "The source is empty."),
        ({"source": " \r\n\t"}, "The source is empty."),
        ({"file": b""}, "The source is empty."),
        ({"source": "x" * 2_001}, "The source has 2,001 bytes; at most 2,000 are allowed."),
        ({"source": "\N{EURO SIGN}" * 700}, "The source has 2,100 bytes; at most 2,000 are allowed."),
        ({"file": b"x" * 2_001}, "The file has 2,001 bytes; at most 2,000 are allowed."),
        ({"file": b"a\0b"}, "The source holds a NUL byte"),
        ({"file": b"# caf\xe9\n"}, "The source is neither UTF-8 nor CP949 text. Save it as UTF-8 and send it again."),
        ({"file": b"\xfe\xff\xd8"}, "The source begins like UTF-16 but is not valid UTF-16."),
        ({"file": ("가" * 700).encode("cp949")}, "As UTF-8 the source has 2,100 bytes; at most 2,000 are allowed."),
        ({"source": "a\0b"}, "The text contains a NUL character"),
        ({"source": "x", "language": "cobol"}, "There is no such language."),
        ({"source": "x", "language": ""}, "Choose a language."),
    ],
)
def test_what_is_refused_gets_a_sentence(signed_in: Client, fields: dict[str, object], sentence: str) -> None:
    if isinstance(fields.get("file"), bytes):
        fields = {**fields, "file": source_file("main.py", fields["file"])}  # type: ignore[arg-type]
    answer = send(signed_in, **fields)  # type: ignore[arg-type]
    assert answer.status_code == 422
    assert sentence in answer.content.decode()
    assert not Submission.objects.exists()


def test_text_of_a_refused_form_is_shown_again(signed_in: Client) -> None:
    page = send(signed_in, "cobol", source="a < b").content.decode()
    assert "a &lt; b</textarea>" in page


def test_language_that_is_switched_off_is_refused(signed_in: Client, settings: Settings) -> None:
    settings.DISABLED_LANGUAGES = ["rust"]
    answer = send(signed_in, "rust", source="fn main() {}")
    assert "Rust (rustc -O, edition 2021) is switched off" in answer.content.decode()
    assert not Submission.objects.exists()


def test_too_many_at_once_are_refused(signed_in: Client, settings: Settings) -> None:
    settings.MAX_IN_FLIGHT_PER_USER = 2
    for number in range(3):
        answer = send(signed_in, source=f"print({number})")
    assert answer.status_code == 429
    assert "as many as one person" in answer.content.decode()
    assert Submission.objects.count() == 2


def test_hidden_problem_takes_nothing(signed_in: Client) -> None:
    Problem.objects.update(audience=Audience.HIDDEN)
    assert send(signed_in, source="print(3)").status_code == 404
    assert not Submission.objects.exists()


def test_stranger_is_led_to_sign_in_and_back_to_the_problem(client: Client, problem: Problem) -> None:
    answer = send(client, source="print(3)")
    assert (answer.status_code, answer["Location"]) == (302, "/login/?next=/problems/sumoftwo/")
    assert not Submission.objects.exists()


def test_form_without_the_token_is_refused_kindly(problem: Problem, student: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(student)
    answer = send(client, source="print(3)")
    assert answer.status_code == 403
    assert "This form has expired" in answer.content.decode()
    assert not Submission.objects.exists()
