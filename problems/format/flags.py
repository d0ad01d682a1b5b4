"""The default output validator's flags as a value.

Source: "Default output validator" in the ICPC/Kattis problem package format, legacy and 2025-09.
"""

import math
import re
from dataclasses import dataclass

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
    switches = dict.fromkeys(_SWITCHES, False)
    tolerances: dict[str, float] = {}
    words = iter(flags)
    for word in words:
        if word in _SWITCHES:
            switches[word] = True
        elif word in _TOLERANCES:
            tolerance = _tolerance(word, next(words, None), file, key)
            tolerances.update(dict.fromkeys(_TOLERANCES[word], tolerance))
        else:
            flags_known = ", ".join((*_SWITCHES, *_TOLERANCES))
            raise PackageError(
                file,
                key,
                Sentence("unknown flag %(word)r; the default validator knows %(known)s", word=word, known=flags_known),
            )
    return ValidatorFlags(
        case_sensitive=switches["case_sensitive"],
        space_change_sensitive=switches["space_change_sensitive"],
        float_absolute_tolerance=tolerances.get("float_absolute_tolerance"),
        float_relative_tolerance=tolerances.get("float_relative_tolerance"),
    )


def _tolerance(flag: str, text: str | None, file: str, key: str) -> float:
    if text is None:
        raise PackageError(file, key, Sentence("%(flag)s needs a number after it, such as %(flag)s 1e-6", flag=flag))
    value = float(text) if _NUMBER.fullmatch(text) else math.inf
    if math.isinf(value):
        raise PackageError(
            file, key, Sentence("%(flag)s needs a number from 0 up after it, not %(text)r", flag=flag, text=text[:40])
        )
    return value
