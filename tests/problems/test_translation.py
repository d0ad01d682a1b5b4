"""Sentences that are kept as templates with values, and said in the language of whoever reads them."""

import copy
import json
import pickle
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from django.utils import translation as django

from judge.grading.verification.verified import ReportRecord, SubmissionRecord
from problems import translation
from problems.columns import clean_json
from problems.diagnostics import Report
from problems.jsonvalues import from_row
from problems.package import ErrorRecord, PackageError
from problems.translation import (
    ComposedSentence,
    CountedSentence,
    Sentence,
    composed_by,
    in_readers_language,
    joined,
    listed,
    quoted,
    sentence_of,
    translated,
)

_KOREAN = {
    "has more than %(most)s files": "파일이 %(most)s개보다 많습니다",
    "looks like %(what)s": "%(what)s처럼 보입니다",
    "a checker": "채점기",
    "%(file)s: %(why)s": "%(file)s 파일: %(why)s",
    "%(file)s: %(key)s: %(why)s": "%(file)s 파일: %(key)s: %(why)s",
    "%(names)s and %(number)s more": "%(names)s 외 %(number)s개",
}
_SEVERAL = {"rejects %(number)s input": "입력 %(number)s개를 거부합니다"}


@pytest.fixture
def _in_korean() -> Iterator[None]:
    translation.use(lambda one: _KOREAN.get(one, one), lambda one, _several, _number: _SEVERAL.get(one, one))
    yield
    translation.use(django.gettext, django.ngettext)


TOO_MANY = Sentence("has more than %(most)s files", most=20)
CHECKER = Sentence("looks like %(what)s", what=Sentence("a checker"))
REJECTS = CountedSentence("rejects %(number)s input", "rejects %(number)s inputs", 3, number=3)
ENGLISH = {TOO_MANY: "has more than 20 files", CHECKER: "looks like a checker", REJECTS: "rejects 3 inputs"}


def test_as_a_string_a_sentence_is_english() -> None:
    assert all(sentence == english for sentence, english in ENGLISH.items())
    assert (str(PackageError("data", "", TOO_MANY)), str(PackageError("a.yaml", "key", CHECKER))) == (
        "data: has more than 20 files",
        "a.yaml: key: looks like a checker",
    )
    assert json.dumps([TOO_MANY]) == '["has more than 20 files"]'
    assert CountedSentence("%(n)s file", "%(n)s files", 1, n=1) == "1 file"


def test_a_template_without_values_is_taken_as_it_is() -> None:
    assert Sentence("is 100 % of it") == "is 100 % of it"
    assert Sentence("is 100 % of it").translated() == "is 100 % of it"
    assert Sentence("").translated() == ""


@pytest.mark.usefixtures("_in_korean")
def test_it_is_translated_with_the_sentences_in_it() -> None:
    assert [translated(sentence) for sentence in (TOO_MANY, CHECKER, REJECTS, "as it is")] == [
        "파일이 20개보다 많습니다",
        "채점기처럼 보입니다",
        "입력 3개를 거부합니다",
        "as it is",
    ]
    assert PackageError("data", "", CHECKER).sentence.translated() == "data 파일: 채점기처럼 보입니다"
    assert joined([CHECKER, "exit code 3"]).translated() == "채점기처럼 보입니다; exit code 3"
    assert translated(listed(["a", "b", "c"], 1)) == "a 외 2개"


def test_an_error_of_a_package_keeps_its_reason_alone() -> None:
    error = PackageError("data", "key", CHECKER)
    assert error.record == ErrorRecord(file="data", key="key", why=str(CHECKER), reason=CHECKER)
    assert error.sentence == f"data: key: {CHECKER}"


@pytest.mark.usefixtures("_in_korean")
def test_what_stands_for_a_file_is_translated_too() -> None:
    error = PackageError(Sentence("a checker"), Sentence("a checker"), TOO_MANY)
    assert (str(error), error.sentence.translated()) == (
        "a checker: a checker: has more than 20 files",
        "채점기 파일: 채점기: 파일이 20개보다 많습니다",
    )
    kept = in_readers_language(from_row(ErrorRecord, clean_json(error.record)))
    assert (kept.file, kept.key, kept.why) == ("채점기", "채점기", "has more than 20 files")


