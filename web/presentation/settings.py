"""A problem's settings in words."""

from typing import Any

from problems.models import ProblemVersion, ScorePolicy
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
}


def in_words(name: str, value: Any) -> str:
    """The value of one setting: "2 s", "256 MiB", "1 core"."""
    if name == "time_limit_ms":
        return limit(value)
    if name.endswith("_bytes"):
        return data_size(value)
    if name == "score_policy":
        return str(ScorePolicy(value).label)
    if name in ("write_calls", "read_calls"):
        return f"at most {count(value)}" if value else "any number"
    if name == "write_factor":
        return f"at most {value:g} times the reference" if value else "any number"
    if name == "processes":
        return counted(value, "process", "processes")
    return counted(value, "core") if name == "cores" else str(value)


def chosen_in_words(version: ProblemVersion) -> list[str]:
    """What of a version's settings its instructor chose: ["time limit 3 s"]."""
    return [f"{NAMES[name]} {in_words(name, value)}" for name, value in version.chosen_settings.items()]
