"""problem.yaml as typed values, of the legacy and the 2025-09 format. Units are converted here and nowhere else.

Source: "Problem metadata" in the ICPC/Kattis problem package format, legacy and 2025-09; DOMjudge's dialect for
`limits.time_limit` in legacy packages, `.timelimit` and `domjudge-problem.ini`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from problems.keys import Keys
from problems.package import ProblemLimits
from problems.report import Report

KIB = 1024
MIB = 1024 * 1024
SECOND_MS = 1_000
MOST_TIME_LIMIT_S = 300

STRICT_VERSION = "2025-09"
_LEGACY_VERSIONS = ("legacy", "legacy-icpc")
_DRAFT_VERSIONS = ("2023-07-draft", "2023-07", "draft")
_TYPES = ("pass-fail", "scoring", "multi-pass", "interactive", "submit-answer")
_LICENSES = ("unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?")
_LEGACY_KEY = (
    "belongs to the legacy format: in this one the folder output_validator/ is the checker, and flags stand in "
    "data/sample/test_group.yaml and data/secret/test_group.yaml as output_validator_args"
)

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


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemYaml:
    """What problem.yaml says. `names` is by language ("en"); `limits` are whole but for the time limit."""

    is_legacy: bool
    names: Mapping[str, str]
    is_custom: bool  # legacy: validation is custom; 2025-09 has no such key, the folder decides
    validator_flags: tuple[str, ...]
    time_limit_ms: int | None  # None: problem.yaml does not say
    is_interactive: bool = False
    limits: ProblemLimits = field(default_factory=ProblemLimits)
    source: str = ""


def read_problem_yaml(data: dict[str, object], report: Report, file: str = "problem.yaml") -> ProblemYaml:
    """Return the values of problem.yaml; what is wrong goes into the report, which also learns how strict to be."""
    keys = Keys(data, file, report)
    version = keys.text("problem_format_version") or "legacy"
    report.is_strict = version == STRICT_VERSION
    if version not in (STRICT_VERSION, *_LEGACY_VERSIONS, *_DRAFT_VERSIONS):
        keys.error("problem_format_version", f"is {version!r}; Tally reads legacy, legacy-icpc and 2025-09")
    is_legacy = version in _LEGACY_VERSIONS
    values = _read_legacy(keys) if is_legacy else _read_new(keys)
    keys.finish()
    return values


def _read_legacy(keys: Keys) -> ProblemYaml:
    _check_identity(keys)
    if "interactive" in _read_types(keys):
        keys.error("type", "interactive is of the format 2025-09: here, write validation: custom interactive")
    is_custom, is_interactive = _read_validation(keys)
    for key in ("author", "source_url", "keywords", "languages"):
        keys.words(key)
    keys.section("grading").finish(("objective", "show_test_data_groups", "accept_score", "reject_score", "range"))
    name = keys.text("name")
    limits = keys.section("limits")
    for key in ("time_multiplier", "time_safety_margin"):
        limits.number(key, least=0, most=1_000)
    time_limit_ms = _time_limit(limits)
    return ProblemYaml(
        is_legacy=True,
        names={"en": name} if name else {},
        is_custom=is_custom,
        is_interactive=is_interactive,
        validator_flags=keys.words("validator_flags") or (),
        time_limit_ms=time_limit_ms,
        limits=_limits(limits, whole=False),
        source=keys.text("source") or "",
    )


def _read_new(keys: Keys) -> ProblemYaml:
    _check_identity(keys)
    types = _read_types(keys)
    for key in ("validation", "validator_flags"):
        if keys.has(key):
            keys.error(key, _LEGACY_KEY)
    if not keys.has("uuid"):
        keys.warn("uuid", "is missing: the 2025-09 format asks for one")
    keys.any("credits")
    for key in ("version", "embargo_until"):
        keys.any(key)
    keys.words("keywords")
    keys.flag("allow_file_writing")
    languages = keys.words("languages")
    if languages and languages != ("all",):
        keys.warn("languages", "is not enforced yet: every language of this server may be used")
    if keys.section("constants").names():
        keys.error("constants", "are not supported yet")
    limits = keys.section("limits")
    multipliers = limits.section("time_multipliers")
    for key in ("ac_to_time_limit", "time_limit_to_tle"):
        multipliers.number(key, least=1, most=1_000)
    multipliers.finish()
    if limits.has("validation_passes"):
        limits.error("validation_passes", "multi-pass problems are not supported yet")
    return ProblemYaml(
        is_legacy=False,
        names=_names(keys),
        is_custom=False,
        is_interactive="interactive" in types,
        validator_flags=(),
        time_limit_ms=_time_limit(limits, limits.number("time_resolution", least=0, most=MOST_TIME_LIMIT_S) or 1.0),
        limits=_limits(limits, whole=True),
        source=_source(keys),
    )


def _check_identity(keys: Keys) -> None:
    """The keys that both versions have and that judging does not use."""
    keys.text("uuid")
    keys.text("rights_owner")
    license_name = keys.text("license")
    if license_name is not None and license_name not in _LICENSES:
        keys.warn("license", f"{license_name[:60]!r} is none of {', '.join(_LICENSES)}")


def _read_types(keys: Keys) -> tuple[str, ...]:
    types = keys.words("type") or ("pass-fail",)
    for kind in types:
        if kind not in _TYPES:
            keys.error("type", f"{kind[:60]!r} is none of {', '.join(_TYPES)}")
        elif kind in ("multi-pass", "submit-answer"):
            keys.error("type", f"{kind} problems are not supported yet")
    if "scoring" in types and "pass-fail" in types:
        keys.error("type", "cannot be both pass-fail and scoring")
    if "scoring" in types:
        keys.warn("type", "scoring is judged as pass-fail for now: accepted means every test case, no scores are given")
    return types


def _read_validation(keys: Keys) -> tuple[bool, bool]:
    """Whether the package brings its own output validator, and whether that is an interactor."""
    words = keys.words("validation") or ("default",)
    if words[0] not in ("default", "custom"):
        keys.error("validation", f"must begin with default or custom, not {words[0][:60]!r}")
    for word in words[1:]:
        if word in ("multi-pass", "score"):
            keys.error("validation", f"{word} validators are not supported yet")
        elif word != "interactive":
            keys.error("validation", f"{word[:60]!r} is not known")
        elif words[0] != "custom":
            keys.error("validation", "interactive needs a validator of the package: write custom interactive")
    return words[0] == "custom", "interactive" in words[1:]


def _names(keys: Keys) -> dict[str, str]:
    if not isinstance(keys.any("name"), dict):
        name = keys.text("name")
        if not name:
            keys.error("name", "is missing: every problem has a name")
        return {"en": name} if name else {}
    section = keys.section("name")
    names = {}
    for language in section.names():
        if not _LANGUAGE.fullmatch(language):
            section.error(language[:20], "is not a language code such as en or pt-BR")
        elif text := section.text(language):
            names[language] = text
    return names


def _source(keys: Keys) -> str:
    value = keys.any("source")
    entries = value if isinstance(value, list) else [value]
    names = [entry.get("name") if isinstance(entry, dict) else entry for entry in entries]
    if any(name is not None and not isinstance(name, (str, int, float)) for name in names):
        keys.error("source", "must be text, or have a name")
        return ""
    return ", ".join(str(name) for name in names if name is not None)


def _time_limit(limits: Keys, resolution_s: float | None = None) -> int | None:
    seconds = limits.number("time_limit", least=0, most=MOST_TIME_LIMIT_S)
    if seconds is None:
        return None
    if resolution_s and not math.isclose(seconds / resolution_s, round(seconds / resolution_s), abs_tol=1e-9):
        limits.error("time_limit", f"{seconds:g} s is not a multiple of time_resolution ({resolution_s:g} s)")
    return max(1, round(seconds * SECOND_MS))


def _limits(limits: Keys, *, whole: bool) -> ProblemLimits:
    values: dict[str, Any] = {}
    for key, name, unit, most in _LIMITS:
        value = limits.number(key, least=0, most=most, whole=whole)
        if value is not None:
            values[name] = max(1, round(value * unit))
    limits.finish()
    return ProblemLimits(**values)


def seconds_to_ms(text: str) -> int | None:
    """The milliseconds of a time limit written as seconds ("2" or "0.5"); None if it is no fit number."""
    text = text.strip()
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{0,9})?", text, re.ASCII):
        return None
    seconds = float(text)
    return max(1, round(seconds * SECOND_MS)) if 0 < seconds <= MOST_TIME_LIMIT_S else None


_INI_LINE = re.compile(r"^[ \t]*([A-Za-z_-]+)[ \t]*=[ \t]*(?:'([^']*)'|\"([^\"]*)\"|([^;#\n]*))", re.MULTILINE)


def read_domjudge_ini(text: str) -> dict[str, str]:
    """The keys and values of a domjudge-problem.ini; Tally uses `name` and `timelimit` (seconds)."""
    return {key: (single or double or plain).strip() for key, single, double, plain in _INI_LINE.findall(text)}
