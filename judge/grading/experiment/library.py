"""Load the ready experiments: folders `library/KEY/` with an `experiment.yaml` and the sources beside it.

The file has the keys of `ExperimentSpec`. In it a variant's `source` is the name of a file beside it, and in the place
of `input` there may be `input_file`, likewise a name. Two variants may name the same file.
Texts in other languages: `judge.grading.experiment.texts`.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from judge.grading.experiment.checks import check
from judge.grading.experiment.spec import ExperimentSpec, SpecError, spec_from_json
from problems.format.yamlfile import YamlProblem, parse_yaml
from problems.translation import Sentence

LIBRARY = Path(__file__).parent / "library"
_FILE = "experiment.yaml"


@cache
def ready_experiments() -> Mapping[str, ExperimentSpec]:
    """Return every ready experiment by key, in order. Raises SpecError: the library is at fault."""
    return MappingProxyType(read_library(LIBRARY))


def read_library(folder: Path) -> dict[str, ExperimentSpec]:
    """Return the experiments below a folder. Raises SpecError with all errors, by file and key."""
    specs: dict[str, ExperimentSpec] = {}
    problems: dict[str, Sentence] = {}
    for path in sorted(folder.glob(f"*/{_FILE}")):
        try:
            specs[path.parent.name] = _read(path)
        except SpecError as error:
            problems |= {f"{path.parent.name}/{_FILE}: {key}": why for key, why in error.problems.items()}
    if problems:
        raise SpecError(problems)
    return specs


def _read(path: Path) -> ExperimentSpec:
    try:
        value, _ = parse_yaml(path.read_text("utf-8"))
    except (YamlProblem, UnicodeDecodeError) as error:
        raise SpecError({"": Sentence("is no YAML: %(error)s", error=str(error))}) from error
    if isinstance(value, dict):
        value = _with_files(value, path.parent)
    spec = spec_from_json(value)
    check(spec)
    return spec


def _with_files(value: dict[str, Any], folder: Path) -> dict[str, Any]:
    """Replace file names by the files' contents."""
    value = dict(value)
    if "input_file" in value:
        value["input"] = _content(folder, value.pop("input_file"), "input_file")
    variants = value.get("variants")
    if isinstance(variants, list):
        value["variants"] = [
            {**variant, "source": _content(folder, variant["source"], f"variants.{place}.source")}
            if isinstance(variant, dict) and "source" in variant
            else variant
            for place, variant in enumerate(variants)
        ]
    return value


def _content(folder: Path, name: object, key: str) -> str:
    if not isinstance(name, str) or Path(name).name != name:
        raise SpecError({key: Sentence("must be the name of a file beside experiment.yaml")})
    try:
        return (folder / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError({key: Sentence("cannot be read: %(words)s", words=str(error))}) from error
