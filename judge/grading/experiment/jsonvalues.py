"""Convert frozen dataclasses to JSON and back by their annotations; report all errors together, by key.

What is read may come from anybody. Annotations may be str, int, dataclasses, tuples and mappings of these, and None.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from problems.names import why_no_text
from problems.translation import Sentence, translated

_MOST_ITEMS = 10_000
_MOST_INTEGER = 2**53  # what other readers of JSON take exactly
_T = TypeVar("_T")


class JsonError(ValueError):
    """Errors as half a sentence by key; never empty. The empty key stands for the whole value."""

    def __init__(self, problems: Mapping[str, Sentence]) -> None:
        super().__init__("; ".join(f"{key}: {why}" if key else why for key, why in problems.items()))
        self.problems = dict(problems)

    def translated(self) -> str:
        """Return all errors in the reader's language."""
        whole = (translated(why) for why in self.problems.values())
        return "; ".join(f"{key}: {why}" if key else why for key, why in zip(self.problems, whole, strict=True))


def to_json(value: Any) -> Any:
    """Return a dataclass as a dict; every sequence becomes a list."""
    return _listed(asdict(value))


def from_json(kind: type[_T], value: Any) -> _T:
    """Return the dataclass that `to_json` converted. An unknown key is an error. Raises JsonError."""
    problems: dict[str, Sentence] = {}
    read = _read(kind, value, "", problems)
    if problems:
        raise JsonError(problems)
    assert isinstance(read, kind)
    return read


def _listed(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _listed(item) for key, item in value.items()}
    return [_listed(item) for item in value] if isinstance(value, list | tuple) else value


def _read(kind: Any, value: Any, key: str, problems: dict[str, Sentence]) -> Any:
    """Return the value as `kind`, or any value after noting an error."""
    origin = get_origin(kind)
    if origin in (types.UnionType, Union):
        kinds = [each for each in get_args(kind) if each is not type(None)]
        return None if value is None else _read(kinds[0], value, key, problems)
    if origin is tuple:
        return _read_tuple(get_args(kind)[0], value, key, problems)
    if origin is Mapping:
        return _read_mapping(get_args(kind)[1], value, key, problems)
    if is_dataclass(kind):
        return _read_dataclass(kind, value, key, problems)
    return _read_scalar(kind, value, key, problems)


def _read_dataclass(kind: Any, value: Any, key: str, problems: dict[str, Sentence]) -> Any:
    if not isinstance(value, Mapping):
        problems[key] = Sentence("must be a mapping")
        return None
    known = {each.name: each for each in fields(kind)}
    for name in value:
        if name not in known:
            problems[_join(key, _shown(name))] = Sentence("is not known here")
    hints = _hints(kind)
    given: dict[str, Any] = {}
    for name, field in known.items():
        if name in value:
            given[name] = _read(hints[name], value[name], _join(key, name), problems)
        elif _is_required(field):
            problems[_join(key, name)] = Sentence("is missing")
    return None if problems else kind(**given)


def _read_tuple(kind: Any, value: Any, key: str, problems: dict[str, Sentence]) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        problems[key] = Sentence("must be a list")
        return ()
    if len(value) > _MOST_ITEMS:
        problems[key] = Sentence("must have at most %(most)s items", most=f"{_MOST_ITEMS:,}")
        return ()
    return tuple(_read(kind, item, _join(key, str(place)), problems) for place, item in enumerate(value))


def _read_mapping(kind: Any, value: Any, key: str, problems: dict[str, Sentence]) -> dict[str, Any]:
    if not isinstance(value, Mapping) or len(value) > _MOST_ITEMS:
        problems[key] = Sentence("must be a mapping")
        return {}
    for name in value:
        if not isinstance(name, str) or why_no_text(name):
            problems[_join(key, _shown(name))] = Sentence("must be named by a text")
    return {name: _read(kind, item, _join(key, _shown(name)), problems) for name, item in value.items()}


def _read_scalar(kind: Any, value: Any, key: str, problems: dict[str, Sentence]) -> Any:
    if kind is str:
        wrong = why_no_text(value) if isinstance(value, str) else Sentence("must be a text")
    elif kind is int:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        wrong = None if is_whole and abs(value) <= _MOST_INTEGER else Sentence("must be a whole number")
    else:
        raise TypeError(f"{key}: no values of {kind} are read")
    if wrong:
        problems[key] = wrong
    return value


def _is_required(field: "Field[Any]") -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _shown(name: object) -> str:
    """Return a user-chosen key, made safe to show and to store."""
    return str(name)[:40].replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def _join(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name
