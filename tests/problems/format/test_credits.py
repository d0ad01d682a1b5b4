"""Authors, license and source as one line each."""

import json

import pytest
from django.utils.translation import gettext, ngettext

from problems.diagnostics import Report
from problems.format.problemyaml import read_credits, read_legacy_credits, read_source
from problems.format.typed_mapping import Keys
from problems.translation import sentence_of, translated, use

_KOREAN = {"license %(name)s": "라이선스 %(name)s", "public domain": "공공 영역"}


def keys_of(data: dict[str, object]) -> tuple[Keys, Report]:
    report = Report()
    report.is_strict = True
    return Keys(data, "problem.yaml", report), report


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ({}, ""),
        ({"credits": "Ada Lovelace <ada@mail.example>"}, "Ada Lovelace"),
        ({"credits": {"authors": ["Ada <a@b.example>", {"name": "Bob", "orcid": "0"}]}}, "Ada, Bob"),
        (
            {"credits": {"authors": {"name": "Ada"}, "translators": {"da": "Mads", "eo": ["Ludo", {"name": "Vik"}]}}},
            "Ada",
        ),
        ({"credits": "Ada", "license": "cc by-sa", "rights_owner": "Ada"}, "Ada; license cc by-sa"),
        ({"license": "permission", "rights_owner": "NWERC"}, "license permission; rights owner NWERC"),
        ({"license": "unknown"}, ""),
    ],
)
def test_credits_of_2025_09(data: dict[str, object], line: str) -> None:
    keys, report = keys_of(data)
    assert (read_credits(keys), report.errors, report.warnings) == (line, [], [])


def test_line_is_translated_but_for_names() -> None:
    keys, _ = keys_of({"credits": "Ada", "license": "public domain", "rights_owner": "NWERC"})
    kept = json.loads(json.dumps(read_credits(keys).as_json()))
    try:
        use(lambda sentence: _KOREAN.get(sentence, sentence), lambda single, _, __: single)
        assert translated(sentence_of(kept)) == "Ada; 라이선스 공공 영역; rights owner NWERC"
    finally:
        use(gettext, ngettext)


@pytest.mark.parametrize(
    ("author", "line"),
    [
        ("Ada, Bob and Cyd & Dot", "Ada, Bob, Cyd, Dot"),
        (["Ada", "Bob"], "Ada, Bob"),
        ("Alexander Sandor", "Alexander Sandor"),
        (None, ""),
    ],
)
def test_legacy_authors(author: object, line: str) -> None:
    keys, report = keys_of({"author": author})
    assert (read_legacy_credits(keys), report.errors) == (line, [])


@pytest.mark.parametrize(
    ("credits", "key"),
    [
        ({"authors": {"mail": "x"}}, "credits.authors.name"),
        ({"author": "Ada"}, "credits.author"),
        ({"authors": [["Ada"]]}, "credits.authors"),
        (5.0, None),
    ],
)
def test_wrong_credits_name_their_key(credits: object, key: str | None) -> None:
    keys, report = keys_of({"credits": credits})
    read_credits(keys)
    assert key in [error.key for error in report.errors] if key else report.errors == []


def test_odd_terms_are_warnings() -> None:
    keys, report = keys_of({"license": "MIT", "rights_owner": "me"})
    assert read_credits(keys) == "license MIT; rights owner me"
    assert len(report.warnings) == 1
    assert report.warnings[0].startswith("problem.yaml: license: 'MIT' is none of unknown, public domain")
    keys, report = keys_of({"license": "public domain", "rights_owner": "me"})
    read_credits(keys)
    assert report.warnings == ["problem.yaml: rights_owner: is given, but nobody owns what is in the public domain"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (None, ""),
        ("NWERC", "NWERC"),
        ({"name": "NWERC", "url": "https://nwerc.example"}, "NWERC"),
        ([{"name": "NWERC"}, "SWERC"], "NWERC, SWERC"),
    ],
)
def test_source_has_several_forms(source: object, text: str) -> None:
    keys, report = keys_of({"source": source})
    assert (read_source(keys), report.errors) == (text, [])


def test_source_without_a_name_is_an_error() -> None:
    keys, report = keys_of({"source": [{"link": "x"}]})
    read_source(keys)
    assert [error.key for error in report.errors] == ["source.name", "source.link"]
