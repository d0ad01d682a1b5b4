"""A problem's settings in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop, ngettext

from problems.models import ProblemVersion, ScoreDialect, ScorePolicy
from web.presentation.experiments.texts import destination_name
from web.presentation.units import count, data_size, limit

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


def in_words(name: str, value: Any) -> str:
    """Describe the value of one setting: "2 s", "256 MiB", "1 core"."""
    if name == "time_limit_ms":
        return limit(value)
    if name.endswith("_bytes"):
        return data_size(value)
    if name == "score_policy":
        return str(ScorePolicy(value).label)
    if name == "score_dialect":
        return str(ScoreDialect(value).label) if value else _("the same in all dialects")
    if name == "exact_numbers":
        return str(EXACT_NUMBERS[bool(value)])
    if name in ("write_calls", "read_calls"):
        return _("at most %(number)s") % {"number": count(value)} if value else _("any number")
    if name == "write_factor":
        return _("at most %(factor)s times the reference") % {"factor": f"{value:g}"} if value else _("any number")
    if name == "stdout":
        return destination_name(value)
    if name == "processes":
        return ngettext("%(number)s process", "%(number)s processes", value) % {"number": count(value)}
    if name == "cores":
        return ngettext("%(number)s core", "%(number)s cores", value) % {"number": count(value)}
    return str(value)


def chosen_in_words(version: ProblemVersion) -> list[str]:
    """Describe the settings of a version that its instructor chose: ["time limit 3 s"]."""
    return [_(_CHOSEN[name]) % {"value": in_words(name, value)} for name, value in version.chosen_settings.items()]
