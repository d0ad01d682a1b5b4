"""YAML from strangers."""

import tracemalloc
from pathlib import Path

import pytest

from problems.diagnostics import Report
from problems.format.yamlfile import MOST_BYTES, read_yaml
from problems.package import PackageError


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
        (b"name: \xff\n", r"not UTF-8 text \(byte 6\)"),
        ("name: !!python/object/apply:os.system ['true']\n", "not valid YAML.*python/object"),
        (NESTED_ALIASES, "more than 16 aliases"),
        ("a: &a {x: 1}\nb: {<<: *a}\n", "merge key"),
        ("a: " + "[" * 500 + "]" * 500, "nested more than 20 deep"),
        ("{" + ",".join(f"k{n}" for n in range(1_001)) + "}", "more than 2,000 keys and values"),
        ("a: 2025-02-31\n", "cannot be read as YAML"),
        ("a: " + "9" * 5000 + "\n", "a number of more than 100 digits"),
        ("a: 0x" + "f" * 5000 + "\n", "a number of more than 100 digits"),
        ("? [1, 2]\n: x\n? {a: b}\n: y\n", "YAML"),
        ("a: b\n---\nc: d\n", "not valid YAML"),
        ("a: " + "x" * MOST_BYTES, "more than 128 KiB"),
        ("a: *nowhere\n", "not valid YAML"),
        ("a: \x00\n", "cannot be read as YAML"),
    ],
)
def test_unfit_yaml_is_refused_with_a_reason(tmp_path: Path, text: str | bytes, why: str) -> None:
    with pytest.raises(PackageError, match=why) as caught:
        read(tmp_path, text)
    assert caught.value.file == "problem.yaml"


def test_alias_bomb_stays_small(tmp_path: Path) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PackageError):
            read(tmp_path, NESTED_ALIASES)
        assert tracemalloc.get_traced_memory()[1] < 8 * 1024 * 1024
    finally:
        tracemalloc.stop()
