"""From a folder to rows, and the library command."""

import io
import shutil
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command

from problems import versions
from problems.jsonvalues import to_json
from problems.loading.loading import load_package
from problems.models import Audience, Problem, ProblemVersion
from problems.package import PackageErrors
from problems.store.publishing import publish, slug_of
from problems.store.store import PackageStore
from tests.problems.conftest import LEGACY, NEW, Write, write_files
from tests.problems.format.test_interactive import INTERACTIVE

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("store")]


def test_published_package_is_a_problem_with_its_page(new: Write, alice: User, store: PackageStore) -> None:
    version = publish(new({}), owner=alice)
    problem = Problem.objects.get(slug="aplusb")
    assert (problem.title, problem.owner, problem.audience, problem.current_version) == (
        "A plus B",
        alice,
        Audience.EVERYBODY,
        version,
    )
    assert "<math" in version.statement_html
    assert (version.statement_language, version.created_by) == ("en", alice)
    downloads = ["data/sample/1.in", "data/sample/1.ans"]
    assert to_json(version.samples) == [{"name": "sample/1", "input": "1 2\n", "answer": "3\n", "downloads": downloads}]
    assert to_json(version.files) == {
        name: {"kind": "sample", "bytes": size} for name, size in zip(downloads, (4, 2), strict=True)
    }
    assert (version.time_limit_ms, version.test_case_count, version.warnings) == (2_000, 2, [])
    assert store.open(version.digest).name == "A plus B"


def test_changed_package_is_a_new_version_and_the_old_one_stays(new: Write, alice: User, store: PackageStore) -> None:
    first = publish(new({}), owner=alice)
    second = publish(new({"data/secret/1.ans": "6\n"}), owner=alice)
    assert first.digest != second.digest
    assert Problem.objects.get().current_version == second
    assert {store.open(version.digest).digest for version in ProblemVersion.objects.all()} == {
        first.digest,
        second.digest,
    }


def test_same_package_again_makes_no_new_version(new: Write, alice: User) -> None:
    first = publish(new({}), owner=alice)
    ProblemVersion.objects.update(statement_html="old")
    again = publish(load_package(new({})), owner=alice)
    assert again.pk == first.pk
    assert "<math" in again.statement_html


def test_who_sees_a_problem_is_kept_unless_it_is_said(new: Write, alice: User) -> None:
    for said, kept in (
        (Audience.HIDDEN, Audience.HIDDEN),
        (None, Audience.HIDDEN),
        (Audience.ASSIGNMENTS, Audience.ASSIGNMENTS),
        (None, Audience.ASSIGNMENTS),
        (Audience.EVERYBODY, Audience.EVERYBODY),
    ):
        publish(new({}), owner=alice, audience=said)
        assert Problem.objects.get().audience == kept


def test_problem_of_somebody_else_is_not_touched(new: Write, alice: User, store: PackageStore) -> None:
    first = publish(new({}), owner=alice)
    for other in (User.objects.create_user("bob"), None):
        with pytest.raises(PackageErrors, match="aplusb: is the name of a problem of somebody else"):
            publish(new({"data/secret/1.ans": "6\n"}), owner=other)
    assert Problem.objects.get().current_version == first
    assert [entry.name for entry in store.root.iterdir()] == [first.digest]


def test_slug_can_be_chosen(new: Write, alice: User) -> None:
    publish(new({}), owner=alice, slug="sums")
    assert Problem.objects.get().slug == "sums"


@pytest.mark.parametrize(
    ("short_name", "slug"), [("aplusb", "aplusb"), ("A plus B", "a-plus-b"), ("été_2", "ete_2"), ("---", "")]
)
def test_slug_is_made_from_the_short_name(short_name: str, slug: str) -> None:
    assert slug_of(short_name) == slug


def test_name_without_letters_is_refused(tmp_path: Path, alice: User) -> None:
    with pytest.raises(PackageErrors, match="an address has only a to z, 0 to 9 and hyphens"):
        publish(write_files(tmp_path / "___", NEW), owner=alice)


def test_broken_package_or_statement_publishes_nothing(legacy: Write, alice: User, store: PackageStore) -> None:
    for changes in ({"data/secret/1.ans": None}, {"problem_statement/problem.en.tex": "\\begin{itemize}"}):
        with pytest.raises(PackageErrors):
            publish(legacy(changes), owner=alice)
        legacy({})
    assert not Problem.objects.exists()


