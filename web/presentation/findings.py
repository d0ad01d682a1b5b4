"""The judge's findings for people: the sentence with its code marked, what else it rests on as facts, the lines."""

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from judge import words
from web.presentation.units import count, data_size, duration, percent, significant
from web.presentation.visible import with_code

_LONG_NUMBER = re.compile(r"(?<![\d.])\d{1,3}(?:,\d{3})+(?![\d.]*\d)")
_ORDER = ("cpu_time_us", "user_time_us", "system_time_us", "kernel_percent", "wall_time_us")
_SAID_ABOVE = frozenset(
    {"verdict", "accepted", "test_cases", "test_case", "construct", "score", "groups", "weight_percent"}
)
_LABELS = {
    "cpu_time_us": "CPU time",
    "kernel_percent": "share of the kernel",
    "own_percent": "share of your own code",
    "read_bytes": "read",
    "write_bytes": "written",
    "stdout_bytes": "on stdout",
    "stderr_bytes": "on stderr",
    "voluntary_switches": "switches, own",
    "involuntary_switches": "switches, forced",
    "interactor_cpu_time_us": "CPU time of the judge's side",
}
_SHOWN_LINES = 8

_BY_SUFFIX: Mapping[str, Callable[[float], str]] = {
    "_us": duration,
    "_ms": lambda milliseconds: duration(milliseconds * 1_000),
    "_bytes": data_size,
    "_share": percent,
    "_percent": lambda number: percent(number / 100),
}
_IN_A_SENTENCE: Mapping[str, Callable[[float], str]] = {  # as the rules of `judge.explain` write them
    "_us": words.duration,
    "_bytes": words.size,
    "_percent": lambda number: f"{number:g} %",
}
_NO_UNIT = r"(?! (?:%|(?:ms|s|bytes?|[KMG]iB)\b))"
_UNITS_THAT_ARE_NO_WORDS = ("_us", "_ms", "_bytes", "_percent")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """One measured thing that a finding rests on and that its sentence does not tell."""

    label: str
    value: str


@dataclass(frozen=True, kw_only=True, slots=True)
class FindingView:
    """One finding. `lines` are line numbers of the source; no advice is an empty one."""

    code: str
    html: SafeString
    advice: SafeString
    facts: tuple[Fact, ...]
    lines: tuple[int, ...]


def finding_views(explanation: Sequence[Mapping[str, Any]], exact_cases: Container[str]) -> list[FindingView]:
    """The findings as `judge.records` stored them: `[{"code", "text", "evidence", "lines", "advice"}]`.

    Older rows are without the last two: their advice is in the text, and the lines are in the evidence.

    What is said of another case than `exact_cases` is rounded to three digits, like its row (`measures`).
    """
    return [_view(finding, finding["evidence"].get("test_case", "") in exact_cases) for finding in explanation]


def _view(finding: Mapping[str, Any], is_exact: bool) -> FindingView:
    text, evidence = str(finding["text"]), finding["evidence"]
    names = sorted(evidence, key=lambda name: _ORDER.index(name) if name in _ORDER else len(_ORDER))
    shown = [name for name in names if name not in _SAID_ABOVE and not isinstance(evidence[name], list | dict)]
    shown = [name for name in shown if not _is_told(text, name, evidence[name])]
    return FindingView(
        code=str(finding["code"]),
        html=with_code(text if is_exact else _LONG_NUMBER.sub(_rounded, text)),
        advice=with_code(str(finding.get("advice", ""))),
        facts=tuple(_fact(name, evidence[name], is_exact) for name in shown),
        lines=_lines(finding.get("lines") or evidence.get("lines")),
    )


def _is_told(text: str, name: str, value: object) -> bool:
    """Whether the sentence has this number, as a number of its kind."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    worded = next((write for suffix, write in _IN_A_SENTENCE.items() if name.endswith(suffix)), None)
    if name.startswith("bytes_per_"):
        worded = words.size
    if worded is None:
        number = re.escape(f"{value:,}") + r"(?![.,]?\d)" + _NO_UNIT
    else:
        number = re.escape(worded(value)) + r"(?!\w)"
    return re.search(r"(?<![\w.,/-])" + number, text) is not None


def _rounded(number: re.Match[str]) -> str:
    return count(significant(int(number.group().replace(",", ""))))


def _lines(numbers: object) -> tuple[int, ...]:
    if not isinstance(numbers, list):
        return ()
    return tuple(number for number in numbers if isinstance(number, int))[:_SHOWN_LINES]


def _fact(name: str, value: object, is_exact: bool) -> Fact:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return Fact(label=_label(name), value=str(value))
    for suffix, worded in _BY_SUFFIX.items():
        if name.endswith(suffix):
            return Fact(label=_label(name), value=worded(value))
    if name.startswith("bytes_per_"):
        return Fact(label=_label(name), value=data_size(value))
    return Fact(
        label=_label(name),
        value=count(value if is_exact else significant(value)) if value == int(value) else f"{value:,.2f}",
    )


def _label(name: str) -> str:
    if name in _LABELS:
        return _LABELS[name]
    for suffix in _UNITS_THAT_ARE_NO_WORDS:
        name = name.removesuffix(suffix)
    return name.replace("_", " ")
