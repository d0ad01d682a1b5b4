"""A problem typed by hand: taken as a package that says the same, or refused at the field with all still there."""

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from pytest_django import Settings

from judge.models import PackageUpload
from judge.uploads import archives, caps
from problems.archive.upload import staged_package
from problems.loading.loading import load_package
from problems.models import Problem
from problems.package import Package
from tests.judge.packed import zipped
from tests.web.typed_problems import file, typed
from web.asgi import _cap
from web.forms.typed.files import place_of
from web.identity.accounts import make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server", "own_store")]
NEW = "/problems/new/"


@pytest.fixture
def author(client: Client, student: User) -> Client:
    """The student made an instructor, and signed in."""
    make_instructor(student)
    client.force_login(student)
    return client


def sent(client: Client, tmp_path: Path, **changes: Any) -> Package:
    """The package that a worker would load."""
    answer = client.post(NEW, typed(**changes))
    assert answer.status_code == 302, errors(answer.content.decode())
    taken = PackageUpload.objects.get()
    assert answer["Location"] == f"/uploads/{taken.pk}/"
    with staged_package(archives.incoming() / taken.token, staging_root=tmp_path, name=taken.name) as staged:
        assert staged.origin == "icpc"
        package = load_package(staged.folder)
        package.path.rename(tmp_path / "kept")
    return load_package(tmp_path / "kept")


def errors(page: str) -> list[str]:
    return re.findall(r'class="errorlist"[^>]*>(.*?)</ul>', page, re.DOTALL)


def refused(client: Client, **changes: Any) -> str:
    answer = client.post(NEW, typed(**changes))
    assert answer.status_code == 422
    assert not PackageUpload.objects.exists()
    assert not list((archives.incoming().parent / "typing").glob("*"))
    return answer.content.decode()


def test_what_was_typed_is_what_is_loaded(author: Client, tmp_path: Path) -> None:
    package = sent(author, tmp_path, pictures=[file("tree.png")], attachments=[file("notes.txt", "hello")])
    assert PackageUpload.objects.get().name == "twice.zip"
    assert package.name == "Twice"
    assert package.credits == "Ada; license cc by"
    assert (package.limits.time_limit_ms, package.limits.memory_bytes) == (1_500, 64 * 1024 * 1024)
    assert package.validator_flags == ("case_sensitive",)
    (statement,) = package.statements
    assert (statement.language, statement.format) == ("en", "markdown")
    assert statement.path.read_text() == "Read $n$, print *twice* as much.\n\nNo more.\n"
    cases = [(case.name, case.input.read_text(), case.answer.read_text()) for case in package.test_cases]
    assert cases == [
        ("sample/1", "1\n", "2\n"),
        ("sample/2", "2\n", "4\n"),
        ("secret/09", "9\n", "18\n"),
        ("secret/10", "10\n", "20\n"),
    ]
    assert {each.name: set(each.expected) for each in package.submissions} == {
        "accepted/ok.py": {"AC"},
        "wrong_answer/no.cpp": {"WA"},
    }
    assert [picture.name for picture in package.pictures] == ["tree.png"]
    assert [attachment.name for attachment in package.attachments] == ["notes.txt"]
    assert not [warning for warning in package.warnings if "limit" in warning]


def test_tests_may_come_as_a_zip_in_any_naming(author: Client, tmp_path: Path) -> None:
    archive = zipped(
        {"t/input01.txt": "1\n", "t/output01.txt": "2\n", "__MACOSX/t/x": "", "t/input02.txt": "", "t/output02.txt": ""}
    )
    package = sent(author, tmp_path, tests=[file("all.zip", archive), file("extra.in"), file("extra.ans")])
    names = [case.name for case in package.test_cases if not case.is_sample]
    assert names == ["secret/01", "secret/02", "secret/extra"]


def test_everything_may_be_left_to_tally(author: Client, tmp_path: Path) -> None:
    package = sent(
        author,
        tmp_path,
        slug="",
        title="Zwei mal Ä",
        time_limit="",
        memory_mib="",
        comparison="words",
        license="",
        tests=[],
    )
    assert PackageUpload.objects.get().name == "zwei-mal-a.zip"
    assert not package.is_time_limit_given
    assert package.validator_flags == ()


