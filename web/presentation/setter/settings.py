"""A problem's settings in words."""

from typing import Any

from problems.models import ProblemVersion, ScoreDialect, ScorePolicy
from web.presentation.units import count, counted, data_size, limit

NAMES = {
    "time_limit_ms": "time limit",
    "memory_bytes": "memory",
    "output_bytes": "output",
    "code_bytes": "source",
    "processes": "processes",
    "cores": "cores",
    "stdout": "stdout",
    "write_calls": "write calls",
    "read_calls": "read calls",
    "write_factor": "write calls",
    "score_policy": "points",
    "score_dialect": "points",
    "exact_numbers": "numbers of secret cases",
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
        return str(ScoreDialect(value).label) if value else "the same in all dialects"
    if name == "exact_numbers":
        return "exact for everybody: the problem is open" if value else "rounded for contestants"
    if name in ("write_calls", "read_calls"):
        return f"at most {count(value)}" if value else "any number"
    if name == "write_factor":
        return f"at most {value:g} times the reference" if value else "any number"
    if name == "processes":
        return counted(value, "process", "processes")
    return counted(value, "core") if name == "cores" else str(value)


def chosen_in_words(version: ProblemVersion) -> list[str]:
    """Describe the settings of a version that its instructor chose: ["time limit 3 s"]."""
    return [f"{NAMES[name]} {in_words(name, value)}" for name, value in version.chosen_settings.items()]
