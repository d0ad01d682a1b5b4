"""The settings of every folder and test case below data/: the nearest file with a key decides.

The files are test_group.yaml, legacy testdata.yaml, or NAME.yaml of a single case. Source: "Test data configuration"
and "Test case configuration" (2025-09) and "Test data groups" (legacy) of the package format. BAPCtools also writes
`answer_validator_args`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from problems.diagnostics import Report
from problems.format.flags import parse_flags
from problems.format.grading import NO_GRADING, GradingYaml, gives_points, is_of_kattis, read_grading, warn_of_misplaced
from problems.format.problemyaml import ProblemYaml
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_yaml
from problems.groups.trees import NO_POINTS, PointsYaml, domjudge_tree, legacy_tree, points_tree, read_points
from problems.package import PackageError, PackageProgram, TestCase
from problems.testgroups import TestGroup
from problems.translation import Sentence

Value = TypeVar("Value")
_PICTURES = ("input_visualizer_args", "output_visualizer_args", "answer_validator_args")  # they touch no verdict
_RENAMED = {"output_validator_flags": "output_validator_args", "input_validator_flags": "input_validator_args"}


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupYaml:
    """The content of a settings file. None: not set here, the folder above decides."""

    file: str
    args: tuple[str, ...] | None = None
    validator_args: tuple[str, ...] | None = None
    input_validator_args: Mapping[str, tuple[str, ...]] | None = None
    has_full_feedback: bool | None = None
    description: str = ""
    hint: str = ""
    grading: GradingYaml = field(default=NO_GRADING)
    points: PointsYaml = field(default=NO_POINTS)


def read_settings(keys: Keys, file: str, *, is_group: bool, is_strict: bool, is_legacy: bool) -> GroupYaml:
    """Read the file. A single case (not `is_group`) has no points of its own."""
    words = keys.words("output_validator_args")
    if words is None:
        section = _older(keys, "output_validator_flags", is_strict=is_strict)
        words = section.words("flags") if section else None
    settings = GroupYaml(
        file=file,
        args=keys.words("args"),
        validator_args=words,
        input_validator_args=_input_validator_args(keys, is_strict=is_strict),
        has_full_feedback=keys.flag("full_feedback"),
        description=keys.text("description") or "",
        hint=keys.text("hint") or "",
        grading=read_grading(keys) if is_group and not is_strict else NO_GRADING,
        points=read_points(keys) if is_group and not is_legacy else NO_POINTS,
    )
    if settings.has_full_feedback not in (None, file.startswith("data/sample")):
        why = Sentence("is not used: what people see of samples and secret cases is a setting in Tally")
        keys.warn("full_feedback", why)
    keys.finish(_PICTURES)
    return settings


def _input_validator_args(keys: Keys, *, is_strict: bool) -> dict[str, tuple[str, ...]] | None:
    """Return arguments by validator's name; "" stands for all others."""
    key = "input_validator_args"
    if isinstance(keys.any(key), dict):
        section = keys.section(key)
        return {"": (), **{name: section.words(name) or () for name in section.names() if name}}
    if (words := keys.words(key)) is not None:
        return {"": words}
    older = _older(keys, "input_validator_flags", is_strict=is_strict)
    if older is None:
        return None
    words, name = older.words("flags") or (), older.text("name") or ""
    return {"": (), name: words} if name else {"": words}