@pytest.mark.parametrize(
    ("comparison", "flags"),
    [("exact", ("case_sensitive", "space_change_sensitive")), ("floats", ("float_tolerance", "1e-9"))],
)
def test_flags_follow_from_the_choice(author: Client, tmp_path: Path, comparison: str, flags: tuple[str, ...]) -> None:
    assert sent(author, tmp_path, comparison=comparison, tolerance="1e-9").validator_flags == flags


@pytest.mark.parametrize("name", ["check.py", "check.cpp", "check.rs"])
def test_own_checker_and_input_validator_are_taken(author: Client, tmp_path: Path, name: str) -> None:
    package = sent(author, tmp_path, comparison="own", checker=[file(name)], input_validator=[file("grammar.ctd")])
    assert package.output_validator
    assert package.output_validator.entry == name
    assert [each.language for each in package.input_validators] == ["checktestdata"]


def test_testlib_checker_brings_its_header(author: Client, tmp_path: Path) -> None:
    source = file("check.cpp", '#include "testlib.h"\nint main() {}\n')
    assert "choose both files" in refused(author, comparison="testlib", checker=[source])
    assert "does not include testlib.h" in refused(author, comparison="testlib", checker=[file("check.cpp")])
    source.seek(0)
    package = sent(author, tmp_path, comparison="testlib", checker=[source, file("testlib.h")])
    assert package.output_validator
    assert (package.output_validator.path / "testlib.h").exists()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"title": ""}, "This field is required."),
        ({"slug": "Two Words"}, "Use only lower-case letters"),
        ({"slug": "upload"}, "an address of this site"),
        ({"slug": "sumoftwo"}, "sumoftwo is taken."),
        ({"statement": " \r\n"}, "Write the statement."),
        ({"statement": "x" * 600_000}, "exceeds 512 KiB"),
        ({"language": "english"}, "language code"),
        ({"tests": [file("1.in")]}, "1.in is an input without an output"),
        ({"tests": [file("1.out")]}, "1.out is an output without an input"),
        ({"tests": [file("a.zip", b"no")]}, "a.zip is no zip archive"),
        ({"tests": [file("a.zip", zipped({"../../1.in": "1", "1.out": "2"}))]}, "../../1.in leads out"),
        ({"tests": [file("notes.md")]}, "is no test"),
        ({"tests": [], "sample_input": [], "sample_answer": []}, "Judging needs a test case"),
        ({"time_limit": "0"}, "greater than or equal to 0.01"),
        ({"time_limit": "", "jury_accepted": []}, "or add an accepted submission"),
        ({"jury_accepted": [file("Main.java")]}, "Main.java is not in Python, C++ or Rust"),
        ({"comparison": "floats", "tolerance": "1e"}, "Enter a number of at least 0"),
        ({"comparison": "own"}, "Choose the checker&#x27;s files."),
        ({"checker": [file("check.py")]}, "A checker is chosen but not used"),
        ({"comparison": "own", "checker": [file("a.py"), file("b.py")]}, "Choose one source file"),
        ({"pictures": [file("tree.exe")]}, "tree.exe is not one of these kinds: .png"),
        ({"attachments": [file("~a")]}, "begins with a dash, tilde or space"),
    ],
)
def test_what_is_wrong_is_said_at_the_field(
    author: Client, problem: Problem, changes: dict[str, Any], why: str
) -> None:
    for chosen in changes.values():
        for one in chosen if isinstance(chosen, list) else ():
            if not isinstance(one, str):
                one.seek(0)
    assert why in "".join(errors(refused(author, **changes)))


def test_nothing_typed_is_lost_and_files_are_asked_for_again(author: Client) -> None:
    page = refused(
        author, title="", statement="\nA <b> & $x$", sample_input=["3 </textarea>", "", ""], comparison="exact"
    )
    assert "\n\nA &lt;b&gt; &amp; $x$</textarea>" in page
    assert "3 &lt;/textarea&gt;</textarea>" in page
    assert re.search(r'value="exact"[^>]* checked', page)
    assert 'value="1.5"' in page
    assert "Choose the files again." in page


