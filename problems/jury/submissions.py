"""The setter's own submissions: their files, language, main file and expected results.

Source: "Example submissions" of the package format, legacy and 2025-09; DOMjudge's and Kattis's further folders and
DOMjudge's tags. A tag narrows what the folder says; one that contradicts it does not count.
"""

import math
import os
import re
from collections.abc import Mapping, Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from problems.diagnostics import Report
from problems.format.domjudge import read_tags
from problems.format.files import printable
from problems.format.programs import below, main_file, other_language_of
from problems.jury.expectations import ALL, FILE, LOWER, UPPER, Expectations, Expected, read_expectations
from problems.languages import PACKAGE_LANGUAGES, PYTHON, language_of
from problems.package import Expectation, JurySubmission
from problems.testgroups import Grading, TestGroup
from problems.translation import Sentence

_NO_PROGRAM = (".md", ".txt", ".yaml", ".yml", ".h", ".hpp", ".hh", ".in", ".ans", ".out", ".pdf")
_REJECTED = ALL - {"AC"}
_CRASHED = frozenset({"RE", "MLE"})  # Kattis counts the memory limit as a run-time error
_ANY = ALL | {"CE"}
_PARTIAL = "partially_accepted"
_MOST_SUBMISSIONS = 300  # each is compiled and run on all test cases
_LESS = 0.001  # points; a smaller difference is one of rounding
_FOLDERS: dict[str, AbstractSet[str]] = {  # what the whole submission should get, if no rule of 2025-09 says it
    "accepted": {"AC"}, "wrong_answer": {"WA"}, "time_limit_exceeded": {"TLE"}, "run_time_error": _CRASHED,
    "rejected": _REJECTED, "brute_force": {"TLE", *_CRASHED},
    # of Kattis and DOMjudge
    "no_output": {"WA"}, "timelimit": {"TLE"}, "runtime_error": _CRASHED, "memory_limit_exceeded": {"MLE"},
    "memory_limit": {"MLE"}, "output_limit_exceeded": {"OLE"}, "output_limit": {"OLE"},
    "system_call_limit_exceeded": {"SLE"}, "compile_error": {"CE"}, "compiler_error": {"CE"},
    _PARTIAL: _REJECTED,  # judged as pass-fail, a partial score is no AC
}  # fmt: skip
_BOUNDS = {"accepted": LOWER, "time_limit_exceeded": UPPER, "timelimit": UPPER}
_PYTHON_2 = re.compile(rb"#!.*python2")


@dataclass(frozen=True, kw_only=True, slots=True)
class SubmissionRules:
    """The meaning of submission folders. `points` are the least and most of a scoring problem with graders."""

    expectations: Expectations
    is_legacy: bool
    is_scoring: bool
    points: tuple[float, float] | None

    def of(self, name: str) -> Expected:
        """Return the expectation for the submission ("accepted/fast.cpp"), without its tags."""
        folder = name.split("/")[0]
        if expected := self.expectations.of(name):
            return expected
        if folder == _PARTIAL and self.is_scoring:
            fewer: tuple[Expectation, ...] = ()  # than the most points
            if self.points is not None and not math.isinf(self.points[1]):
                fewer = (Expectation(score=(self.points[0], self.points[1] - _LESS)),)
            return Expected(verdicts=frozenset({"AC"}), expectations=fewer, time_limit_bound="")
        verdicts = frozenset(_FOLDERS.get(folder, _ANY))
        return Expected(verdicts=verdicts, expectations=(), time_limit_bound=_BOUNDS.get(folder, ""))

    def knows(self, name: str) -> bool:
        """Return whether there is any expectation for the submission."""
        return name.split("/")[0] in _FOLDERS or self.expectations.of(name) is not None