def _older(keys: Keys, key: str, *, is_strict: bool) -> Keys | None:
    """Convert the legacy form, a text or a mapping with "name" and "flags", to the mapping. None when it is missing."""
    if not keys.has(key):
        return None
    if is_strict:
        keys.error(key, Sentence("is called %(name)s in this format", name=_RENAMED[key]))
    if not isinstance(keys.any(key), dict):
        return keys.like_section(key, {"flags": keys.any(key)})
    section = keys.section(key)
    section.text("name")
    section.any("flags")
    section.finish()
    return section


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
        self.all_validator_args = values.validator_flags  # for every test case, from a legacy problem.yaml; come first

    def nearest(self, name: str, value: Callable[[GroupYaml], Value | None], default: Value) -> Value:
        """Return the value that the nearest file sets for the test case ("data/secret/a/1")."""
        places = (name, *map(str, PurePosixPath(name).parents))
        values = (value(self._said[place]) for place in places if place in self._said)
        return next((setting for setting in values if setting is not None), default)

    def own(self, name: str) -> GroupYaml:
        """Return the settings in the test case's own file only."""
        return self._said.get(name, _NOTHING)

    def check_flags(self) -> None:
        """Report unknown flags of the default validator, each at its file."""
        first = self.all_validator_args
        places = [(first, "problem.yaml", "validator_flags")]
        for settings in self._said.values():
            if settings.validator_args is not None:
                places.append(((*first, *settings.validator_args), settings.file, "output_validator_args"))
        for flags, file, key in places:
            try:
                parse_flags(flags, file=file, key=key)
            except PackageError as error:
                self._report.add(error)
                if flags is first:
                    return  # the same mistake in all of them

    def warn_of_unknown(self, validators: tuple[PackageProgram, ...]) -> None:
        """Warn of arguments for missing input validators."""
        names = {""} | {name for program in validators for name in names_of(program)}
        for settings in self._said.values():
            for name in settings.input_validator_args or ():
                if name not in names:
                    why = Sentence("names %(name)r, which is no program in input_validators/", name=name[:60])
                    self._report.warn(settings.file, "input_validator_args", why)

    def is_scoring(self) -> bool:
        """Return whether it is a scoring problem; if a legacy package does not say, its test groups decide."""
        if self._values.is_scoring is not None:
            return self._values.is_scoring
        scoring = next((settings for settings in self._said.values() if gives_points(settings.grading)), None)
        if scoring is None and not gives_points(self._values.grading):
            return False
        file = scoring.file if scoring else "grading"
        why = Sentence("is not given: taken as scoring, since %(file)s says how points are made", file=file)
        self._report.warn("problem.yaml", "type", why)
        return True

    def tree(self, cases: tuple[TestCase, ...]) -> TestGroup:
        """Return data/ of a scoring problem as a tree; the report gets errors in its points."""
        if cases and all(case.is_sample for case in cases):
            self._report.error("data/secret", "", Sentence("has no test case: samples give no points, so nothing does"))
        if self._is_legacy_tree and not self._report.is_strict:
            gradings = {_below(name): settings.grading for name, settings in self._said.items()}
            warn_of_misplaced(gradings, self._report)
            return legacy_tree(cases, lambda name: gradings.get(name, NO_GRADING), self._values.grading)
        points: dict[str, PointsYaml] = {}
        for name, settings in self._said.items():
            if PurePosixPath(settings.file).name != _NEW:
                continue
            if name == "data" and settings.points.names:
                why = Sentence("must stand in data/secret or in a folder of it")
                self._report.error(settings.file, settings.points.names[0], why)
            elif _below(name).split("/")[0] in ("sample", "secret"):
                points[_below(name)] = settings.points
        return points_tree(cases, points, self._report)

    def in_domjudge(self, cases: tuple[TestCase, ...]) -> TestGroup | None:
        """Return the tree of a legacy scoring problem in DOMjudge's dialect; None for other formats."""
        if not self._is_legacy_tree or self._report.is_strict:
            return None
        return domjudge_tree(cases, {_below(name): settings.grading for name, settings in self._said.items()})

    def mark_of_kattis(self) -> str:
        """Return a key that only Kattis's dialect has, from any settings file; "" for none."""
        for name, settings in self._said.items():
            if mark := is_of_kattis(settings.grading):
                return Sentence("%(mark)s in %(file)s", mark=mark, file=f"{name}/{_LEGACY}")
        return ""

    def warn_of_points(self) -> None:
        """Warn of settings for scoring in a pass-fail problem."""
        reported: set[str] = set()
        for settings in self._said.values():
            keys = set(settings.points.names)
            if gives_points(settings.grading):
                keys.add("accept_score, reject_score and range")
            for key in sorted(keys - reported):
                self._report.notice(settings.file, key, Sentence("is not used: the problem is pass-fail, not scoring"))
            reported |= keys

    def _read(self, name: str, path: Path, files: Mapping[str, Path]) -> None:
        base, folder, case = PurePosixPath(name).name, str(PurePosixPath(name).parent), name.removesuffix(".yaml")
        is_group, is_strict = base in (_NEW, _LEGACY), self._report.is_strict
        if not is_group and f"{case}.in" not in files:
            return
        if base == _LEGACY and (is_strict or f"{folder}/{_NEW}" in files):
            self._report.warn(name, "", Sentence("is not read: %(file)s is what counts here", file=_NEW))
            return
        try:
            keys = Keys(read_yaml(path, name, self._report, self._values.constants), name, self._report)
        except PackageError as error:
            self._report.add(error)
            return
        settings = read_settings(keys, name, is_group=is_group, is_strict=is_strict, is_legacy=self._values.is_legacy)
        self._said[folder if is_group else case] = settings


def names_of(program: PackageProgram) -> tuple[str, ...]:
    """Return the names of an input validator in settings: its file's or folder's name, with or without extension."""
    path = PurePosixPath(program.name)
    return (path.name, path.stem)


def _below(name: str) -> str:
    """Return a folder's name below data/, "" for data/ itself."""
    return name.removeprefix("data").removeprefix("/")
