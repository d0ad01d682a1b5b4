"""Packages with the settings that were chosen for their problems: read again, they are judged by these."""

from pathlib import Path

import pytest

from problems.editing.editing import files_as_judged
from problems.format.files import MIB
from problems.loading.loading import load_package
from problems.package import Package
from tests.problems.conftest import LEGACY, NEW, Write, write_files


def again(package: Package, tmp_path: Path, **chosen: object) -> Package:
    """The package as it is read after it was downloaded with these settings."""
    with files_as_judged(package, chosen) as files:
        return load_package(write_files(tmp_path / "again", {name: path.read_bytes() for name, path in files.items()}))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"problem.yaml": "# mine\nname: A plus B\n"},
        {"problem.yaml": "name: A plus B\n", ".timelimit": "3\n"},
        {"problem.yaml": "name: A plus B\n", "domjudge-problem.ini": "timelimit = 3\n"},
        {"problem.yaml": "name: A plus B\nlimits: {time_limit: 2, time_resolution: 1}\n"},
    ],
)
def test_a_chosen_time_limit_stands_in_a_legacy_package(changes: dict[str, str], legacy: Write, tmp_path: Path) -> None:
    package = again(load_package(legacy(changes)), tmp_path, time_limit_ms=1_250)
    assert (package.limits.time_limit_ms, package.is_time_limit_given) == (1_250, True)
    yaml = (package.path / "problem.yaml").read_text()
    assert ("time_limit" in yaml) is ("time_limit" in changes.get("problem.yaml", LEGACY["problem.yaml"]))
    assert yaml.startswith("# mine") is ("# mine" in changes.get("problem.yaml", ""))


@pytest.mark.parametrize("yaml", [NEW["problem.yaml"], NEW["problem.yaml"].replace("limits: {time_limit: 2}\n", "")])
def test_a_chosen_time_limit_stands_in_a_new_package(yaml: str, new: Write, tmp_path: Path) -> None:
    package = again(load_package(new({"problem.yaml": yaml})), tmp_path, time_limit_ms=1_250)
    assert (package.limits.time_limit_ms, package.is_time_limit_given) == (1_250, True)


@pytest.mark.parametrize("is_legacy", [True, False])
def test_every_limit_that_a_package_can_say_is_said(is_legacy: bool, legacy: Write, new: Write, tmp_path: Path) -> None:
    chosen = {
        "memory_bytes": 64 * MIB,
        "output_bytes": 3 * MIB,
        "code_bytes": 7 * 1024,
        "write_calls": 9,
        "read_calls": 8,
        "write_factor": 2.5,
        "exact_numbers": True,
    }
    of_the_site = {"processes": 3, "cores": 2, "stdout": "pipe", "score_policy": "accepted"}
    package = load_package((legacy if is_legacy else new)({}))
    limits = again(package, tmp_path, **chosen, **of_the_site).limits
    assert {name: getattr(limits, name) for name in chosen} == chosen
    assert {name: getattr(limits, name) for name in of_the_site} == {
        name: getattr(package.limits, name) for name in of_the_site
    }


def test_other_files_stay_as_they_are(legacy: Write, tmp_path: Path) -> None:
    package = load_package(legacy({"attachments/notes.txt": "x\r\n"}))
    with files_as_judged(package, {"time_limit_ms": 900, "stdout": "pipe"}) as files:
        found = {name: path.read_bytes() for name, path in files.items()}
    assert found.pop("problem.yaml") == b"name: A plus B\nlimits:\n  time_limit: 0.9\n"
    assert found == {
        name: text.encode() for name, text in {**LEGACY, "attachments/notes.txt": "x\r\n"}.items() if "yaml" not in name
    }
