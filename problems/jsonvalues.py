"""Convert frozen dataclasses to JSON and back by their annotations.

Annotations may be str, int, float, bool, enums, sentences, Any, dataclasses, one of several of them, None, and tuples
and mappings of these. `from_json` reads what may come from anybody and reports all errors together, by key; `from_row`
reads what a row has kept, perhaps since an older version.

JSON has every field of a dataclass, but for those with SPARSE as metadata while they have their defaults.

How it works: a kind of value has one reader, which is made of those of its parts once per process. A reader returns the
value, or any value after noting an error.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from problems.names import why_no_text
from problems.translation import Sentence, quoted, sentence_of, translated

SPARSE = {"is_sparse": True}
_MOST_ITEMS = 10_000
_MOST_INTEGER = 2**53  # what other readers of JSON take exactly
_T = TypeVar("_T")
_Key = tuple[Any, object] | None  # the key of the whole around it, and its own


class JsonError(ValueError):
    """Errors as half a sentence by key; never empty. The empty key stands for the whole value."""

    def __init__(self, problems: Mapping[str, Sentence]) -> None:
        super().__init__("; ".join(f"{key}: {why}" if key else why for key, why in problems.items()))
        self.problems = dict(problems)

    def translated(self) -> str:
        """Return all errors in the reader's language."""
        whole = (translated(why) for why in self.problems.values())
        return "; ".join(f"{key}: {why}" if key else why for key, why in zip(self.problems, whole, strict=True))


@dataclass(kw_only=True, slots=True)
class _Reading:
    """One value that is read. `is_ours`: a row has it, so that unknown keys are another version's."""

    is_ours: bool
    problems: dict[str, Sentence] = field(default_factory=dict)

    def note(self, key: _Key, why: Sentence) -> None:
        names = []
        while key is not None:
            key, name = key
            names.append(str(name)[:40].replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode())
        self.problems[".".join(reversed(names))] = why


_Reader = Callable[[Any, _Key, _Reading], Any]


def to_json(value: Any) -> Any:
    """Return a dataclass as a dict; every sequence becomes a list, every enum its value. Sentences stay."""
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(value):
        parts = ((part, getattr(value, part.name)) for part in fields(value))
        return {
            part.name: to_json(item) for part, item in parts if "is_sparse" not in part.metadata or item != part.default
        }
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    return [to_json(item) for item in value] if isinstance(value, list | tuple) else value


def from_json(kind: type[_T], value: Any) -> _T:
    """Return the dataclass that `to_json` converted. An unknown key is an error. Raises JsonError."""
    return _read(kind, value, _Reading(is_ours=False))


def from_row(kind: type[_T], value: Any) -> _T:
    """Return the value that `to_json` converted: without unknown keys, with defaults for missing ones.

    Raises JsonError if what has no default is missing or is of another kind.
    """
    return _read(kind, value, _Reading(is_ours=True))


def _read(kind: type[_T], value: Any, reading: _Reading) -> _T:
    read: _T = _reader(kind)(value, None, reading)  # type: ignore[arg-type]  # a type can be hashed
    if reading.problems:
        raise JsonError(reading.problems)
    return read


@cache
def _reader(kind: Any) -> _Reader:
    origin, parts = get_origin(kind), get_args(kind)
    if kind is Any:
        return lambda value, _key, _reading: value
    if origin in (types.UnionType, Union):
        return _reader_of_union([part for part in parts if part is not type(None)], has_none=type(None) in parts)
    if origin is tuple:
        return _reader_of_tuple(parts[0])
    if origin in (Mapping, dict):
        return _reader_of_mapping(parts[1])
    if is_dataclass(kind):
        return _reader_of_dataclass(kind)
    if kind is Sentence:
        return _read_sentence
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _reader_of_enum(kind)
    if kind not in _SCALARS:
        raise TypeError(f"no values of {kind} are read")
    return _SCALARS[kind]


