"""Constants of problem.yaml and where they are replaced."""

import pytest

from problems.diagnostics import Report
from problems.format import constants
from problems.format.constants import read_constants, replaced
from problems.format.typed_mapping import Keys
from problems.package import PackageError


def read(data: object) -> tuple[dict[str, str], Report]:
    report = Report()
    return read_constants(Keys({"constants": data}, "problem.yaml", report)), report


def test_values_and_variants_have_names() -> None:
    found, report = read({"k": {"value": 5_000_000, "tex": "5,000,000"}, "name": "Ada", "half": 0.5})
    assert found == {
        "k": "5000000",
        "k.value": "5000000",
        "k.tex": "5,000,000",
        "name": "Ada",
        "name.value": "Ada",
        "half": "0.5",
        "half.value": "0.5",
    }
    assert (report.errors, report.warnings) == ([], [])


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ({"1st": 5}, "constants.1st"),
        ({"a-b": 5}, "constants.a-b"),
        ({"a": True}, "constants.a"),
        ({"a": [5]}, "constants.a"),
        ({"a": {"tex": "5"}}, "constants.a.value"),
        ({"a": {"value": 5, "x y": "5"}}, "constants.a.x y"),
        ({"a": "x" * 1_001}, "constants.a"),
        ([5], "constants"),
    ],
)
def test_unfit_constants_are_errors_at_their_key(data: object, key: str) -> None:
    found, report = read(data)
    assert [error.key for error in report.errors] == [key]
    assert "a.tex" not in found


def test_variant_of_another_number_is_a_warning() -> None:
    _, report = read({"k": {"value": 5, "tex": "50", "float": "5.0", "roman": "V"}})
    assert report.warnings == ["problem.yaml: constants.k.tex: seems to be another number than the value: 50 and 5"]


@pytest.mark.parametrize(
    ("content", "result"),
    [
        (b"n <= {{n}};", b"n <= 5;"),
        (b"{{n}}{{n.tex}}", b"5V"),
        (b"{{m}} {{n.html}} {{ n }} {n} {{{n}}}", b"{{m}} {{n.html}} {{ n }} {n} {5}"),
        (b"\xff{{n}}", b"\xff5"),
        (b"{{" * 100_000, b"{{" * 100_000),
    ],
)
def test_what_is_known_is_replaced(content: bytes, result: bytes) -> None:
    assert replaced(content, {"n": "5", "n.value": "5", "n.tex": "V"}) == result


def test_a_text_cannot_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(constants, "MOST_BYTES", 10_000)
    assert len(replaced(b"{{n}}" * 9, {"n": "x" * 1_000})) == 9_000
    with pytest.raises(PackageError, match="constants: make a file larger"):
        replaced(b"{{n}}" * 11, {"n": "x" * 1_000})