@pytest.mark.usefixtures("_in_korean")
@pytest.mark.parametrize(
    "sentence", [TOO_MANY, CHECKER, REJECTS, quoted("50 %(x)s"), PackageError("a", "", CHECKER).sentence]
)
def test_what_a_row_keeps_is_the_same_sentence(sentence: Sentence) -> None:
    kept = json.loads(json.dumps(sentence.as_json()))
    assert (kept["text"], sentence_of(kept)) == (sentence, sentence)
    for again in (sentence_of(kept), copy.deepcopy(sentence), pickle.loads(pickle.dumps(sentence))):  # noqa: S301
        assert translated(again) == sentence.translated()


@pytest.mark.usefixtures("_in_korean")
def test_a_report_keeps_its_sentences_and_is_read_in_any_language() -> None:
    submission = SubmissionRecord(path="a.py", problems=(REJECTS,))
    report = ReportRecord(errors=(TOO_MANY,), submissions=(submission,))
    kept = json.loads(json.dumps(clean_json(report)))
    assert (kept["errors"], kept["submissions"][0]["problems"]) == ([TOO_MANY.as_json()], [REJECTS.as_json()])
    assert from_row(ReportRecord, kept) == report
    translation = in_readers_language(from_row(ReportRecord, kept))
    assert translation.errors == ("파일이 20개보다 많습니다",)
    assert translation.submissions[0].problems == ("입력 3개를 거부합니다",)


def test_older_rows_show_their_text() -> None:
    report = from_row(ReportRecord, {"errors": ["data: is odd"], "ok": False})
    assert in_readers_language(report) == report == ReportRecord(errors=("data: is odd",))
    assert translated(sentence_of("data: is odd")) == "data: is odd"


def test_names_of_files_are_told_in_the_values_only() -> None:
    report = Report()
    report.rename = lambda words: words.replace("secret", "tests")
    report.error("data/secret", "", Sentence("secret of %(case)s", case=Sentence("%(name)s", name="secret/1")))
    report.warn("data", "", CountedSentence("%(n)s case in %(at)s", "%(n)s cases in %(at)s", 2, n=2, at="secret"))
    assert [str(error) for error in report.errors] == ["data/tests: secret of tests/1"]
    assert report.warnings == ["data: 2 cases in tests"]


def test_a_long_list_says_how_many_more_there_are() -> None:
    assert (listed(["a", "b"], 2), listed(["a", "b", "c"], 2), listed([], 2)) == ("a, b", "a, b and 1 more", "")


def _compose(subject: Mapping[str, Any]) -> str:
    return translation.gettext("has more than %(most)s files") % subject if subject["most"] else ""


@pytest.fixture
def composed() -> Iterator[ComposedSentence]:
    composed_by("test", _compose)
    yield ComposedSentence("test", {"most": 20, "file": "a.in"})
    del translation._composers["test"]


@pytest.mark.usefixtures("_in_korean")
def test_a_composed_sentence_is_made_anew_for_its_reader(composed: ComposedSentence) -> None:
    kept = json.loads(json.dumps(Sentence("%(file)s: %(why)s", file="a", why=composed).as_json()))
    assert translated(sentence_of(kept)) == "a 파일: 파일이 20개보다 많습니다"
    assert copy.deepcopy(composed) == composed
    assert composed.with_values(str.upper).subject == {"most": 20, "file": "A.IN"}


def test_a_composed_sentence_stays_as_it_was_where_nobody_composes_it_any_more(composed: ComposedSentence) -> None:
    kept = composed.as_json()
    assert sentence_of({**kept, "teller": "gone"}) == "has more than 20 files"
    assert sentence_of({**kept, "told": {"most": 0}}) == "has more than 20 files"