def test_files_stay_chosen_where_htmx_swaps_the_page(author: Client) -> None:
    answer = author.post(NEW, typed(title=""), headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert "Choose the files again." not in page
    inputs = re.findall(r'<input type="file"[^>]*>', page)
    assert len(inputs) == 12
    assert all("hx-preserve" in one for one in inputs)
    taken = author.post(NEW, typed(), headers={"HX-Request": "true"})
    assert taken["HX-Redirect"] == f"/uploads/{PackageUpload.objects.get().pk}/"


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_statement_is_first_of_the_pages_language(author: Client, language: str) -> None:
    page = author.get(NEW, headers={"Accept-Language": language})
    assert page.context["form"]["language"].value() == language


def test_rows_for_samples_come_and_go_without_scripts(author: Client) -> None:
    page = author.get(NEW).content.decode()
    assert page.count('name="sample_input"') == 1
    answer = author.post(NEW, typed(more="sample", title="Kept", slug=""))
    page = answer.content.decode()
    assert answer.status_code == 200
    assert page.count('name="sample_input"') == 4
    assert 'value="Kept"' in page
    page = author.post(NEW, typed(less="0")).content.decode()
    assert page.count('name="sample_input"') == 2
    assert "1\n</textarea>" not in page
    assert author.post(NEW, typed(less="77")).content.decode().count('name="sample_input"') == 3
    assert not PackageUpload.objects.exists()


def test_files_over_the_cap_together_are_refused(author: Client, settings: Settings) -> None:
    settings.MAX_PACKAGE_BYTES = 1_000
    assert "at most 1,000\N{NO-BREAK SPACE}bytes are allowed" in refused(author, attachments=[file("a", b"x" * 2_000)])


def test_large_files_are_linked_not_read(author: Client, tmp_path: Path, settings: Settings) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = archives.incoming()
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 10
    package = sent(author, tmp_path)
    assert (package.path / "data/secret/10.in").read_text() == "10\n"
    assert [path.name for path in archives.incoming().iterdir()] == [PackageUpload.objects.get().token]


def test_addresses_take_as_much_as_a_package(settings: Settings) -> None:
    for address in (NEW, "/problems/twice/edit/"):
        assert _cap(address) == settings.MAX_PACKAGE_BYTES + settings.MAX_FORM_BYTES
    assert _cap("/problems/preview/") == settings.MAX_FORM_BYTES


def test_hundreds_of_single_files_are_refused(author: Client, settings: Settings) -> None:
    many = [file(f"{number}.{kind}") for number in range(100) for kind in ("in", "ans")]
    assert len(many) <= settings.DATA_UPLOAD_MAX_NUMBER_FILES
    assert author.post(NEW, typed(tests=many)).status_code == 400  # with the jury's, two too many
    assert not PackageUpload.objects.exists()


def test_name_of_a_test_that_no_disk_takes_is_refused(author: Client) -> None:
    name = "/".join(["x" * 120] * 2)
    archive = zipped({f"{name}.in": "1", f"{name}.ans": "1", "2.in": "", "2.ans": ""})
    assert "has too long a name" in refused(author, tests=[file("a.zip", archive)])


def test_too_many_undecided_are_refused(author: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caps, "MOST_UNDECIDED", 0)
    assert "which is as many as are kept of one person" in refused(author)


def test_own_problem_of_that_name_is_to_be_edited(author: Client, student: User, problem: Problem) -> None:
    Problem.objects.update(owner=student)
    assert "taken by a problem of yours" in refused(author, slug="sumoftwo")


def test_choice_for_a_clean_report_is_kept(author: Client) -> None:
    author.post(NEW, typed(when_clean="hide"))
    assert PackageUpload.objects.get().when_clean == "hide"


def test_students_and_strangers_type_nothing(client: Client, student: User) -> None:
    assert client.post(NEW, typed())["Location"] == f"/login/?next={NEW}"
    client.force_login(student)
    assert client.get(NEW).status_code == 403
    assert client.post(NEW, typed()).status_code == 403
    assert not PackageUpload.objects.exists()


def test_page_is_linked(author: Client) -> None:
    assert f'href="{NEW}"' in author.get("/problems/mine/").content.decode()


def test_archive_is_a_package_that_others_read(author: Client) -> None:
    author.post(NEW, typed())
    content = (archives.incoming() / PackageUpload.objects.get().token).read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert {"twice/problem.yaml", "twice/.timelimit", "twice/data/secret/09.in"} <= set(archive.namelist())


def test_files_chosen_all_at_once_are_sorted_by_name(author: Client, tmp_path: Path) -> None:
    tests = [file("1.in", "1\n"), file("1.ans", "2\n"), file("input02.txt", "2\n"), file("output02.txt", "4\n")]
    programs = [file("double.py", "print(2 * int(input()))\n"), file("wa_same.py", "print(input())\n")]
    programs += [file("TLE.cpp"), file("validator.py", "exit(42)\n"), file("tree.png")]
    package = sent(author, tmp_path, tests=[], jury_accepted=[], jury_wrong_answer=[], all_files=[*tests, *programs])
    assert [case.name for case in package.test_cases if not case.is_sample] == ["secret/01", "secret/02"]
    assert {each.name for each in package.submissions} == {
        "accepted/double.py",
        "wrong_answer/wa_same.py",
        "time_limit_exceeded/TLE.cpp",
    }
    assert [each.name for each in package.pictures] == ["tree.png"]
    assert len(package.input_validators) == 1


@pytest.mark.parametrize(
    "files",
    [
        {"checker.py": "exit(42)\n"},
        {"check.cpp": '#include "testlib.h"\nint main() {}\n', "testlib.h": "int registerTestlibCmd;\n"},
    ],
)
def test_checker_that_is_sorted_to_its_place_is_the_one_that_is_used(
    author: Client, tmp_path: Path, files: dict[str, str]
) -> None:
    chosen = [file(name, text) for name, text in files.items()]
    package = sent(author, tmp_path, all_files=chosen, comparison="words")
    assert package.output_validator is not None


def test_checker_beside_another_comparison_is_asked_about(author: Client) -> None:
    page = refused(author, all_files=[file("checker.py", "exit(42)\n")], comparison="exact")
    assert "A checker is chosen but not used" in "".join(errors(page))


def test_file_whose_name_tells_no_place_is_refused_and_shown_to_nobody(author: Client) -> None:
    page = refused(author, all_files=[file("solution notes.pdf")])
    assert "The name of solution notes.pdf does not tell what it is for." in errors(page)[0]


def test_source_in_a_language_that_tally_does_not_run_is_told_so(author: Client) -> None:
    found = errors(refused(author, all_files=[file("Main.java")]))
    assert "Main.java is not in Python, C++ or Rust (.py, .cpp, .rs)." in found[0]


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("checker.cpp", "checker"),
        ("output_validator.py", "checker"),
        ("testlib.h", "checker"),
        ("input_validator.py", "input_validator"),
        ("grammar.ctd", "input_validator"),
        ("input.txt", None),
        ("07", "tests"),
        ("07.a", "tests"),
        ("tests.zip", "tests"),
        ("slow.rs", "jury_time_limit_exceeded"),
        ("rte-2.py", "jury_run_time_error"),
        ("mle.cpp", "jury_memory_limit_exceeded"),
        ("ole.cpp", "jury_output_limit_exceeded"),
        ("wrong_answer.cc", "jury_wrong_answer"),
        ("walk.py", "jury_accepted"),
        ("reverse.py", "jury_accepted"),
        ("notes.md", None),
    ],
)
def test_place_of_a_file_is_told_by_its_name(name: str, place: str | None) -> None:
    assert place_of(name) == place


def test_a_button_pressed_twice_makes_one_upload(author: Client) -> None:
    places = {author.post(NEW, typed())["Location"] for _ in range(2)}
    assert places == {f"/uploads/{PackageUpload.objects.get().pk}/"}
