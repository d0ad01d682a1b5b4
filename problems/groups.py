"""The settings of every folder and test case below data/: the nearest file with a key decides.

Source: "Test data configuration" (2025-09) and "Test data groups" (legacy) of the package format.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from problems.flags import parse_flags
from problems.groupyaml import GroupYaml, read_settings
from problems.keys import Keys
from problems.legacy_groups import (
    NO_GRADING,
    domjudge_tree,
    gives_points,
    is_of_kattis,
    legacy_tree,
    warn_of_misplaced,
)
from problems.package import PackageError, PackageProgram, TestCase
from problems.point_groups import PointsYaml, points_tree
from problems.problemyaml import ProblemYaml
from problems.report import Report
from problems.testgroups import TestGroup
from problems.yamlfile import read_yaml

_NEW, _LEGACY = "test_group.yaml", "testdata.yaml"
_NOTHING = GroupYaml(file="")


class GroupSettings:
    """The settings of every folder below data/, and of every test case with its own file."""

    def __init__(self, files: Mapping[str, Path], values: ProblemYaml, report: Report) -> None:
        self._said: dict[str, GroupYaml] = {}  # "data/secret/a" -> what its file says
        self._is_legacy_tree = values.is_legacy or not any(PurePosixPath(name).name == _NEW for name in files)
        self._values = values
        self._report = report
        for name, path in files.items():
            if name.startswith("data/") and name.endswith(".yaml"):
                self._read(name, path, files)

    @property
    def all_validator_args(self) -> tuple[str, ...]:
        """The checker arguments for every test case from a legacy problem.yaml; they come first."""
        return self._values.validator_flags

    def of(self, name: str) -> Iterator[GroupYaml]:
        """Return the settings for the test case ("data/secret/a/1"), nearest first; only those given."""
        for place in (name, *map(str, PurePosixPath(name).parents)):
            if place in self._said:
                yield self._said[place]

    def own(self, name: str) -> GroupYaml:
        """Return the settings in the test case's own file only."""
        return self._said.get(name, _NOTHING)

    def check_flags(self) -> None:
        """Report unknown flags of the default validator, each at its file."""
        first = self.all_validator_args
        places = [(first, "problem.yaml", "validator_flags")]
        places += [
            ((*first, *said.validator_args), said.file, "output_validator_args")
            for said in self._said.values()
            if said.validator_args is not None
        ]
        for flags, file, key in places:
            try:
                parse_flags(flags, file=file, key=key)
            except PackageError as error:
                self._report.add(error)
                if flags is first:
                    return  # the same mistake in all of them

    def warn_of_unknown(self, validators: tuple[PackageProgram, ...]) -> None:
        """Warn of arguments for missing input validators."""
        known = {""} | {each for program in validators for each in names_of(program)}
        for said in self._said.values():
            for name in said.input_validator_args or ():
                if name not in known:
                    why = f"names {name[:60]!r}, which is no program in input_validators/"
                    self._report.warn(said.file, "input_validator_args", why)

    def is_scoring(self) -> bool:
        """Whether it is a scoring problem; if a legacy package does not say, its test groups decide."""
        if self._values.is_scoring is not None:
            return self._values.is_scoring
        found = next((said for said in self._said.values() if gives_points(said.grading)), None)
        if found is None and not gives_points(self._values.grading):
            return False
        why = f"is not given: taken as scoring, since {found.file if found else 'grading'} says how points are made"
        self._report.warn("problem.yaml", "type", why)
        return True

    def tree(self, cases: tuple[TestCase, ...]) -> TestGroup:
        """Return data/ of a scoring problem as a tree; the report gets errors in its points."""
        if cases and all(case.is_sample for case in cases):
            self._report.error("data/secret", "", "has no test case: samples give no points, so nothing does")
        if self._is_legacy_tree and not self._report.is_strict:
            gradings = {_below(name): said.grading for name, said in self._said.items()}
            warn_of_misplaced(gradings, self._report)
            return legacy_tree(cases, lambda name: gradings.get(name, NO_GRADING), self._values.grading)
        points: dict[str, PointsYaml] = {}
        for name, said in self._said.items():
            if PurePosixPath(said.file).name != _NEW:
                continue
            if name == "data" and said.points.names:
                self._report.error(said.file, said.points.names[0], "must stand in data/secret or in a folder of it")
            elif _below(name).split("/")[0] in ("sample", "secret"):
                points[_below(name)] = said.points
        return points_tree(cases, points, self._report)

    def in_domjudge(self, cases: tuple[TestCase, ...]) -> TestGroup | None:
        """Return the tree of a legacy scoring problem in DOMjudge's dialect; None for other formats."""
        if not self._is_legacy_tree or self._report.is_strict:
            return None
        return domjudge_tree(cases, {_below(name): said.grading for name, said in self._said.items()})

    def mark_of_kattis(self) -> str:
        """Return a key that only Kattis's dialect has, from any settings file; "" for none."""
        found = ((name, is_of_kattis(said.grading)) for name, said in self._said.items())
        return next((f"{mark} in {name}/{_LEGACY}" for name, mark in found if mark), "")

    def warn_of_points(self) -> None:
        """Warn of settings for scoring in a pass-fail problem."""
        told: set[str] = set()
        for said in self._said.values():
            keys = set(said.points.names)
            if gives_points(said.grading):
                keys.add("accept_score, reject_score and range")
            for key in sorted(keys - told):
                self._report.oddity(said.file, key, "is not used: the problem is pass-fail, not scoring")
            told |= keys

    def _read(self, name: str, path: Path, files: Mapping[str, Path]) -> None:
        base, folder = PurePosixPath(name).name, str(PurePosixPath(name).parent)
        is_group = base in (_NEW, _LEGACY)
        if not is_group and f"{name.removesuffix('.yaml')}.in" not in files:
            return
        if base == _LEGACY and (self._report.is_strict or f"{folder}/{_NEW}" in files):
            self._report.warn(name, "", f"is not read: {_NEW} is what counts here")
            return
        try:
            keys = Keys(read_yaml(path, name, self._report, self._values.constants), name, self._report)
        except PackageError as error:
            self._report.add(error)
            return
        self._said[folder if is_group else name.removesuffix(".yaml")] = read_settings(
            keys, name, is_group=is_group, is_strict=self._report.is_strict, is_legacy=self._values.is_legacy
        )


def names_of(program: PackageProgram) -> tuple[str, ...]:
    """Return the names of an input validator in settings: its file's or folder's name, with or without extension."""
    path = PurePosixPath(program.name)
    return (path.name, path.stem)


def _below(name: str) -> str:
    """Return a folder's name below data/, "" for data/ itself."""
    return name.removeprefix("data").removeprefix("/")
