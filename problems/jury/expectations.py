"""Expected results of jury submissions: submissions.yaml, and the folders of submissions/ in the format 2025-09.

Source: "Example submissions", "Timelimit inference" and "Glob patterns" of the package format 2025-09. Its RTE is every
failure but a wrong answer and the time limit, so here also the memory and the output limit.

Patterns of submissions.yaml: `*` within one name, `{a,b}` for alternatives, a folder for its whole content. They come
from strangers, and a regular expression with many stars would take for ever, so they are matched by hand.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product
from pathlib import Path

from problems.diagnostics import Report
from problems.format.problemyaml import persons
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_yaml
from problems.languages import language_of_code
from problems.package import Expectation, PackageError
from problems.translation import Sentence

MOST_ALTERNATIVES = 1_000
_BRACES = re.compile(r"\{([^{}]*)\}")


class TooManyAlternatives(ValueError):
    """The braces of a pattern multiply into more than MOST_ALTERNATIVES patterns."""


def matches(pattern: str, name: str) -> bool:
    """Return whether the pattern fits the name ("secret/1-easy") or a folder above it. Raises TooManyAlternatives."""
    parts = name.split("/")
    return any(
        len(names) <= len(parts)
        and all(_fits(pattern_of_name, part) for pattern_of_name, part in zip(names, parts, strict=False))
        for names in _alternatives(pattern)
    )


@lru_cache(maxsize=MOST_ALTERNATIVES)
def _alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Expand the braces and split each alternative at the slashes, without surrounding space."""
    pieces = _BRACES.split(pattern.removesuffix("/"))
    choices = [
        [word.strip() for word in piece.split(",")] if place % 2 else [piece] for place, piece in enumerate(pieces)
    ]
    if math.prod(map(len, choices)) > MOST_ALTERNATIVES:
        raise TooManyAlternatives(f"means more than {MOST_ALTERNATIVES:,} patterns")
    return tuple(tuple("".join(words).split("/")) for words in product(*choices))


def _fits(pattern: str, text: str) -> bool:
    """Return whether the pattern matches the text; each star takes as little as possible."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    last = rest.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for piece in rest:
        position = text.find(piece, place, end)
        if position < 0:
            return False
        place = position + len(piece)
    return True


FILE = "submissions/submissions.yaml"
_MEANING = {name: frozenset({name}) for name in ("AC", "WA", "TLE")}
# as Kattis, which has no verdicts of their own for such limits
_MEANING["RTE"] = frozenset({"RE", "MLE", "OLE", "SLE"})
ALL = frozenset().union(*_MEANING.values())
_DEFAULTS: dict[str, tuple[str, str]] = {  # folder -> permitted, required; "": all
    "accepted": ("AC", ""),
    "rejected": ("", "WA TLE RTE"),
    "wrong_answer": ("AC WA", "WA"),
    "time_limit_exceeded": ("AC TLE", "TLE"),
    "run_time_error": ("AC RTE", "RTE"),
    "brute_force": ("AC TLE RTE", "TLE RTE"),
}
LOWER, UPPER = "lower", "upper"


@dataclass(frozen=True, kw_only=True, slots=True)
class Expected:
    """The expectation for one submission. `verdicts`: those that it may get as a whole."""

    verdicts: frozenset[str]
    expectations: tuple[Expectation, ...]
    time_limit_bound: str
    language: str = ""  # a code of the format; "": by the files' endings
    entry: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    """One pattern of submissions with its expectation."""

    pattern: str
    expectations: tuple[Expectation, ...]
    language: str = ""
    entry: str = ""


@dataclass(kw_only=True, slots=True)
class Expectations:
    """All entries; an entry of submissions.yaml replaces the format's own for the same folder."""

    entries: dict[str, _Entry] = field(default_factory=dict)

    def of(self, name: str) -> Expected | None:
        """Return the expectation for the submission ("accepted/fast.cpp"); None if no entry matches."""
        matching = [entry for entry in self.entries.values() if matches(entry.pattern, name)]
        if not matching:
            return None
        expectations = [expectation for entry in matching for expectation in entry.expectations]
        verdicts = ALL  # for the whole submission: something permitted, and not AC if a part must fail
        for expectation in expectations:
            if expectation.permitted and not expectation.cases:
                verdicts &= expectation.permitted
            if expectation.required and "AC" not in expectation.required:
                verdicts -= {"AC"}
        claims = (expectation for expectation in expectations if expectation != Expectation(cases=expectation.cases))
        bounds = {expectation.time_limit_bound for expectation in expectations}
        return Expected(
            verdicts=verdicts,
            expectations=tuple(claims),
            time_limit_bound=UPPER if UPPER in bounds else LOWER if LOWER in bounds else "",
            language=next((entry.language for entry in matching if entry.language), ""),
            entry=next((entry.entry for entry in matching if entry.entry), ""),
        )


