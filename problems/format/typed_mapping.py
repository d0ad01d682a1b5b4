"""Typed reading of a YAML mapping: reading a key checks its value; unread keys are unknown."""

import difflib
import math
import reprlib
from collections.abc import Mapping
from typing import Any

from problems.diagnostics import Report
from problems.names import in_one_line, why_no_name
from problems.translation import Sentence


class Keys:
    """One mapping of one file. Reading a key marks it as known; `finish` reports the others.

    A wrong value goes into the report, and the answer is then as if the key were not there.
    """

    def __init__(self, data: dict[str, object], file: str, report: Report, prefix: str = "") -> None:
        self._data = data
        self._file = file
        self._report = report
        self._prefix = prefix
        self._asked: set[str] = set()

    def has(self, key: str) -> bool:
        """Return whether the key is there with a value."""
        self._asked.add(key)
        return self._data.get(key) is not None

    def any(self, key: str) -> object:
        """Return the value as it is; None when it is missing."""
        self._asked.add(key)
        return self._data.get(key)

    def peek(self, key: str) -> object:
        """Return the value as it is, without marking the key as known."""
        return self._data.get(key)

    def text(self, key: str) -> str | None:
        """Return a string; a plain number counts as its digits."""
        value = self.any(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            self.error(key, Sentence("must be text (put it in quotes), not %(value)s", value=reprlib.repr(value)))
            return None
        return str(value).strip()

    def name(self, key: str) -> str | None:
        """Return a string that people read as a name, in one line."""
        value = self.text(key)
        name = None if value is None else in_one_line(value)
        if name and (why := why_no_name(name)):
            self.error(key, why)
            return None
        return name

    def words(self, key: str) -> tuple[str, ...] | None:
        """Return a list of strings, or one string split at white space."""
        value = self.any(key)
        if value is None:
            return None
        items = value.split() if isinstance(value, str) else value if isinstance(value, list) else [value]
        if any(isinstance(item, bool) or not isinstance(item, (str, int, float)) for item in items):
            self.error(key, Sentence("must be a list of text, not %(value)s", value=reprlib.repr(value)))
            return None
        return tuple(str(item) for item in items)

    def number(self, key: str, *, least: float, most: float, whole: bool = False) -> float | None:
        """Return a number in the range, both ends included; 0 is excluded where `least` is 0."""
        value = self.any(key)
        if value is None:
            return None
        text = reprlib.repr(value)
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            why = Sentence("must be a number, not %(value)s", value=text)
            self.error(key, Sentence("must be a whole number, not %(value)s", value=text) if whole else why)
            return None
        assert isinstance(value, (int, float))
        if isinstance(value, float) and not math.isfinite(value):
            self.error(key, Sentence("must be a finite number, not %(value)s", value=text))
            return None
        if value < least or value > most or (value == 0 and least == 0):
            bounds = {"least": f"{least:g}", "most": f"{most:g}", "value": text}
            why = Sentence("must be at least %(least)s and at most %(most)s, not %(value)s", **bounds)
            if least == 0:
                why = Sentence("must be more than 0 and at most %(most)s, not %(value)s", most=f"{most:g}", value=text)
            self.error(key, why)
            return None
        return float(value)

    def flag(self, key: str) -> bool | None:
        value = self.any(key)
        if value is None or isinstance(value, bool):
            return value
        self.error(key, Sentence("must be true or false, not %(value)s", value=reprlib.repr(value)))
        return None

    def section(self, key: str) -> "Keys":
        """Return the mapping under the key; an empty one when it is missing."""
        value = self.any(key)
        if value is not None and not isinstance(value, dict):
            self.error(key, Sentence("must hold keys and values, not %(value)s", value=reprlib.repr(value)))
            value = None
        return self.like_section(key, value or {})

    def like_section(self, key: str, data: Mapping[Any, object]) -> "Keys":
        """Return a section with these values instead of those under the key, which messages name."""
        values = {str(name): value for name, value in data.items()}
        return Keys(values, self._file, self._report, f"{self._prefix}{key}.")

    def items(self, key: str) -> "list[Keys | str]":
        """Return the entries of a list: mappings as Keys, everything else as text. Other values are errors."""
        value = self.any(key)
        entries: list[Keys | str] = []
        for item in value if isinstance(value, list) else []:
            if isinstance(item, dict):
                entries.append(self.like_section(key, item))
            elif isinstance(item, bool) or not isinstance(item, (str, int, float)):
                text = reprlib.repr(value)
                self.error(key, Sentence("must be a list of texts, or of keys and values, not %(value)s", value=text))
            else:
                entries.append(str(item).strip())
        return entries

    def names(self) -> tuple[str, ...]:
        return tuple(self._data)

    def error(self, key: str, why: Sentence) -> None:
        self._report.error(self._file, self._prefix + key, why)

    def warn(self, key: str, why: Sentence) -> None:
        self._report.warn(self._file, self._prefix + key, why)

    def finish(self, also_known: tuple[str, ...] = ()) -> None:
        """Report every key that was not read and is not in `also_known`."""
        keys = {*self._asked, *also_known}
        for key in self._data:
            if key not in keys:
                close = difflib.get_close_matches(key, sorted(keys), n=1, cutoff=0.75)
                why = Sentence("is not a key of this format")
                if close:
                    why = Sentence("is not a key of this format; did you mean %(key)s?", key=close[0])
                self._report.notice(self._file, self._prefix + key[:60], why)