def _reader_of_union(kinds: list[Any], *, has_none: bool) -> _Reader:
    """Return the reader of one of several dataclasses, the first that lacks no key, or of a single kind."""
    readers = [(_reader(kind), _required(kind)) for kind in kinds]
    last = readers[-1][0]

    def read(value: Any, key: _Key, reading: _Reading) -> Any:
        if value is None and has_none:
            return None
        fitting = (part for part, required in readers[:-1] if isinstance(value, Mapping) and required <= value.keys())
        return next(fitting, last)(value, key, reading)

    return read


def _required(kind: Any) -> frozenset[str]:
    """Return the keys that a dataclass has to have."""
    parts = fields(kind) if is_dataclass(kind) else ()
    return frozenset(part.name for part in parts if part.default is MISSING and part.default_factory is MISSING)


def _reader_of_dataclass(kind: Any) -> _Reader:
    hints = get_type_hints(kind)
    readers = {part.name: _reader(hints[part.name]) for part in fields(kind)}
    required = _required(kind)

    def read(value: Any, key: _Key, reading: _Reading) -> Any:
        if not isinstance(value, Mapping):
            reading.note(key, Sentence("must be a mapping"))
            return None
        if not reading.is_ours:
            for name in value:
                if name not in readers:
                    reading.note((key, name), Sentence("is not known here"))
        for name in sorted(required - value.keys()):
            reading.note((key, name), Sentence("is missing"))
        parts = {name: part(value[name], (key, name), reading) for name, part in readers.items() if name in value}
        return None if reading.problems else kind(**parts)

    return read


def _reader_of_tuple(kind: Any) -> _Reader:
    item = _reader(kind)

    def read(value: Any, key: _Key, reading: _Reading) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            reading.note(key, Sentence("must be a list"))
            return ()
        if len(value) > _MOST_ITEMS and not reading.is_ours:
            reading.note(key, Sentence("must have at most %(most)s items", most=f"{_MOST_ITEMS:,}"))
            return ()
        return tuple([item(part, (key, place), reading) for place, part in enumerate(value)])

    return read


def _reader_of_mapping(kind: Any) -> _Reader:
    item = _reader(kind)

    def read(value: Any, key: _Key, reading: _Reading) -> dict[str, Any]:
        if not isinstance(value, Mapping) or (len(value) > _MOST_ITEMS and not reading.is_ours):
            reading.note(key, Sentence("must be a mapping"))
            return {}
        for name in value:
            if not isinstance(name, str) or (not reading.is_ours and why_no_text(name)):
                reading.note((key, name), Sentence("must be named by a text"))
        return {name: item(part, (key, name), reading) for name, part in value.items()}

    return read


def _reader_of_enum(kind: type[Enum]) -> _Reader:
    members = {member.value: member for member in kind}

    def read(value: Any, key: _Key, reading: _Reading) -> Enum | None:
        member = members.get(value) if isinstance(value, str | int) else None
        if member is None:
            reading.note(key, Sentence("is not known here"))
        return member

    return read


def _read_sentence(value: Any, key: _Key, reading: _Reading) -> Any:
    try:
        return quoted(sentence_of(value))
    except (LookupError, TypeError, ValueError):
        reading.note(key, Sentence("is not known here"))
        return None


def _read_text(value: Any, key: _Key, reading: _Reading) -> Any:
    if not isinstance(value, str):
        reading.note(key, Sentence("must be a text"))
    elif not reading.is_ours and (wrong := why_no_text(value)):
        reading.note(key, wrong)
    return value


def _reader_of(kinds: tuple[type, ...], why: Sentence) -> _Reader:
    is_truth, is_whole = kinds == (bool,), kinds == (int,)

    def read(value: Any, key: _Key, reading: _Reading) -> Any:
        is_of_kind = isinstance(value, kinds) and isinstance(value, bool) is is_truth
        if not is_of_kind or (is_whole and abs(value) > _MOST_INTEGER and not reading.is_ours):
            reading.note(key, why)
        return value

    return read


_SCALARS: Mapping[Any, _Reader] = {
    str: _read_text,
    int: _reader_of((int,), Sentence("must be a whole number")),
    float: _reader_of((int, float), Sentence("must be a number")),
    bool: _reader_of((bool,), Sentence("must be true or false")),
}
