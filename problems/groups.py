"""The settings of test groups and single test cases: test_group.yaml, legacy testdata.yaml, and NAME.yaml.

Tally takes the checker's flags from them. What would change how a program is run is refused until it is supported.
Source: "Test data configuration" (2025-09) and "Test data groups" (legacy) of the package format.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from problems.keys import Keys
from problems.package import PackageError
from problems.report import Report
from problems.yamlfile import read_yaml

_GROUP_FILES = ("test_group.yaml", "testdata.yaml")
_IGNORED = (  # about input validators and pictures, which do not touch the verdict
    "input_validator_args",
    "input_validator_flags",
    "input_visualizer_args",
    "output_visualizer_args",
    "hint",
    "description",
)
_SCORING = (
    "max_score",
    "score_aggregation",
    "require_pass",
    "on_reject",
    "grading",
    "grader_flags",
    "accept_score",
    "reject_score",
    "range",
)
_UNSUPPORTED = ("args", "static_validation_score", "static_validator_args")


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupFlags:
    """The checker's flags that a settings file gives, and the file that gives them."""

    file: str
    flags: tuple[str, ...]


class GroupSettings:
    """The settings of every folder below data/, and of every test case that has a file of its own."""

    def __init__(self, files: Mapping[str, Path], report: Report) -> None:
        self._by_name: dict[str, GroupFlags] = {}
        for name, path in files.items():
            is_group = PurePosixPath(name).name in _GROUP_FILES
            is_case = name.endswith(".yaml") and f"{name.removesuffix('.yaml')}.in" in files
            if name.startswith("data/") and (is_group or is_case):
                self._read(name, path, str(PurePosixPath(name).parent) if is_group else name[:-5], report)

    def flags_of(self, case: str) -> GroupFlags | None:
        """The flags for the test case ("data/secret/a/1"), from the nearest settings that give some."""
        for name in (case, *map(str, PurePosixPath(case).parents)):
            if name in self._by_name:
                return self._by_name[name]
        return None

    def _read(self, name: str, path: Path, subject: str, report: Report) -> None:
        try:
            keys = Keys(read_yaml(path, name, report), name, report)
        except PackageError as error:
            report.add(error)
            return
        for key in _UNSUPPORTED:
            if keys.any(key):
                keys.error(key, "is not supported yet")
        if keys.flag("full_feedback") and not name.startswith("data/sample"):
            keys.warn("full_feedback", "is not supported yet: the data of secret test cases stays hidden")
        flags = keys.words("output_validator_args")
        if flags is None:
            flags = keys.words("output_validator_flags")
        keys.finish((*_IGNORED, *_SCORING))
        if flags is not None:
            self._by_name[subject] = GroupFlags(file=name, flags=flags)
