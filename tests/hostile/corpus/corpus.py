"""The cases as values: their expectations, and which of them a run takes.

The acceptance corpus is read as it stands from the folder `shared/hostile` beside the project's, where that is, else
from our copy of it. Our own attacks are in own.toml. With TALLY_HOSTILE_CORPUS, the path of a folder with a corpus in
the same format, the cases are those of that one and no other.
"""

import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from judge.grading.verdicts import Verdict
from problems.package import ProblemLimits
from tests.extent import RUNS_ALL
from tests.hostile.corpus.limits import problem_limits
from tests.hostile.corpus.manifest import GENERATED, Manifest, ManifestErrors, checkers_of, read_manifest, read_own
from tests.hostile.corpus.stated import StatedProblem

FOLDER = Path(__file__).parents[1]
PROGRAMS = FOLDER / "cases"
SHARED = FOLDER.parents[2] / "shared" / "hostile"
HAS_SHARED = (SHARED / "manifest.toml").is_file()
CORPUS = Path(os.environ["TALLY_HOSTILE_CORPUS"]).resolve() if os.environ.get("TALLY_HOSTILE_CORPUS") else None
CANARY = "OJ-CANARY-"
OF_OUR_CORPUS = pytest.mark.skipif(
    CORPUS is not None, reason="about our own corpus; TALLY_HOSTILE_CORPUS names another"
)
_ONE_IN = 20  # of each category's cases in an ordinary run, and at least one
_CONTROLS_ONE_IN = 4
_MOST_REPEATS = 4  # in an ordinary run
_MOST_SHOWN, _MORE_SHOWN = 5, 120  # finds of what is forbidden, and characters after each
_WHY_EXCLUDED = {
    "generated": "described in words, and nothing here makes such sources",
    "fault": "described in words; `make test-faults` has what Tally tries of them on real processes",
    "web": "described in words; tests/problems and tests/web have what Tally tries of them",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """One case of a manifest, whose head explains the fields."""

    id: str
    program: Path
    language: str
    category: str
    attempts: str
    verdicts: frozenset[Verdict]  # none: the form has to refuse it
    may_be_refused: bool
    problem: StatedProblem
    tests: int
    repeat: int
    parallel: int
    checkers: tuple[str, ...]
    sequence: str
    order: int
    deadline_ms: int
    forbid: tuple[re.Pattern[str], ...]
    limits: Mapping[str, int]
    invariants: frozenset[str]
    fault: str
    is_slow: bool
    destination: str
    cold: str  # a pattern of host paths: files that the page cache must not hold when the case begins
    note: str

    @property
    def file(self) -> str:
        """The program's name."""
        return self.program.name

    @property
    def source(self) -> bytes:
        """The program."""
        return self.program.read_bytes()

    @property
    def is_profiled(self) -> bool:
        """Whether the profile pass runs it once more; in an ordinary run not when all it can do is take its time."""
        return RUNS_ALL or self.verdicts != {Verdict.TLE}

    @property
    def problem_limits(self) -> ProblemLimits:
        """The manifest's limits with the case's own."""
        return problem_limits(self.limits)


def cases_of(manifest: Manifest, slow: frozenset[str] = frozenset()) -> list[Case]:
    """A manifest's cases in its order; `slow`: the files of those that are."""
    return [_case(entry, manifest, slow) for entry in manifest.cases]


def _case(entry: Mapping[str, Any], manifest: Manifest, slow: frozenset[str]) -> Case:
    defaults = manifest.defaults
    names = set(entry["verdicts"])
    repeat = entry.get("repeat", 1)
    return Case(
        id=entry["id"],
        program=manifest.programs / entry["file"],
        language=entry["language"],
        category=entry["category"],
        attempts=entry["attempts"],
        verdicts=frozenset(Verdict("RE" if name == "SECURITY" else name) for name in names - {"REJECTED"}),
        may_be_refused="REJECTED" in names,
        problem=manifest.problems[entry.get("problem", defaults["problem"])],
        tests=entry.get("tests", defaults["tests"]),
        repeat=repeat if RUNS_ALL else min(repeat, _MOST_REPEATS),
        parallel=entry.get("parallel", 1),
        checkers=checkers_of(entry["checker"]) if "checker" in entry else ("tokens",),
        sequence=entry.get("sequence", ""),
        order=entry.get("order", 0),
        deadline_ms=entry.get("deadline_ms", defaults["deadline_ms"]),
        forbid=tuple(re.compile(each, re.MULTILINE) for each in [*defaults["forbid"], *entry.get("forbid", ())]),
        limits={**manifest.limits, **entry.get("limits", {})},
        invariants=frozenset([*defaults["invariants"], *entry.get("invariants", ())]),
        fault=entry.get("fault", ""),
        is_slow=entry["file"] in slow,
        destination=entry.get("destination", "file"),
        cold=entry.get("cold", ""),
        note=entry.get("note", ""),
    )


def _share(cases: list[Case]) -> set[str]:
    """The ids of the fixed share that an ordinary run takes of these cases: by name alone, none of the slow ones."""
    quick = sorted((case.id for case in cases if not case.is_slow), key=lambda name: zlib.crc32(name.encode()))
    one_in = _CONTROLS_ONE_IN if cases[0].category == "control" else _ONE_IN
    return set(quick[: -(-len(cases) // one_in)])


def _chosen(cases: list[Case]) -> list[Case]:
    """Those that a run takes, the controls first: if they fail, nothing else means anything."""
    ids = {case.id for case in cases if RUNS_ALL}
    for category in {case.category for case in cases}:
        ids |= _share([case for case in cases if case.category == category])
    return sorted((case for case in cases if case.id in ids), key=lambda case: case.category != "control")


def _manifests() -> list[Manifest]:
    if CORPUS is not None:
        return [read_manifest(CORPUS)]
    acceptance = read_manifest(SHARED) if HAS_SHARED else OURS
    return [acceptance, read_own(FOLDER / "own.toml", PROGRAMS, acceptance)]


def _excluded(manifest: Manifest) -> dict[str, str]:
    """What of a corpus is not run at all, and why."""
    found = {}
    for section, ids in manifest.described.items():
        if rest := [name for name in ids if section != "generated" or name not in GENERATED]:
            found[f"{len(rest)} of [[{section}]] ({', '.join(rest)})"] = _WHY_EXCLUDED[section]
    if unnamed := sorted(set(manifest.unnamed_programs()) - {case.file for case in CASES}):
        found[f"{len(unnamed)} programs ({', '.join(unnamed)})"] = "no [[case]] names them"
    return found


try:
    OURS = read_manifest(FOLDER, PROGRAMS)
    _MANIFESTS = _manifests()
except ManifestErrors as _errors:
    pytest.exit(f"The corpus is not understood:\n{_errors}", returncode=pytest.ExitCode.USAGE_ERROR)

CASES = [case for manifest in _MANIFESTS for case in cases_of(manifest, _MANIFESTS[-1].slow)]
CHOSEN = _chosen(CASES)
EXCLUDED = _excluded(_MANIFESTS[0])
GENERATED_HERE = frozenset(_MANIFESTS[0].described["generated"])  # ids
SOURCE = f"{CORPUS}" if CORPUS else "shared/hostile as it stands" if HAS_SHARED else "our copy of shared/hostile"
HONEST = {case.id: case for case in cases_of(OURS) if case.category == "control"}


def case_named(name: str) -> Case:
    """The case with that id."""
    (found,) = (case for case in CASES if case.id == name)
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
    ours |= {case.file: PROGRAMS / case.file for case in cases_of(_MANIFESTS[0])}
    ours |= {f"found/{path.name}": PROGRAMS / path.name for path in (SHARED / "found").glob("*.cpp")}
    ours["support/guess_interactor.py"] = FOLDER / "support" / "guess_interactor.py"
    return [
        name for name, path in ours.items() if not path.is_file() or path.read_bytes() != (SHARED / name).read_bytes()
    ]


def forbidden_in(content: bytes, patterns: Iterable[re.Pattern[str]]) -> list[str]:
    """What must never appear and does, each with the rest of its line."""
    text = content.decode("utf-8", "surrogateescape")
    matches = [match for pattern in patterns for match in pattern.finditer(text)]
    return [_shown(text[match.start() : match.end() + _MORE_SHOWN], match[0]) for match in matches[:_MOST_SHOWN]]


def _shown(text: str, match: str) -> str:
    rest = text[len(match) :].partition("\n")[0]
    return f"{match}{rest}".encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
