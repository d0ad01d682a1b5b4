"""DOMjudge's dialect."""

from pathlib import Path

import pytest

from problems.format.domjudge import Tags, read_ini, read_tags, seconds_to_ms


@pytest.mark.parametrize(
    ("text", "time_limit_ms"),
    [
        ("2\n", 2_000),
        ("0.5", 500),
        (" 1.25 ", 1_250),
        ("", None),
        ("0", None),
        ("-1", None),
        ("1e3", None),
        ("2s", None),
    ],
)
def test_seconds_in_a_text_file(text: str, time_limit_ms: int | None) -> None:
    assert seconds_to_ms(text) == time_limit_ms


def test_ini_is_read_with_and_without_quotes() -> None:
    text = 'short-name = apb\nname=\'It"s\'\ntimelimit="3"\nallow_submit = 1 ; yes\n'
    assert read_ini(text) == {"short-name": "apb", "name": 'It"s', "timelimit": "3", "allow_submit": "1"}


@pytest.mark.parametrize(
    ("source", "verdicts", "score"),
    [
        ("print()\n", set(), None),
        ("# @EXPECTED_RESULTS@: CORRECT\n", {"AC"}, None),
        ("/* @EXPECTED_RESULTS@: wrong_answer, TIMELIMIT */\n", {"WA", "TLE"}, None),
        ("<!-- @EXPECTED_RESULTS@: NO-OUTPUT -->\n", {"WA"}, None),
        ("// @expected_results@: RUN-ERROR,OUTPUT-LIMIT\r\n", {"RE", "MLE", "OLE"}, None),
        ("# @EXPECTED_RESULTS@: COMPILER-ERROR", {"CE"}, None),
        ("# @EXPECTED_SCORE@: 74.42\n", set(), 74.42),
        ("# @EXPECTED_RESULTS@: WRONG-ANSWER\n# @EXPECTED_SCORE@: 30\n", {"WA"}, 30.0),
    ],
)
def test_tags_in_a_source(tmp_path: Path, source: str, verdicts: set[str], score: float | None) -> None:
    (tmp_path / "x.py").write_text(source)
    assert read_tags([tmp_path / "x.py"]) == Tags(verdicts=frozenset(verdicts), score=score)


@pytest.mark.parametrize(
    ("sources", "why"),
    [
        (["@EXPECTED_RESULTS@: CORRECT", "@EXPECTED_RESULTS@: TIMELIMIT"], "several expected results"),
        (["@EXPECTED_SCORE@: 1\n@EXPECTED_SCORE@: 2\n"], "several expected results or scores"),
        (["@EXPECTED_RESULTS@: FINE"], "the unknown result 'FINE'"),
    ],
)
def test_tags_that_cannot_be_understood_do_not_count(tmp_path: Path, sources: list[str], why: str) -> None:
    paths = []
    for number, source in enumerate(sources):
        paths.append(tmp_path / f"{number}.py")
        paths[-1].write_text(source)
    tags = read_tags(paths)
    assert (tags.verdicts, tags.score) == (frozenset(), None)
    assert why in str(tags.problem)