def find_submissions(
    root: Path, files: Mapping[str, Path], groups: TestGroup | None, report: Report, *, is_legacy: bool
) -> tuple[JurySubmission, ...]:
    """Return the setter's submissions by name. `groups`: of a scoring problem."""
    rule = groups.rule if groups else None
    rules = SubmissionRules(
        # submissions.yaml brings the rules of 2025-09 to legacy packages
        expectations=read_expectations(files, report, has_defaults=not is_legacy or FILE in files),
        is_legacy=is_legacy,
        is_scoring=groups is not None,
        points=(rule.least, rule.most) if isinstance(rule, Grading) else None,
    )
    parts: dict[str, list[str]] = {}
    for name in below(files, "submissions"):
        if "/" in name:
            parts.setdefault("/".join(name.split("/")[:2]), []).append(name)
    programs = [name for name in sorted(parts) if not (parts[name] == [name] and name.endswith(_NO_PROGRAM))]
    if len(programs) > _MOST_SUBMISSIONS:
        number, most = f"{len(programs):,}", _MOST_SUBMISSIONS
        why = Sentence("holds %(number)s submissions: %(most)s are tried at most", number=number, most=most)
        report.error("submissions", "", why)
        return ()
    submissions = [_Reader(root, program, parts[program], files, rules, report).read() for program in programs]
    unknown = {submission.name.split("/")[0] for submission in submissions if not rules.knows(submission.name)}
    for folder in sorted(unknown):
        why = Sentence("is no known folder: its submissions may get any verdict")
        report.warn(printable(f"submissions/{folder}"), "", why)
    if not any(submission.expected == {"AC"} for submission in submissions):
        why = Sentence("holds no submission: nothing proves that the problem can be solved")
        report.warn("submissions/accepted", "", why)
    return tuple(submissions)


class _Reader:
    """Reads one submission: a file, or a folder with all its files."""

    def __init__(
        self,
        root: Path,
        program: str,
        parts: list[str],
        files: Mapping[str, Path],
        rules: SubmissionRules,
        report: Report,
    ) -> None:
        self._name = program
        self._is_folder = parts != [program]
        above = f"{program if self._is_folder else PurePosixPath(program).parent}/"
        self._files = {part.removeprefix(above): files[f"submissions/{part}"] for part in parts}
        self._path = Path(os.path.realpath(root / "submissions" / program))
        self._rules = rules
        self._report = report

    def read(self) -> JurySubmission:
        expected = self._rules.of(self._name)
        if not expected.verdicts:
            why = Sentence("may get no verdict at all: what is permitted and required excludes all")
            self._report.error(FILE, self._name[:100], why)
        language, main = self._language_and_main(expected)
        tags = read_tags(list(self._files.values()))
        if tags.problem:
            self._warn(tags.problem)
        verdicts = expected.verdicts
        if tags.verdicts:
            verdicts = verdicts & tags.verdicts if self._rules.knows(self._name) else tags.verdicts
        elif tags.score is not None:
            verdicts = _ANY - {"CE"}
        if tags.verdicts and not verdicts:
            why = Sentence(
                "has a tag that asks for %(verdicts)s, but lies in a folder for something else: the folder counts",
                verdicts=", ".join(sorted(tags.verdicts)),
            )
            self._warn(why)
        score = (Expectation(score=(tags.score, tags.score)),) if tags.score is not None else ()
        return JurySubmission(
            path=self._files[main] if main else self._path,
            name=self._name,
            language=language,
            expected=verdicts or expected.verdicts,
            files=() if len(self._files) == 1 else tuple(self._files.items()),
            expectations=(*expected.expectations, *score),
            time_limit_bound=expected.time_limit_bound,
        )

    def _language_and_main(self, expected: Expected) -> tuple[str | None, str | None]:
        """Return the language, None for an unsupported one, and the main file, None if there is none."""
        sources = [name for name in self._files if language_of(name) or other_language_of(name)]
        languages = {language_of(name) for name in sources}
        if expected.language:
            languages = {expected.language if expected.language in PACKAGE_LANGUAGES else None}
            sources = [name for name in self._files if language_of(name) == expected.language] or list(self._files)
        language = next(iter(languages)) if len(languages) == 1 else None
        if language is None or self._is_python_2():
            if self._is_folder and len(languages) > 1:
                self._warn(Sentence("is in several languages: it is not judged"))
            return None, next(iter(self._files)) if len(self._files) == 1 else None
        if entry := expected.entry:
            main = next((name for name in self._files if entry in (name, PurePosixPath(name).stem)), None)
            if main is None:
                self._warn(Sentence("has no file %(entry)r, its entrypoint: it is not judged", entry=entry[:60]))
            return (language, main) if main else (None, None)
        direct = [name for name in sources if "/" not in name] or sources
        return language, main_file(direct, language, self._files, PurePosixPath(self._name).name) or sorted(direct)[0]

    def _is_python_2(self) -> bool:
        """Return whether the first line of a legacy program asks for Python 2."""
        if not self._rules.is_legacy:
            return False
        for name, path in self._files.items():
            if language_of(name) == PYTHON.id:
                with path.open("rb") as file:
                    if _PYTHON_2.match(file.readline(200)):
                        return True
        return False

    def _warn(self, why: Sentence) -> None:
        self._report.warn(printable(f"submissions/{self._name}"), "", why)
