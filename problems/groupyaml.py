"""Read one settings file of the test data: test_group.yaml, legacy testdata.yaml, or NAME.yaml of a single case.

Source: "Test data configuration" and "Test case configuration" (2025-09) and "Test data groups" (legacy) of the package
format. BAPCtools also writes `answer_validator_args`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from problems.keys import Keys
from problems.legacy_groups import NO_GRADING, GradingYaml, read_grading
from problems.point_groups import NO_POINTS, PointsYaml, read_points

_PICTURES = ("input_visualizer_args", "output_visualizer_args", "answer_validator_args")  # they touch no verdict
_RENAMED = {
    "output_validator_flags": "output_validator_args",
    "input_validator_flags": "input_validator_args",
}


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
    said = GroupYaml(
        file=file,
        args=keys.words("args"),
        validator_args=_output_validator_args(keys, is_strict=is_strict),
        input_validator_args=_input_validator_args(keys, is_strict=is_strict),
        has_full_feedback=keys.flag("full_feedback"),
        description=keys.text("description") or "",
        hint=keys.text("hint") or "",
        grading=read_grading(keys) if is_group and not is_strict else NO_GRADING,
        points=read_points(keys) if is_group and not is_legacy else NO_POINTS,
    )
    if said.has_full_feedback not in (None, file.startswith("data/sample")):
        keys.warn("full_feedback", "is not used: what people see of samples and secret cases is a setting in Tally")
    keys.finish(_PICTURES)
    return said


def _output_validator_args(keys: Keys, *, is_strict: bool) -> tuple[str, ...] | None:
    words = keys.words("output_validator_args")
    if words is None:
        section = _older(keys, "output_validator_flags", is_strict=is_strict)
        words = section.words("flags") if section else None
    return words


def _input_validator_args(keys: Keys, *, is_strict: bool) -> dict[str, tuple[str, ...]] | None:
    """Return arguments by validator's name; "" stands for all others."""
    key = "input_validator_args"
    if isinstance(keys.any(key), dict):
        section = keys.section(key)
        return {"": (), **{name: section.words(name) or () for name in section.names() if name}}
    words = keys.words(key)
    if words is not None:
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
        keys.error(key, f"is called {_RENAMED[key]} in this format")
    if not isinstance(keys.any(key), dict):
        return keys.like_section(key, {"flags": keys.any(key)})
    section = keys.section(key)
    section.text("name")
    section.any("flags")
    section.finish()
    return section
