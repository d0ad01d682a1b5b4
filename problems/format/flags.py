"""The default output validator's flags as a value.

Source: "Default output validator" in the ICPC/Kattis problem package format, legacy and 2025-09.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

from problems.package import PackageError
from problems.translation import Sentence

_NUMBER = re.compile(r"\+?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,4})?", re.ASCII)


@dataclass(frozen=True, kw_only=True, slots=True)
class ValidatorFlags:
    """The default validator's comparison. A tolerance of None is not set; with any tolerance, tokens may be floats."""

    case_sensitive: bool = False
    space_change_sensitive: bool = False
    float_absolute_tolerance: float | None = None
    float_relative_tolerance: float | None = None

    @property
    def compares_floats(self) -> bool:
        """Return whether a token whose answer is a float is compared as a number."""
        return self.float_absolute_tolerance is not None or self.float_relative_tolerance is not None


_TOLERANCES = {
    "float_absolute_tolerance": ("float_absolute_tolerance",),
    "float_relative_tolerance": ("float_relative_tolerance",),
    "float_tolerance": ("float_absolute_tolerance", "float_relative_tolerance"),
}
_SWITCHES = ("case_sensitive", "space_change_sensitive")


def parse_flags(flags: tuple[str, ...], *, file: str = "problem.yaml", key: str = "validator_flags") -> ValidatorFlags:
    """Return the flags as a value; the last of repeated flags counts.

    Raises PackageError, naming `file` and `key`, for an unknown flag and for a missing or unfit number.
    """
    values: dict[str, Any] = {}
    words = iter(flags)
    for word in words:
        if word in _SWITCHES:
            values[word] = True
        elif word in _TOLERANCES:
            text = next(words, None)
            if text is None:
                why = Sentence("%(flag)s needs a number after it, such as %(flag)s 1e-6", flag=word)
                raise PackageError(file, key, why)
            tolerance = float(text) if _NUMBER.fullmatch(text) else math.inf
            if math.isinf(tolerance):
                why = Sentence("%(flag)s needs a number from 0 up after it, not %(text)r", flag=word, text=text[:40])
                raise PackageError(file, key, why)
            values.update(dict.fromkeys(_TOLERANCES[word], tolerance))
        else:
            known = ", ".join((*_SWITCHES, *_TOLERANCES))
            why = Sentence("unknown flag %(word)r; the default validator knows %(known)s", word=word, known=known)
            raise PackageError(file, key, why)
    return ValidatorFlags(**values)