def test_an_interactive_problem_shows_conversations_and_no_input(new: Write, alice: User, store: PackageStore) -> None:
    version = publish(new(INTERACTIVE), owner=alice)
    assert version.is_interactive
    spoken = [("program", "5"), ("interactor", "lower"), ("program", "3"), ("interactor", "correct")]
    dialogue = [{"speaker": speaker, "text": text} for speaker, text in spoken]
    assert to_json(version.samples) == [{"name": "sample/1", "dialogue": dialogue}]
    assert store.open(version.digest).is_interactive


def test_samples_of_any_bytes_can_be_shown(new: Write, alice: User) -> None:
    changes = {"data/sample/1.in": b"a\x00b\xff\n", "data/sample/1.ans": b"x" * 70_000}
    (sample,) = publish(new(changes), owner=alice).samples
    assert sample.input == "a\N{SYMBOL FOR NULL}b\N{REPLACEMENT CHARACTER}\n"
    assert (len(sample.answer or ""), sample.is_cut) == (64 * 1024, True)


def test_warnings_of_package_and_statement_are_kept(legacy: Write, alice: User) -> None:
    changes = {"problem.yaml": "name: x", "problem_statement/problem.en.tex": "\\includegraphics{x}"}
    assert publish(legacy(changes), owner=alice).remarks == [
        "problem.yaml: limits.time_limit: is not given: 1 s is used until the jury's submissions were timed",
        "problem.en.tex: 1 picture is missing from the page: x (not in the statement's folder as .gif, .jpeg, .jpg, "
        ".pdf, .png, .svg, .webp)",
    ]


# --- manage.py load_library


@pytest.fixture
def library(tmp_path: Path) -> Path:
    write_files(tmp_path / "library/one", LEGACY)
    write_files(tmp_path / "library/two", NEW)
    return tmp_path / "library"


def load(folder: Path, *options: str) -> str:
    out = io.StringIO()
    call_command("load_library", str(folder), *options, stdout=out, stderr=out)
    return out.getvalue()


def test_library_is_published_once_and_then_left_alone(library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "library: 2 published, 0 unchanged, 0 broken" in load(library)
    assert [(problem.slug, problem.owner) for problem in Problem.objects.order_by("slug")] == [
        ("one", None),
        ("two", None),
    ]
    monkeypatch.setattr("problems.statement.statement.to_html", lambda *rest, **named: pytest.fail("rendered again"))
    assert "library: 0 published, 2 unchanged, 0 broken" in load(library)


def test_problem_of_the_library_that_was_replaced_stays_so(library: Path) -> None:
    load(library)
    problem = Problem.objects.get(slug="one")
    replaced = versions.choose(problem, {"cores": 2}, None)
    assert "library: 0 published, 2 unchanged, 0 broken" in load(library)
    versions.go_back(problem, 1)
    ProblemVersion.objects.filter(pk=replaced.pk).update(digest="0" * 64)
    versions.go_back(problem, 2)
    assert "library: 0 published, 2 unchanged, 0 broken" in load(library)
    assert Problem.objects.get(slug="one").current_version == replaced


def test_changed_problem_of_the_library_is_published_again(library: Path) -> None:
    load(library)
    (library / "one/data/secret/1.ans").write_text("6\n")
    assert "library: 1 published, 1 unchanged, 0 broken" in load(library)
    assert ProblemVersion.objects.count() == 3


def test_version_that_left_the_store_is_published_again(library: Path, store: PackageStore) -> None:
    load(library)
    shutil.rmtree(store.root)
    assert "library: 2 published" in load(library)
    assert all(store.has(version.digest) for version in ProblemVersion.objects.all())


def test_forced_library_renders_its_statements_anew(library: Path) -> None:
    load(library)
    ProblemVersion.objects.update(statement_html="")
    load(library, "--force")
    assert not ProblemVersion.objects.filter(statement_html="").exists()


def test_broken_problem_does_not_keep_the_others_out(library: Path) -> None:
    (library / "one/data/secret/1.ans").unlink()
    out = io.StringIO()
    with pytest.raises(CommandError, match="1 of 2 packages are broken"):
        call_command("load_library", str(library), stdout=out, stderr=out)
    assert "one: data/secret/1.in: is an input without answer: 1.ans is missing" in out.getvalue()
    assert list(Problem.objects.values_list("slug", flat=True)) == ["two"]


def test_library_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="is not a folder"):
        call_command("load_library", str(tmp_path / "nowhere"))
