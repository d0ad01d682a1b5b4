"""Dataclasses as JSON and back: what a row of an older version has, and what comes from anybody."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import Any

import pytest

from problems.jsonvalues import SPARSE, JsonError, from_json, from_row, to_json


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Size(Enum):
    SMALL = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    name: str
    colour: Colour
    bytes: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class LabelledPart(Part):
    label: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Whole:
    parts: tuple[LabelledPart | Part, ...]
    share: float
    is_whole: bool
    size: Size | None = None
    counts: Mapping[str, int]
    evidence: dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Sparse:
    name: str
    parts: tuple[str, ...] = field(default=(), metadata=SPARSE)


WHOLE = Whole(
    parts=(Part(name="a", colour=Colour.RED), LabelledPart(name="b", colour=Colour.BLUE, bytes=2**60, label="B")),
    share=0.5,
    is_whole=True,
    size=Size.SMALL,
    counts={"read": 3},
    evidence={"lines": [1, 2], "test_case": "secret/1"},
)
JSON: dict[str, Any] = {
    "parts": [
        {"name": "a", "colour": "red", "bytes": 0},
        {"name": "b", "colour": "blue", "bytes": 2**60, "label": "B"},
    ],
    "share": 0.5,
    "is_whole": True,
    "size": 1,
    "counts": {"read": 3},
    "evidence": {"lines": [1, 2], "test_case": "secret/1"},
}


def test_a_value_comes_back_from_its_row_as_it_was() -> None:
    assert to_json(WHOLE) == JSON
    assert from_row(Whole, JSON) == WHOLE


def test_what_json_never_had_is_left_out_while_it_has_its_default() -> None:
    assert to_json(Sparse(name="a")) == {"name": "a"}
    assert to_json(Sparse(name="a", parts=("b",))) == {"name": "a", "parts": ["b"]}
    assert from_row(Sparse, {"name": "a"}) == Sparse(name="a")


def test_a_tuple_of_dataclasses_comes_back_too() -> None:
    assert from_row(tuple[Part, ...], to_json(WHOLE.parts[:1])) == WHOLE.parts[:1]


def test_an_older_row_lacks_what_has_a_default_and_a_newer_one_has_more() -> None:
    assert from_row(Part, {"name": "a", "colour": "red", "weight": 3}) == Part(name="a", colour=Colour.RED)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"share": None}, "share"),
        ({"share": True}, "share"),
        ({"is_whole": 1}, "is_whole"),
        ({"size": 2}, "size"),
        ({"counts": {"read": "3"}}, "counts.read"),
        ({"counts": [3]}, "counts"),
        ({"parts": {}}, "parts"),
        ({"parts": [JSON["parts"][0], {"name": 1, "colour": "red"}]}, "parts.1.name"),
        ({"parts": [{"name": "a"}]}, "parts.0.colour"),
        ({"parts": [{"name": "a", "colour": "green"}]}, "parts.0.colour"),
    ],
)
def test_a_row_whose_value_is_of_another_kind_is_told_with_its_key(change: dict[str, Any], key: str) -> None:
    with pytest.raises(JsonError) as error:
        from_row(Whole, {**JSON, **change})
    assert list(error.value.problems) == [key]


def test_from_anybody_an_unknown_key_is_an_error() -> None:
    with pytest.raises(JsonError) as error:
        from_json(Part, {"name": "a\0", "colour": "red", "weight": 3, "bytes": 2**60})
    assert list(error.value.problems) == ["weight", "name", "bytes"]
