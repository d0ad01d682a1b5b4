"""Packages written for one test, as the loader sees them."""

from pathlib import Path

import pytest

from problems.loading.loading import load_package
from problems.package import Package, PackageErrors, TestCase

NEW_YAML = (
    "problem_format_version: 2025-09\nname: A plus B\nuuid: 1b6d6f19-105f-4b3b-9c31-e87a7524d243\n"
    "limits: {time_limit: 2}\n"
)
LEGACY_YAML = "name: x\nlimits: {time_limit: 1}\n"
SCORING = {"problem.yaml": f"{NEW_YAML}type: scoring\n"}
DRAFT = {"problem.yaml": SCORING["problem.yaml"].replace("2025-09", "2023-07-draft")}
LEGACY_SCORING = {"problem.yaml": f"{LEGACY_YAML}type: scoring\n"}


def errors_of(path: Path) -> list[str]:
    """What is wrong with the package."""
    with pytest.raises(PackageErrors) as caught:
        load_package(path)
    return [str(error) for error in caught.value.errors]


def case_of(package: Package, name: str = "secret/1") -> TestCase:
    """Its test case of this name."""
    (found,) = [case for case in package.test_cases if case.name == name]
    return found


def cases(*names: str) -> dict[str, str]:
    """The files of these test cases ("secret/a/1")."""
    return {f"data/{name}.{ending}": f"{name}\n" for name in names for ending in ("in", "ans")}
