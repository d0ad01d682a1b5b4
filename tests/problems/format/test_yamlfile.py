"""YAML from strangers."""

import datetime
import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given

from problems.diagnostics import Report
from problems.format.yamlfile import MOST_BYTES, MOST_DEPTH, YamlProblem, parse_yaml, read_yaml
from problems.package import PackageError
from tests.fuzzing import examples
from tests.problems.format.odd_yaml import YAML_TEXTS


def read(tmp_path: Path, text: str | bytes, report: Report | None = None) -> dict[str, object]:
    path = tmp_path / "problem.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_yaml(path, "problem.yaml", report or Report())


def test_plain_data_is_read(tmp_path: Path) -> None:
    assert read(tmp_path, "a: 1\nb: [x, 2.5]\n3: yes\n") == {"a": 1, "b": ["x", 2.5], "3": True}


def test_empty_file_is_an_empty_mapping(tmp_path: Path) -> None:
    assert read(tmp_path, "# nothing\n") == {}


def test_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xef\xbb\xbfname: x\n") == {"name": "x"}


def test_doubled_key_is_reported(tmp_path: Path) -> None:
    report = Report()
    assert read(tmp_path, "name: a\nname: b\n", report) == {"name": "b"}
    assert report.warnings == ["problem.yaml: name: is given more than once; the last one counts"]


NESTED_ALIASES = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{new}: &{new} [{', '.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: [1\n", r"not valid YAML.*line 2"),
        ("- a\n- b\n", "must hold keys and values"),
        ("just text\n", "must hold keys and values"),
        (b"a: 1\nname: \xff\n", r"is not UTF-8 text \(line 2\): it looks like Windows-1252; save it as UTF-8$"),
        (
            "a: 1\nname: !!python/object/apply:os.system ['true']\n",
            r"has the tag !!python/object/apply:os.system, which is not allowed here \(line 2\)$",
        ),
        (NESTED_ALIASES, "more than 16 aliases"),
        ("a: &a {x: 1}\nb: {<<: *a}\n", "merge key"),
        ("a: " + "[" * 500 + "]" * 500, "nested more than 20 deep"),
        ("{" + ",".join(f"k{n}" for n in range(1_001)) + "}", "more than 2,000 keys and values"),
        ("a: 2025-02-31\n", "cannot be read as YAML: it has a value that is no !!timestamp: '2025-02-31'"),
        ("a: " + "9" * 5000 + "\n", "a number of more than 100 digits"),
        ("a: 0x" + "f" * 5000 + "\n", "a number of more than 100 digits"),
        ("? [1, 2]\n: x\n? {a: b}\n: y\n", "YAML"),
        ("a: b\n---\nc: d\n", "not valid YAML"),
        ("a: " + "x" * MOST_BYTES, "more than 128 KiB"),
        ("a: *nowhere\n", "not valid YAML"),
        ("a: b\nc: \x00\n", r"is not valid YAML: it holds the character U\+0000 \(line 2\)"),
        ("a:\n\tb: 1\n", "is not valid YAML: line 2 has a tab; YAML indents with spaces only$"),
        ("a: 1\n\tb: 1\n", "is not valid YAML: line 2 has a tab; YAML indents with spaces only$"),
        ("a:\n  b: 1\n \t c: 1\n", "is not valid YAML: line 3 has a tab; YAML indents with spaces only$"),
        ("a:\r  - \t- 1\r", "is not valid YAML: line 2 has a tab; YAML indents with spaces only$"),
        *(
            (f"a: 1\nb: {text}\n", re.escape(f"cannot be read as YAML: it {why} (line 2)") + "$")
            for text, why in [
                ("!!bool maybe", "has a value that is no !!bool: 'maybe' (in quotes, a value is text)"),
                ("!!int ''", "has a value that is no !!int: '' (in quotes, a value is text)"),
                ("!!int '-'", "has a value that is no !!int: '-' (in quotes, a value is text)"),
                ("!!int 0x", "has a value that is no !!int: '0x' (in quotes, a value is text)"),
                ("!!float '1:'", "has a value that is no !!float: '1:' (in quotes, a value is text)"),
                ("!!timestamp soon", "has a value that is no !!timestamp: 'soon' (in quotes, a value is text)"),
                (
                    "!!timestamp 2001-1-1 1:1:1 +99",
                    "has a value that is no !!timestamp: '2001-1-1 1:1:1 +99' (in quotes, a value is text)",
                ),
                ("1:1" + ":1" * 50_000, "has a number of more than 100 digits"),
                ("1:1" + ":1" * 50_000 + ".5", "has a number of more than 100 digits"),
                ("1" * 101 + ".5", "has a number of more than 100 digits"),
                ('"\\0"', "holds the character NUL"),
                ('"\\ud83d\\ude00"', "holds half of a surrogate pair, which is no character"),
                ("!mine x", "has the tag !mine, which is not allowed here"),
                ("!!set {a, b}", "has the tag !!set, which is not allowed here"),
                ("!!binary aGk=", "has the tag !!binary, which is not allowed here"),
                ("!!omap [a: b]", "has the tag !!omap, which is not allowed here"),
                ("&a [*a]", "has an alias (*name) inside of what it stands for"),
                ("&a {b: {c: [*a]}}", "has an alias (*name) inside of what it stands for"),
            ]
        ),
        *(
            (f"a: 1\nb: {text}\n", re.escape("is not valid YAML: ") + ".*" + re.escape("(line 2)") + "$")
            for text in (
                '"\\UFFFFFFFF"',
                '"\\U00110000"',
                '"\\xg"',
                "!!int [1]",
                "!!str {a: b}",
                "%",
                "@x",
                "[*a, &a b]",
            )
        ),
    ],
)
def test_unfit_yaml_is_refused_with_a_reason(tmp_path: Path, text: str | bytes, why: str) -> None:
    with pytest.raises(PackageError, match=why) as caught:
        read(tmp_path, text)
    assert caught.value.file == "problem.yaml"


def test_values_may_be_tagged_as_what_they_are(tmp_path: Path) -> None:
    text = "a: !!str 2025\nb: !!int '3'\nc: !!float 2\nd: !!bool yes\ne: !!null ~\nf: !!seq [=]\ng: !!map {x: 1}\n"
    expected = {"a": "2025", "b": 3, "c": 2.0, "d": True, "e": None, "f": ["="], "g": {"x": 1}}
    assert read(tmp_path, text) == expected


def is_plain(value: object, depth: int = MOST_DEPTH) -> bool:
    """Whether it goes into JSON and a database as it is, but for dates, and is not endless."""
    if isinstance(value, list | dict):
        inner = [*value, *value.values()] if isinstance(value, dict) else value
        return depth > 0 and all(is_plain(item, depth - 1) for item in inner)
    if isinstance(value, str):
        return "\0" not in value and value.encode().decode() == value
    return value is None or isinstance(value, bool | int | float | datetime.date)


@given(YAML_TEXTS)
@examples(3_000)
def test_any_text_is_plain_data_or_refused_with_a_line(text: str) -> None:
    data, why = read_or_refused(text)
    assert is_plain(data)
    assert not why or re.search(r"line \d+", why)


def read_or_refused(text: str) -> tuple[object, str]:
    """The data, or None and why there is none."""
    try:
        return parse_yaml(text)[0], ""
    except YamlProblem as problem:
        return None, str(problem)


def test_alias_bomb_stays_small(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PackageError):
            read(tmp_path, NESTED_ALIASES)
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    finally:
        tracemalloc.stop()
