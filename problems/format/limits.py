"""The limits of problem.yaml, in bytes and milliseconds, and the rule that computes a missing time limit.

Source: "Limits" of the package format, legacy and 2025-09. DOMjudge and others also write `time_limit` and
`validation_passes` into legacy packages.
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from problems.format.files import MIB
from problems.format.typed_mapping import Keys
from problems.package import ProblemLimits, TimeRule
from problems.translation import Sentence

KIB = 1024
SECOND_MS = 1_000
MOST_TIME_LIMIT_S = 300
MOST_PASSES = 100
_MOST_MULTIPLIER = 1_000
_OLDER_KEYS = {"ac_to_time_limit": "time_multiplier", "time_limit_to_tle": "time_safety_margin"}
LEGACY_RULE = TimeRule(ac_to_time_limit=5.0, time_limit_to_tle=2.0)  # "Limits" of the legacy format
_LIMITS = (  # key, field of ProblemLimits, unit, largest value that Tally takes
    ("memory", "memory_bytes", MIB, 65_536),
    ("output", "output_bytes", MIB, 1_024),
    ("code", "code_bytes", KIB, 16_384),
    ("compilation_time", "compile_time_ms", SECOND_MS, 600),
    ("compilation_memory", "compile_memory_bytes", MIB, 65_536),
    ("validation_time", "validation_time_ms", SECOND_MS, 600),
    ("validation_memory", "validation_memory_bytes", MIB, 65_536),
    ("validation_output", "validation_output_bytes", MIB, 1_024),
)

# Tally's own keys, of the same names in ProblemLimits: what a test case may make of read and write calls. There is one
# more, `exact_numbers`: whether everybody sees the numbers of secret cases as they are
_CALLS = (("write_calls", 10**9), ("read_calls", 10**9), ("write_factor", 1_000))


@dataclass(frozen=True, kw_only=True, slots=True)
class LimitsYaml:
    """The section `limits`. `limits` are complete but for the time limit; None: not given."""

    limits: ProblemLimits
    time_limit_ms: int | None
    time_rule: TimeRule
    most_passes: int | None


def read_limits(keys: Keys, *, is_strict: bool, has_older_keys: bool, usual: TimeRule) -> LimitsYaml:
    """Read the section. `is_strict` accepts whole numbers only; `has_older_keys`: of the legacy format.

    `usual` holds where the section says nothing of how a time limit is found.
    """
    limits = keys.section("limits")
    resolution_s = limits.number("time_resolution", least=0, most=MOST_TIME_LIMIT_S)
    rule = _time_rule(limits, resolution_s, usual, has_older_keys=has_older_keys)
    seconds = limits.number("time_limit", least=0, most=MOST_TIME_LIMIT_S)
    step_s = resolution_s or (1.0 if is_strict else None)
    if seconds and step_s and not math.isclose(seconds / step_s, round(seconds / step_s), abs_tol=1e-9):
        values = {"seconds": f"{seconds:g}", "resolution": f"{step_s:g}"}
        why = Sentence("%(seconds)s s is not a multiple of time_resolution (%(resolution)s s)", **values)
        limits.error("time_limit", why)
    passes = limits.number("validation_passes", least=2, most=MOST_PASSES, whole=True)
    fields: dict[str, Any] = {}
    for key, name, unit, most in _LIMITS:
        value = limits.number(key, least=0, most=most, whole=is_strict)
        if value is not None:
            fields[name] = max(1, round(value * unit))
    for key, most in _CALLS:
        calls = limits.number(key, least=0, most=most, whole=key != "write_factor")
        if calls is not None:
            fields[key] = calls if key == "write_factor" else int(calls)
    is_open = limits.flag("exact_numbers")
    if is_open is not None:
        fields["exact_numbers"] = is_open
    limits.finish()
    return LimitsYaml(
        limits=ProblemLimits(**fields),
        time_limit_ms=max(1, round(seconds * SECOND_MS)) if seconds else None,
        time_rule=rule,
        most_passes=int(passes) if passes else None,
    )


def _time_rule(limits: Keys, resolution_s: float | None, usual: TimeRule, *, has_older_keys: bool) -> TimeRule:
    is_mistyped = has_older_keys and not isinstance(limits.any("time_multipliers"), dict | None)
    if is_mistyped:
        limits.warn("time_multipliers", Sentence("is not a key of this format; did you mean time_multiplier?"))
    multipliers = limits.section("" if is_mistyped else "time_multipliers")
    factors = {key: multipliers.number(key, least=1, most=_MOST_MULTIPLIER) for key in _OLDER_KEYS}
    multipliers.finish()
    if has_older_keys:
        older = {key: limits.number(old, least=0, most=_MOST_MULTIPLIER) for key, old in _OLDER_KEYS.items()}
        factors = {key: value or older[key] for key, value in factors.items()}
    fields: dict[str, Any] = {key: value for key, value in factors.items() if value is not None}
    if resolution_s is not None:
        fields["resolution_ms"] = max(1, round(resolution_s * SECOND_MS))
    return replace(usual, **fields)
