"""One rule for names: nothing invisible, nothing that turns the text around, wherever a name comes from."""

from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from judge.grading.experiment.checks import problems_of
from judge.grading.experiment.spec import ExperimentSpec, Variant, spec_from_json
from problems.jsonvalues import JsonError, to_json
from problems.loading.loading import load_package
from problems.names import in_one_line, visible, why_no_file_name, why_no_name, why_no_text
from problems.package import PackageErrors
from problems.statement.statement_files import plain_text
from tests.fuzzing import examples
from tests.problems.conftest import Write

INVISIBLE = "which is invisible or changes how the text is read"


@pytest.mark.parametrize(
    ("odd", "why"),
    [
        ("\0", "holds the character NUL"),
        ("\ud800", "holds half of a surrogate pair, which is no character"),
        ("\n", f"holds the character U+000A, {INVISIBLE}"),
        ("\x1b", f"holds the character U+001B, {INVISIBLE}"),
        ("\x7f", f"holds the character U+007F, {INVISIBLE}"),
        ("\x85", f"holds the character U+0085, {INVISIBLE}"),
        ("\u202e", f"holds the character U+202E RIGHT-TO-LEFT OVERRIDE, {INVISIBLE}"),
        ("\u2067", f"holds the character U+2067 RIGHT-TO-LEFT ISOLATE, {INVISIBLE}"),
        ("\u200f", f"holds the character U+200F RIGHT-TO-LEFT MARK, {INVISIBLE}"),
        ("\u061c", f"holds the character U+061C ARABIC LETTER MARK, {INVISIBLE}"),
        ("\u2028", f"holds the character U+2028 LINE SEPARATOR, {INVISIBLE}"),
        ("\u200b", f"holds the character U+200B ZERO WIDTH SPACE, {INVISIBLE}"),
        ("\ufeff", f"holds the character U+FEFF ZERO WIDTH NO-BREAK SPACE, {INVISIBLE}"),
        ("\u3164", f"holds the character U+3164 HANGUL FILLER, {INVISIBLE}"),
        ("\U000e0041", f"holds the character U+E0041 TAG LATIN CAPITAL LETTER A, {INVISIBLE}"),
    ],
)
def test_what_no_name_may_hold_is_named(odd: str, why: str) -> None:
    assert why_no_name(f"a{odd}b") == why
    assert why_no_file_name(f"a{odd}b") == why
    assert visible(f"a{odd}b") == ("a b" if odd in "\n\x85\u2028" else "ab")


@pytest.mark.parametrize(
    "name", ["A plus B", "두 수의 합", "Größe & Maß", "Problème n° 1 !", "नमस्\u200dते", "👩\u200d🏫", "مسألة"]
)
def test_names_of_any_script_are_fine(name: str) -> None:
    assert why_no_name(name) is None
    assert visible(name) == name


def test_a_file_has_no_other_space_in_its_name() -> None:
    assert why_no_name("a\xa0b") is None
    assert why_no_file_name("a\xa0b") == f"holds the character U+00A0 NO-BREAK SPACE, {INVISIBLE}"
    assert why_no_file_name("큰 입력.in") is None


@given(st.text())
@examples(2_000)
def test_what_is_left_is_a_name_and_a_text_in_one_line(text: str) -> None:
    assert why_no_name(visible(text)) is None
    assert why_no_text(visible(text)) is None
    assert len(in_one_line(text).splitlines()) <= 1 + sum(text.count(odd) for odd in "\x1c\x1d\x1e")


def mistakes(path: Path) -> list[str]:
    with pytest.raises(PackageErrors) as caught:
        load_package(path)
    return [str(error) for error in caught.value.errors]


def test_titles_in_problem_yaml_are_held_to_it(legacy: Write, new: Write) -> None:
    why = f"holds the character U+202E RIGHT-TO-LEFT OVERRIDE, {INVISIBLE}"
    assert mistakes(legacy({"problem.yaml": 'name: "A\\u202eB"\n'})) == [f"problem.yaml: name: {why}"]
    text = 'problem_format_version: 2025-09\nuuid: 1b6d6f19-105f-4b3b-9c31-e87a7524d243\nname: {en: "A\\u202eB"}\n'
    assert mistakes(new({"problem.yaml": text}))[0] == f"problem.yaml: name.en: {why}"


def test_a_title_in_several_lines_becomes_one_line(legacy: Write) -> None:
    assert load_package(legacy({"problem.yaml": "name: |\n  A\n  plus\tB\n"})).name == "A plus B"


def test_what_a_statement_or_domjudge_calls_a_problem_is_cleaned(legacy: Write, tmp_path: Path) -> None:
    title = "\\problemname{A\u202e plus\x00 B}\n"
    files = {"problem.yaml": "limits: {time_limit: 2}\n", "problem_statement/problem.en.tex": title}
    assert load_package(legacy(files)).name == "A plus B"
    ini = {"problem_statement/problem.en.tex": None, "domjudge-problem.ini": "name = 'A\u200b plus B'\n"}
    (tmp_path / "aplusb/problem_statement/problem.en.tex").unlink()
    assert load_package(legacy({**files, **ini})).name == "A plus B"


def test_source_and_credits_are_cleaned(legacy: Write) -> None:
    text = 'name: x\nsource: "NWERC\\u202e 2025"\nauthor: ["Ada\\u200b Lovelace"]\n'
    package = load_package(legacy({"problem.yaml": text}))
    assert (package.source, package.credits) == ("NWERC 2025", "Ada Lovelace")


def test_nul_in_a_latex_title_stands_for_nothing() -> None:
    assert plain_text("a\x001114112;b \\& c") == "a1114112;b & c"


def test_a_folder_with_an_odd_name_is_refused(legacy: Write) -> None:
    path = legacy({"attachments/a\u202eb.txt": "x"})
    (path / "attachments" / "c\udcff.txt").write_text("x")
    assert mistakes(path) == [
        f"attachments/a\\u202eb.txt: has a name that holds the character U+202E RIGHT-TO-LEFT OVERRIDE, {INVISIBLE}",
        "attachments/c\\udcff.txt: has a name that is not UTF-8",
    ]


def test_json_is_held_to_it_too() -> None:
    spec = ExperimentSpec(
        title="a\u202eb", question="?", variants=(Variant(name="x\u2066y", language="cpp", source="x"),)
    )
    assert {key: why.split(",")[0] for key, why in problems_of(spec).items()} == {
        "title": "holds the character U+202E RIGHT-TO-LEFT OVERRIDE",
        "variants.0.name": "holds the character U+2066 LEFT-TO-RIGHT ISOLATE",
    }
    for odd in ("\ud800", "\0"):
        with pytest.raises(JsonError, match="holds"):
            spec_from_json({**to_json(spec), "title": f"a{odd}b"})
