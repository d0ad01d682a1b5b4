"""Tags: the same topic is the same tag however it was typed; the library has a difficulty for each problem."""

from pathlib import Path

import pytest
from django.core.management import call_command

from problems.management.commands.load_library import LIBRARY, difficulties
from problems.models import Difficulty, Problem, ProblemVersion
from problems.store.publishing import publish
from problems.store.store import PackageStore
from problems.tags import MOST_TAGS, as_tags, typed_tags
from tests.problems.conftest import Write


def test_topic_is_one_tag_however_it_was_typed() -> None:
    assert typed_tags("Binary search,  binary  search , CPU time,\x00,") == ("binary search", "CPU time")
    assert len(as_tags(map(str, range(40)))) == MOST_TAGS
    assert as_tags(["x" * 100]) == ("x" * 40,)


def test_library_says_how_hard_each_problem_is_and_has_one_to_start_with() -> None:
    found = difficulties(LIBRARY)
    assert {*found} == {path.parent.name for path in LIBRARY.glob("*/problem.yaml")}
    assert [slug for slug, difficulty in found.items() if difficulty is Difficulty.FIRST] == ["sumoftwo"]


@pytest.mark.django_db
def test_keywords_of_a_package_are_the_tags_until_the_instructor_sets_some(new: Write, store: PackageStore) -> None:
    version = publish(new({"problem.yaml": _with_keywords(new)}), owner=None)
    problem = version.problem
    assert problem.shown_tags == ["graphs", "binary search"]
    assert Problem.objects.about("graphs").exists()
    problem.tags = ["own"]
    problem.save()
    assert problem.shown_tags == ["own"]
    assert not Problem.objects.about("graphs").exists()
    assert Problem.objects.about("own").exists()


@pytest.mark.django_db
def test_library_command_reads_the_keywords_of_older_rows_and_keeps_a_chosen_difficulty(
    new: Write, store: PackageStore
) -> None:
    folder = new({"problem.yaml": _with_keywords(new)})
    (folder.parent / "difficulties.yaml").write_text(f"{folder.name}: easy\n")
    call_command("load_library", str(folder.parent))
    ProblemVersion.objects.update(keywords=None)  # as rows of the version before are
    call_command("load_library", str(folder.parent))
    assert ProblemVersion.objects.get().keywords == ["graphs", "binary search"]
    assert Problem.objects.get().difficulty == "easy"
    Problem.objects.update(difficulty="hard")
    call_command("load_library", str(folder.parent))
    assert Problem.objects.get().difficulty == "hard"


def _with_keywords(new: Write) -> str:
    written: Path = new({})
    return (written / "problem.yaml").read_text() + "\nkeywords: [graphs, Binary search]\n"
