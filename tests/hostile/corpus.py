"""The manifests as values: which cases there are, what is expected of each, and which of them a run takes.

The acceptance corpus is read as it stands from the folder `shared/hostile` beside the project's, where that is, else
from our copy of it. Our own attacks are in own.toml.
"""

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
PROGRAMS = FOLDER / "cases"
SHARED = FOLDER.parents[2] / "shared" / "hostile"
HAS_SHARED = (SHARED / "manifest.toml").is_file()
_MANIFEST: dict[str, Any] = tomllib.loads(((SHARED if HAS_SHARED else FOLDER) / "manifest.toml").read_text("utf-8"))
_OWN: dict[str, Any] = tomllib.loads((FOLDER / "own.toml").read_text("utf-8"))
_ONE_IN = 3  # of each category's cases in an ordinary run; of the controls, all
_MOST_REPEATS = 4  # in an ordinary run
_ALL_CHECKERS = ("exact", "tokens", "floats")
_NOT_OURS = {"SECURITY", "REJECTED"}  # the filter never kills; what is refused at upload, test_stored.py looks after
_FOR_OTHERS = {"id", "phase", "syntax_check", "requires"}

FORBIDDEN = [re.compile(pattern.encode()) for pattern in _MANIFEST["defaults"]["forbid"]]
CANARY = "OJ-CANARY-"
EXCLUDED: dict[str, str] = _OWN["excluded"]
ALL_CASES_INVARIANTS = frozenset(_MANIFEST["defaults"]["invariants"])
KNOWN_INVARIANTS = frozenset(_MANIFEST["invariant"])
GENERATED: dict[str, str] = {entry["id"]: entry["how"] for entry in _MANIFEST["generated"]}
RUNS_ALL = os.environ.get("TALLY_HOSTILE") == "all"


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One case of a manifest, whose head explains the fields."""

    file: str
    language: str
    category: str
    attempts: str
    verdicts: frozenset[Verdict]
    may_be_refused: bool = False
    problem: str = _MANIFEST["defaults"]["problem"]
    tests: int = _MANIFEST["defaults"]["tests"]
    repeat: int = 1
    parallel: int = 1
    checkers: tuple[str, ...] = ("tokens",)
    sequence: str = ""
    order: int = 0
    deadline_ms: int = _MANIFEST["defaults"]["deadline_ms"]
    limits: Mapping[str, int] = field(default_factory=dict)
    invariants: frozenset[str] = ALL_CASES_INVARIANTS
    fault: str = ""
    is_slow: bool = False
    destination: str = "file"
    note: str = ""

    @property
    def source(self) -> bytes:
        """The program."""
        return (SHARED if HAS_SHARED and self.category != "own" else PROGRAMS).joinpath(self.file).read_bytes()

    @property
    def is_profiled(self) -> bool:
        """Whether the profile pass runs it once more; in an ordinary run not when all it can do is take its time."""
        return RUNS_ALL or self.verdicts != {Verdict.TLE}

    @property
    def problem_limits(self) -> ProblemLimits:
        """The manifest's limits with the case's own."""
        limits = {**_MANIFEST["limits"], **self.limits}
        return ProblemLimits(
            time_limit_ms=limits["time_ms"],
            memory_bytes=limits["memory_mb"] * MIB,
            output_bytes=limits["output_kb"] * 1024,
            code_bytes=limits["source_kb"] * 1024,
            compile_time_ms=limits["compile_time_ms"],
            compile_memory_bytes=limits["compile_memory_mb"] * MIB,
            processes=limits["processes"],
        )


def _case(entry: dict[str, Any]) -> Case:
    values = {key: value for key, value in entry.items() if key not in _FOR_OTHERS}
    names = set(values["verdicts"])
    values["may_be_refused"] = "REJECTED" in names
    values["verdicts"] = frozenset(Verdict(name) for name in names - _NOT_OURS)
    values["invariants"] = ALL_CASES_INVARIANTS | set(values.get("invariants", ()))
    values["is_slow"] = values["file"] in _OWN["slow"]
    if not RUNS_ALL:
        values["repeat"] = min(values.get("repeat", 1), _MOST_REPEATS)
    if values.pop("checker", ""):  # every checker that the grader ships
        values["checkers"] = _ALL_CHECKERS
    return Case(**values)


def _share(cases: list[Case]) -> set[str]:
    """The files of the fixed share that an ordinary run takes of these cases: by name alone, none of the slow ones."""
    quick = sorted((case.file for case in cases if not case.is_slow), key=lambda file: zlib.crc32(file.encode()))
    return set(quick[: -(-len(cases) // _ONE_IN)])


def _chosen(cases: list[Case]) -> list[Case]:
    if RUNS_ALL:
        return cases
    files = {case.file for case in cases if case.category == "control"}
    for category in {case.category for case in cases}:
        files |= _share([case for case in cases if case.category == category])
    return [case for case in cases if case.file in files]


CASES = [_case(entry) for entry in _MANIFEST["case"]] + [_case({**entry, "category": "own"}) for entry in _OWN["case"]]
CHOSEN = _chosen(CASES)


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


def differing_copies() -> list[str]:
    """The names of our copies of the shared corpus that are not what it holds, or are missing; it must be there."""
    ours = {"manifest.toml": FOLDER / "manifest.toml"}
    ours |= {case.file: PROGRAMS / case.file for case in CASES if case.category != "own"}
    ours["support/guess_interactor.py"] = FOLDER / "support" / "guess_interactor.py"
    return [
        name for name, path in ours.items() if not path.is_file() or path.read_bytes() != (SHARED / name).read_bytes()
    ]


def forbidden_in(content: bytes) -> list[str]:
    """What must never appear and does, with some of its surroundings."""
    found = [match for pattern in FORBIDDEN for match in pattern.finditer(content)]
    return [content[match.start() : match.end() + 120].decode("utf-8", "backslashreplace") for match in found[:5]]
