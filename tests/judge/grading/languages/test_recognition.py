"""Recognising a program in another language than the chosen one."""

from pathlib import Path

import pytest

from judge.grading.languages import LANGUAGES, language_of_file, looks_like

ROOT = Path(__file__).parents[4]
PROGRAMS = sorted(
    path
    for folder in (ROOT / "problems/library", ROOT / "tests/explain/programs")
    for path in folder.rglob("*")
    if language_of_file(path.name) and ("submissions" in path.parts or "programs" in path.parts)
)


def test_no_honest_program_is_doubted_in_its_language_and_every_one_in_another() -> None:
    assert len(PROGRAMS) > 200
    doubted, taken = [], []
    for path in PROGRAMS:
        source, language = path.read_text(), language_of_file(path.name)
        assert language
        for chosen in LANGUAGES:
            other = looks_like(source, chosen)
            if chosen == language.id and other:
                doubted.append(path.name)
            if chosen != language.id and other is not language:
                taken.append((path.name, chosen))
    assert doubted == []
    assert taken == []


@pytest.mark.parametrize("source", ["", "\n", "// only a comment\n", "1 + 1\n", "x = 3;\n", "hello"])
def test_a_source_without_any_mark_is_taken_as_it_is(source: str) -> None:
    assert [looks_like(source, chosen) for chosen in LANGUAGES] == [None] * len(LANGUAGES)


def test_a_mark_of_the_chosen_language_ends_every_doubt() -> None:
    both = "import sys\nfor line in sys.stdin:\n    print(line)\n#include <iostream>\n"
    assert looks_like(both, "cpp") is None
    assert looks_like(both, "python") is None
    rust = looks_like("fn main() {\n    let mut n = 1;\n}\n", "python")
    assert rust is LANGUAGES["rust"]


def test_a_language_that_this_version_does_not_know_is_not_doubted() -> None:
    assert looks_like("import sys\nprint(3)\n", "cobol") is None
