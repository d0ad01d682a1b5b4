"""A problem's settings in words, and what the last verification report says of its time limit."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy, gettext_noop, ngettext

from judge.uploads.time_limits import LEAST_FACTOR, Doubt, Needs
from problems.models import ProblemVersion, ScoreDialect, ScorePolicy
from web.presentation.experiments.texts import destination_name
from web.presentation.units import count, data_size, duration, limit

_CHOSEN: Mapping[str, str] = {
    "time_limit_ms": gettext_noop("time limit %(value)s"),
    "memory_bytes": gettext_noop("memory %(value)s"),
    "output_bytes": gettext_noop("output %(value)s"),
    "code_bytes": gettext_noop("source %(value)s"),
    "processes": gettext_noop("processes %(value)s"),
    "cores": gettext_noop("cores %(value)s"),
    "stdout": gettext_noop("stdout %(value)s"),
    "write_calls": gettext_noop("write calls %(value)s"),
    "read_calls": gettext_noop("read calls %(value)s"),
    "write_factor": gettext_noop("write calls %(value)s"),
    "score_policy": gettext_noop("points %(value)s"),
    "score_dialect": gettext_noop("points %(value)s"),
    "exact_numbers": gettext_noop("numbers of secret cases %(value)s"),
}
EXACT_NUMBERS = {  # by the setting's value
    False: gettext_lazy("rounded for contestants"),
    True: gettext_lazy("exact for everybody: the problem is open"),
}


def _most_calls(value: int | None) -> str:
    return _("at most %(number)s") % {"number": count(value)} if value else _("any number")


_IN_WORDS: Mapping[str, Callable[[Any], str]] = {
    "time_limit_ms": limit,
    "memory_bytes": data_size,
    "output_bytes": data_size,
    "code_bytes": data_size,
    "write_calls": _most_calls,
    "read_calls": _most_calls,
    "stdout": destination_name,
    "write_factor": lambda value: (
        _("at most %(factor)s times the reference") % {"factor": f"{value:g}"} if value else _("any number")
    ),
    "score_policy": lambda value: str(ScorePolicy(value).label),
    "score_dialect": lambda value: str(ScoreDialect(value).label) if value else _("the same in all dialects"),
    "exact_numbers": lambda value: str(EXACT_NUMBERS[bool(value)]),
    "processes": lambda value: ngettext("%(number)s process", "%(number)s processes", value) % {"number": count(value)},
    "cores": lambda value: ngettext("%(number)s core", "%(number)s cores", value) % {"number": count(value)},
}


def in_words(name: str, value: Any) -> str:
    """Describe the value of one setting: "2 s", "256 MiB", "1 core"."""
    return _IN_WORDS.get(name, str)(value)


def chosen_in_words(version: ProblemVersion) -> list[str]:
    """Describe the settings of a version that its instructor chose: ["time limit 3 s"]."""
    return [_(_CHOSEN[name]) % {"value": in_words(name, value)} for name, value in version.chosen_settings.items()]


def needs_in_words(needs: Needs) -> str:
    """Return what the jury's submissions needed when they were run last; "" where nothing is known."""
    near, far = needs.slowest_in_time, needs.fastest_too_slow
    parts = []
    if near:
        words = _("By the last report %(submission)s, the slowest that must be in time, needs %(time)s.")
        parts.append(words % {"submission": near.name, "time": duration(near.cpu_time_us)})
    if far:
        words = _("%(submission)s, the fastest that must be too slow, needs %(time)s or more.")
        parts.append(words % {"submission": far.name, "time": duration(far.cpu_time_us)})
    return " ".join(parts)


def doubts_in_words(needs: Needs, limit_ms: int) -> list[str]:
    """Return why this limit may be a slip, with the numbers of the last report."""
    far, near = needs.fastest_too_slow, _numbers(needs, limit_ms)
    sentences = []
    for doubt in needs.doubts(limit_ms):
        numbers = near
        if doubt is Doubt.TOO_SHORT:
            words = _(
                "%(submission)s must be in time and needs %(time)s: with a limit of %(limit)s it would be too slow."
            )
        elif doubt is Doubt.TOO_LONG and far:
            words = _(
                "%(submission)s must be too slow and was stopped after %(time)s: with a limit of %(limit)s it may pass."
            )
            numbers = near | {"submission": far.name, "time": duration(far.cpu_time_us)}
        elif needs.slowest_in_time is None:
            words = _("%(limit)s is very long, and no report says what the jury's submissions need.")
        else:
            words = _("%(limit)s is very long: %(submission)s, the slowest that must be in time, needs %(time)s.")
        sentences.append(words % numbers)
    return sentences


def warning_in_words(needs: Needs, limit_ms: int) -> str:
    """Return the warning that a limit in force leaves too little room; "" where it does not."""
    near = needs.slowest_in_time
    if near is None or not needs.is_close(limit_ms):
        return ""
    words = _("%(submission)s needs %(time)s of %(limit)s: the limit should be %(factor)s times what it needs.")
    return words % {**_numbers(needs, limit_ms), "factor": LEAST_FACTOR}


def _numbers(needs: Needs, limit_ms: int) -> dict[str, str]:
    near = needs.slowest_in_time
    of_near = {"submission": near.name, "time": duration(near.cpu_time_us)} if near else {}
    return {"submission": "", "time": "", **of_near, "limit": limit(limit_ms)}
