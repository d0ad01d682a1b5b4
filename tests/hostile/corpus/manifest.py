"""Read and check a corpus's manifest.toml: errors are reported by name, all together.

The head of manifest.toml explains the format of the acceptance corpus; README.md has our own keys. Here is which keys
there are at each level, of which type, and what must fit together: programs, problems, patterns, sequences, names of
invariants. Nobody can follow an expectation in words, so `excluded` lists the entries that have no other.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from judge.grading.languages import LANGUAGES
from tests.hostile.corpus import limits as limit_table
from tests.hostile.corpus.keys import CASE, DEFAULTS, DESCRIBED, LIMITS, OWN_TOP, PROBLEM, TOP, Key, text_key
from tests.hostile.corpus.stated import StatedProblem, stated_problem

FILE = "manifest.toml"
VERDICTS = frozenset({"AC", "WA", "TLE", "MLE", "OLE", "RE", "CE", "SECURITY", "REJECTED"})
CHECKERS = {"exact": "exact", "token": "tokens", "tokens": "tokens", "float": "floats", "floats": "floats"}
FAULT = re.compile(
    r"kill -9 the nsjail\b.* process (?P<after_ms>\d+) ms after start; within (?P<within_s>\d+) s no process of "
    r"the run may be left and the submission must be regraded to (?P<verdict>[A-Z]+)"
)
IMPLEMENTED = {  # name of an invariant -> where it is looked at
    "no_procs": "host.leftovers, after every case",
    "no_cgroups": "host.leftovers, after every case",
    "no_mounts": "host.leftovers, after every case",
    "no_files": "host.leftovers, after every case",
    "no_ipc": "host.leftovers, after every case",
    "no_core": "host.leftovers, after every case",
    "tests_intact": "host.leftovers, after every case",
    "host_intact": "watch.Watch",
    "disk_bounded": "watch.Watch",
    "mem_bounded": "watch.Watch",
    "decoys_untouched": "watch.Watch",
    "port_31337_closed": "watch.Watch",
    "log_bounded": "grading.problems_of",
    "peers_ok": "peers.Peer",
    "worker_ok": "test_corpus: nothing is logged, and the same process grades on",
    "next_ac": "test_corpus: an honest program follows every case",
    "one_verdict": "grading.problems_of and showing.Site, of every case",
    "source_intact": "showing.Site, of every case",
    "stored_ok": "showing.Site, of every case; test_stored",
    "page_escaped": "showing.Site, of every case; test_stored",
    "hidden_tests_hidden": "showing.Site, of every case; test_stored",
}
GENERATED = frozenset({"gen_huge_5mb", "gen_one_long_line", "gen_line_ends"})  # by test_generated.py
_CANARIES = {"host_file", "worker_env", "hidden_tests", "other_source", "database"}


class ManifestErrors(Exception):
    """All that is wrong with a manifest, in its order: file, table, key, and why. Never empty."""

    def __init__(self, errors: list[str]) -> None:
        super().__init__("\n".join(errors))
        self.errors = errors


@dataclass(frozen=True, kw_only=True, slots=True)
class Manifest:
    """What a manifest says, checked. `cases` have `id`, `category`, and else the keys that they were given."""

    path: Path
    programs: Path  # the folder where they lie
    defaults: Mapping[str, Any]
    limits: Mapping[str, int]
    problems: Mapping[str, StatedProblem]
    invariants: Mapping[str, str]  # what each demands, in words
    cases: tuple[Mapping[str, Any], ...]
    described: Mapping[str, tuple[str, ...]]  # ids of the entries generated, fault and web
    slow: frozenset[str] = frozenset()  # files: not in the share of an ordinary run

    def unnamed_programs(self) -> list[str]:
        """Programs beside the manifest that no case names."""
        files = {case["file"] for case in self.cases}
        endings = {ending for language in LANGUAGES.values() for ending in language.extensions}
        return sorted(
            path.name for path in self.programs.iterdir() if path.suffix in endings and path.name not in files
        )


def read_manifest(folder: Path, programs: Path | None = None) -> Manifest:
    """The manifest of a corpus, whose programs lie beside it unless in a folder of their own. Raises ManifestErrors."""
    return _Reading(folder / FILE, programs or folder).manifest()


def read_own(path: Path, programs: Path, base: Manifest) -> Manifest:
    """More cases in a file of their own: the rest is as in `base`. Raises ManifestErrors."""
    return _Reading(path, programs).manifest_on(base)


class _Reading:
    """One reading of a file: what is wrong is gathered, and what hangs on it is not looked at."""

    def __init__(self, path: Path, programs: Path) -> None:
        self._path = path
        self._programs = programs
        self.errors: list[str] = []
        try:
            self._top: dict[str, Any] = tomllib.loads(path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise ManifestErrors([f"{path}: {error}"]) from error

    def manifest(self) -> Manifest:
        self._check("the top", self._top, TOP)
        self._stop_if_wrong()
        top = self._top
        self._check("[defaults]", top["defaults"], DEFAULTS)
        self._check("[limits]", top["limits"], LIMITS, required=limit_table.REQUIRED_KEYS)
        for name, known in (("verdicts", VERDICTS), ("canary", _CANARIES), ("invariant", IMPLEMENTED.keys())):
            self._check(f"[{name}]", top.get(name, {}), dict.fromkeys(known, text_key()))
        for name, keys in DESCRIBED.items():
            for number, entry in enumerate(top.get(name, []), 1):
                self._check(f"[[{name}]] {entry.get('id', number)}", entry, keys)
        self._stop_if_wrong()
        self._check_limits("[limits]", top["limits"])
        self._check_texts("[defaults]", top["defaults"])
        problems = self._problems()
        if top["defaults"]["problem"] not in problems:
            self._wrong("[defaults]", "problem", f"there is no [problem.{top['defaults']['problem']}]")
        return self._with_cases(
            Manifest(
                path=self._path,
                programs=self._programs,
                defaults=top["defaults"],
                limits=top["limits"],
                problems=problems,
                invariants=top["invariant"],
                cases=(),
                described={name: tuple(entry["id"] for entry in top.get(name, [])) for name in DESCRIBED},
            ),
            default_category="",
        )

    def manifest_on(self, base: Manifest) -> Manifest:
        self._check("the top", self._top, OWN_TOP)
        self._stop_if_wrong()
        return self._with_cases(
            Manifest(
                path=self._path,
                programs=self._programs,
                defaults=base.defaults,
                limits=base.limits,
                problems={**base.problems, **self._problems()},
                invariants=base.invariants,
                cases=(),
                described={},
                slow=frozenset(self._top.get("slow", ())),
            ),
            default_category="own",
        )

    def _with_cases(self, manifest: Manifest, default_category: str) -> Manifest:
        entries: list[dict[str, Any]] = self._top["case"]
        keys = CASE if default_category else {**CASE, "category": text_key(required=True)}
        if not entries:
            self._wrong("[[case]]", "", "there is none, so nothing would be tested")
        for number, entry in enumerate(entries, 1):
            where = f"[[case]] {entry.get('id') or entry.get('file') or f'number {number}'}"
            if self._check(where, entry, keys):
                self._check_case(where, entry, manifest)
        self._stop_if_wrong()
        cases = [{"category": default_category, "id": entry["file"], **entry} for entry in entries]
        for name, count in Counter(case["id"] for case in cases).items():
            if count > 1:
                self._wrong(f"[[case]] {name}", "id", f"{count} cases have it")
        self._check_sequences(cases)
        self._stop_if_wrong()
        return replace(manifest, cases=tuple(cases))

    def _check_case(self, where: str, case: Mapping[str, Any], manifest: Manifest) -> None:
        for key, why in _wrong_in_case(case, manifest):
            self._wrong(where, key, why)
        limits = case.get("limits", {})
        if self._check(f"{where}: limits", limits, LIMITS):
            self._check_limits(f"{where}: limits", {**manifest.limits, **limits})
        self._check_texts(where, case)

    def _check_texts(self, where: str, table: Mapping[str, Any]) -> None:
        """Patterns and invariants, of the defaults or of a case."""
        for pattern in table.get("forbid", ()):
            try:
                re.compile(pattern)
            except re.error as error:
                self._wrong(where, "forbid", f'"{pattern}" is no regular expression: {error}')
        for name in table.get("invariants", ()):
            if name not in IMPLEMENTED:
                self._wrong(where, "invariants", f'nothing here looks at "{name}"')

    def _check_limits(self, where: str, limits: Mapping[str, int]) -> None:
        if limits.keys() >= limit_table.REQUIRED_KEYS:
            for key, why in limit_table.too_strict(limits).items():
                self._wrong(where, key, why)

    def _check_sequences(self, cases: list[dict[str, Any]]) -> None:
        places = Counter((case["sequence"], case["order"]) for case in cases if "sequence" in case)
        for (sequence, order), count in places.items():
            if count > 1:
                self._wrong("[[case]]", "order", f'{count} cases of the sequence "{sequence}" have {order}')

    def _problems(self) -> dict[str, StatedProblem]:
        found = {}
        for name, table in self._top.get("problem", {}).items():
            where = f"[problem.{name}]"
            if not isinstance(table, dict):
                self._wrong(where, "", "is not a table")
            elif self._check(where, table, PROBLEM):
                try:
                    found[name] = stated_problem(table, self._path.parent)
                except ValueError as error:
                    self.errors.append(f"{self._path}: {where}: {error}")
        self._stop_if_wrong()
        return found

    def _check(
        self, where: str, table: Mapping[str, Any], keys: Mapping[str, Key], required: frozenset[str] = frozenset()
    ) -> bool:
        """Whether the table has keys of these only, each of its type, and all that it must have."""
        before = len(self.errors)
        for key, value in table.items():
            if key not in keys:
                self._wrong(where, key, "is not known here")
            elif not keys[key].fits(value):
                self._wrong(where, key, f"{value!r:.80} is not {keys[key].what}")
        for key, kind in keys.items():
            if (kind.is_required or key in required) and key not in table:
                self._wrong(where, key, "is missing")
        return len(self.errors) == before

    def _wrong(self, where: str, key: str, why: str) -> None:
        self.errors.append(": ".join(part for part in (str(self._path), where, key, why) if part))

    def _stop_if_wrong(self) -> None:
        if self.errors:
            raise ManifestErrors(self.errors)


def _wrong_in_case(case: Mapping[str, Any], manifest: Manifest) -> Iterator[tuple[str, str]]:
    """What does not fit together in a case whose keys are known: key, and why."""
    path = (manifest.programs / case["file"]).resolve()
    if not path.is_file() or not path.is_relative_to(manifest.programs.resolve()):
        yield "file", f"there is no program {case['file']} in {manifest.programs}"
    if case["language"] not in LANGUAGES:
        yield "language", f'"{case["language"]}" is not one that the grader has'
    if not case["verdicts"]:
        yield "verdicts", "at least one must be acceptable"
    for name in sorted(set(case["verdicts"]) - VERDICTS):
        yield "verdicts", f'"{name}" can never be acceptable' if name in ("IE", "JE") else f'"{name}" is not known here'
    if ("sequence" in case) != ("order" in case):
        yield "order" if "order" in case else "sequence", "goes with sequence and order only, both together"
    if "fault" in case and not FAULT.fullmatch(case["fault"]):
        yield "fault", f'"{case["fault"]}" is nothing that is done here'
    problem = manifest.problems.get(case.get("problem", manifest.defaults["problem"]))
    if problem is None:
        yield "problem", f"there is no [problem.{case.get('problem')}]"
        return
    if (case.get("requires") == "interactive") and problem.interactor is None:
        yield "requires", "the problem has no interactor"
    if "checker" in case:
        names = checkers_of(case["checker"])
        if unknown := [name for name in names if name not in CHECKERS.values()]:
            yield "checker", f'"{unknown[0]}" is not one that the grader ships'
        if problem.interactor is not None:
            yield "checker", "the problem has an interactor, which judges alone"


def checkers_of(words: str) -> tuple[str, ...]:
    """The checkers that a case names after a colon, if there is one, with commas; unknown names stay as they are."""
    names = [name.strip() for name in words.rpartition(":")[2].split(",")]
    return tuple(CHECKERS.get(name, name) for name in names)