def read_expectations(files: Mapping[str, Path], report: Report, *, has_defaults: bool) -> Expectations:
    """Return the format's own entries (if `has_defaults`) and those of submissions.yaml."""
    expectations = Expectations()
    if has_defaults:
        for folder in _DEFAULTS:
            expectations.entries[folder] = _Entry(pattern=folder, expectations=(_default(folder),))
    if FILE not in files:
        return expectations
    try:
        data = read_yaml(files[FILE], FILE, report)
    except PackageError as error:
        report.add(error)
        return expectations
    keys, patterns = Keys(data, FILE, report), _Patterns()
    for pattern in keys.names():
        if patterns.take(keys, pattern):
            folder = pattern.removesuffix("/")
            expectations.entries[folder] = _read_entry(folder, keys.section(pattern), patterns)
    return expectations


def _default(folder: str) -> Expectation:
    permitted, required = (_meaning(words.split()) for words in _DEFAULTS.get(folder, ("", "")))
    return _with_bound(Expectation(permitted=permitted, required=required), None)


def _meaning(words: list[str]) -> frozenset[str]:
    return frozenset[str]().union(*(_MEANING[word] for word in words))


def _read_entry(folder: str, keys: Keys, patterns: "_Patterns") -> _Entry:
    language = keys.text("language") or ""
    entry = keys.text("entrypoint") or ""
    persons(keys, "authors")
    keys.flag("model_solution")
    expectations = [_read_expectation(keys, _default(folder), cases="")]
    for name in keys.names():
        if isinstance(keys.peek(name), dict):
            section = keys.section(name)
            if patterns.take(keys, name):
                expectations.append(_read_expectation(section, Expectation(), cases=name))
                section.finish()
    keys.finish()
    language_id = language_of_code(language) or language
    return _Entry(pattern=folder, expectations=tuple(expectations), language=language_id, entry=entry)


def _read_expectation(keys: Keys, default: Expectation, *, cases: str) -> Expectation:
    permitted, required = _read_verdicts(keys, "permitted"), _read_verdicts(keys, "required")
    expectation = Expectation(
        cases=cases,
        permitted=default.permitted if permitted is None else permitted,
        required=default.required if required is None else required,
        score=_read_score(keys),
        message=keys.text("message") or "",
    )
    if expectation.permitted and expectation.required and not expectation.permitted & expectation.required:
        keys.error("required", Sentence("asks for a verdict that is not permitted"))
    use = keys.any("use_for_time_limit")
    if use is None or isinstance(use, bool) or (isinstance(use, str) and use in (LOWER, UPPER)):
        return _with_bound(expectation, use)
    keys.error("use_for_time_limit", Sentence("must be true, false, %(lower)s or %(upper)s", lower=LOWER, upper=UPPER))
    return _with_bound(expectation, None)


def _read_verdicts(keys: Keys, key: str) -> frozenset[str] | None:
    """Return the verdicts; empty for all of them, which expects nothing. None: the key is missing."""
    words = keys.words(key)
    if words is None:
        return None
    for word in words:
        if word not in _MEANING:
            keys.error(key, Sentence("%(word)r is none of %(words)s", word=word[:40], words=", ".join(_MEANING)))
    meaning = _meaning([word for word in words if word in _MEANING])
    return frozenset() if meaning == ALL else meaning


def _read_score(keys: Keys) -> tuple[float, float] | None:
    words = keys.words("score")
    if not words:
        return None
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        numbers = []
    if len(numbers) not in (1, 2) or not numbers[0] <= numbers[-1]:
        keys.error("score", Sentence("must be a number, or the least and the most points"))
        return None
    return numbers[0], numbers[-1]


def _with_bound(expectation: Expectation, use: str | bool | None) -> Expectation:
    """Add the bound on the time limit: submissions that may not be too slow bound it from below, too slow ones from
    above.
    """
    if use == LOWER:
        return replace(expectation, permitted=(expectation.permitted or ALL) - {"TLE"}, time_limit_bound=LOWER)
    if use == UPPER:
        return replace(expectation, required=frozenset({"TLE"}), time_limit_bound=UPPER)
    if use is False:
        return expectation
    if expectation.required == {"TLE"}:
        return replace(expectation, time_limit_bound=UPPER)
    is_lower = bool(expectation.permitted) and "TLE" not in expectation.permitted
    return replace(expectation, time_limit_bound=LOWER if is_lower else "")


class _Patterns:
    """All patterns of the file, each tried on every name: together they may expand to MOST_ALTERNATIVES."""

    def __init__(self) -> None:
        self._left = MOST_ALTERNATIVES

    def take(self, keys: Keys, pattern: str) -> bool:
        if self._left < 0:
            return False
        try:
            self._left -= len(_alternatives(pattern))
        except TooManyAlternatives:
            keys.error(pattern[:60], Sentence("means more than %(most)s patterns", most=f"{MOST_ALTERNATIVES:,}"))
            return False
        if self._left < 0:
            most = f"{MOST_ALTERNATIVES:,}"
            why = Sentence("is one too many: the patterns of the file mean more than %(most)s", most=most)
            keys.error(pattern[:60], why)
        return self._left >= 0
