"""The keys of a manifest at each level, with the type of each value.

`destination`, `cold` and `hidden_stdin` are ours, and the whole of OWN_TOP; all else is the acceptance corpus's format.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sandbox.types import Destination
from tests.hostile.corpus.limits import KEYS as LIMIT_KEYS


@dataclass(frozen=True, kw_only=True, slots=True)
class Key:
    """What a key's value must be."""

    what: str  # what its value is, for people
    fits: Callable[[Any], bool]
    is_required: bool = False


def _is_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def text_key(*, required: bool = False) -> Key:
    """A key with a text."""
    return Key(what="a text", fits=lambda value: isinstance(value, str), is_required=required)


def _texts(*, required: bool = False) -> Key:
    return Key(what="a list of texts", fits=_is_texts, is_required=required)


def _number(least: int = 1, *, required: bool = False) -> Key:
    return Key(
        what=f"a whole number from {least} on",
        fits=lambda value: type(value) is int and value >= least,
        is_required=required,
    )


def _table(*, required: bool = False) -> Key:
    return Key(what="a table", fits=lambda value: isinstance(value, dict), is_required=required)


def _tables(*, required: bool = False) -> Key:
    return Key(
        what="a list of tables",
        fits=lambda value: isinstance(value, list) and all(isinstance(entry, dict) for entry in value),
        is_required=required,
    )


TOP = {
    "schema": Key(what="1", fits=lambda value: value == 1 and type(value) is int, is_required=True),
    **{name: _table() for name in ("verdicts", "canary")},
    **{name: _table(required=True) for name in ("defaults", "limits", "problem", "invariant")},
    "case": _tables(required=True),
    **{name: _tables() for name in ("generated", "fault", "web")},
}
OWN_TOP = {"slow": _texts(), "problem": _table(), "case": _tables(required=True)}
DEFAULTS = {
    "problem": text_key(required=True),
    "tests": _number(required=True),
    "deadline_ms": _number(required=True),
    "forbid": _texts(required=True),
    "invariants": _texts(required=True),
}
LIMITS = {key: _number() for key in LIMIT_KEYS}
PROBLEM = {
    key: text_key()
    for key in ("stdin", "stdin_rule", "answer", "answer_rule", "tests_note", "interactor", "hidden_stdin")
}
CASE = {
    "id": text_key(),  # the file's name
    **{key: text_key(required=True) for key in ("file", "language", "attempts")},
    "category": text_key(),
    "verdicts": _texts(required=True),
    "problem": text_key(),
    **{key: _number() for key in ("tests", "repeat", "parallel", "deadline_ms")},
    "limits": _table(),
    **{key: _texts() for key in ("forbid", "invariants")},
    **{key: text_key() for key in ("sequence", "checker", "fault", "note")},
    "order": _number(0),
    "requires": Key(what='"interactive"', fits=lambda value: value == "interactive"),
    "phase": Key(what='"compile" or "run"', fits=lambda value: value in ("compile", "run")),  # where it attacks
    "syntax_check": Key(what="true or false", fits=lambda value: isinstance(value, bool)),  # for syntax_check.sh
    "destination": Key(what="a destination", fits=lambda value: value in [each.value for each in Destination]),
    "cold": text_key(),
}
DESCRIBED = {
    "generated": {key: text_key(required=True) for key in ("id", "how", "expect")},
    "fault": {**{key: text_key(required=True) for key in ("id", "do", "expect")}, "within_s": _number(required=True)},
    "web": {key: text_key(required=True) for key in ("id", "input", "expect")},
}
