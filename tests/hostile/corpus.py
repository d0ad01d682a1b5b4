"""The manifest as values: which cases there are, what is expected of each, and which of them a run takes."""

import os
import re
import tomllib
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from judge.verdicts import Verdict
from problems.package import ProblemLimits
from sandbox.types import MIB

FOLDER = Path(__file__).parent
_MANIFEST: dict[str, Any] = tomllib.loads((FOLDER / "manifest.toml").read_text("utf-8"))
_ALWAYS = {"control", "exit", "checker", "own"}  # the quick ones, and those that all others stand on
_ONE_IN = 4  # of the other cases in an ordinary run

FORBIDDEN = [re.compile(pattern.encode()) for pattern in _MANIFEST["forbid"]]
CANARY = "OJ-CANARY-"
EXCLUDED: dict[str, str] = _MANIFEST["excluded"]
KNOWN_INVARIANTS = frozenset(_MANIFEST["invariants"])
RUNS_ALL = os.environ.get("TALLY_HOSTILE") == "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One case of the manifest, whose head explains the fields."""

    file: str
    language: str
    category: str
    attempts: str
    verdicts: frozenset[Verdict]
    problem: str = "aplusb"
    tests: int = 1
    repeat: int = 1
    parallel: int = 1
    checkers: tuple[str, ...] = ("tokens",)
    sequence: str = ""
    order: int = 0
    deadline_ms: int = _MANIFEST["deadline_ms"]
    limits: Mapping[str, int] = field(default_factory=dict)
    invariants: frozenset[str] = frozenset()
    fault: str = ""
    slow: bool = False
    note: str = ""

    @property
    def source(self) -> bytes:
        """The program."""
        return (FOLDER / "cases" / self.file).read_bytes()

    @property
    def is_quick(self) -> bool:
        """Whether an ordinary run takes it. By name alone, so that two runs of one version take the same."""
        return self.category in _ALWAYS or (not self.slow and zlib.crc32(self.file.encode()) % _ONE_IN == 0)

    @property
    def problem_limits(self) -> ProblemLimits:
        """The manifest's limits with the case's own."""
        limits = {**_MANIFEST["limits"], **self.limits}
        return ProblemLimits(
            time_limit_ms=limits["time_ms"],
            memory_bytes=limits["memory_mib"] * MIB,
            output_bytes=limits["output_mib"] * MIB,
            code_bytes=limits["code_kib"] * 1024,
            compile_time_ms=limits["compile_time_ms"],
            compile_memory_bytes=limits["compile_memory_mib"] * MIB,
            processes=limits["processes"],
        )


def _case(entry: dict[str, Any]) -> Case:
    values = dict(entry)
    values["verdicts"] = frozenset(Verdict(name) for name in values["verdicts"])
    values["invariants"] = frozenset(values.get("invariants", ()))
    values["checkers"] = tuple(values.get("checkers", ("tokens",)))
    return Case(**values)


CASES = [_case(entry) for entry in _MANIFEST["case"]]
CHOSEN = [case for case in CASES if RUNS_ALL or case.is_quick]


def case_named(file: str) -> Case:
    """The case of that program."""
    (found,) = (case for case in CASES if case.file == file)
    return found


def with_predecessors(case: Case) -> list[Case]:
    """The case after those that have to run before it on the same sandbox."""
    if not case.sequence:
        return [case]
    earlier = [other for other in CASES if other.sequence == case.sequence and other.order < case.order]
    return [*sorted(earlier, key=lambda other: other.order), case]


def forbidden_in(content: bytes) -> list[str]:
    """What must never appear and does, with some of its surroundings."""
    found = [match for pattern in FORBIDDEN for match in pattern.finditer(content)]
    return [content[match.start() : match.end() + 120].decode("utf-8", "backslashreplace") for match in found[:5]]
