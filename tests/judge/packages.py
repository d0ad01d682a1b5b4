"""Problem packages for the tests: values over files in a folder, without the loader."""

from dataclasses import replace
from pathlib import Path

from problems.diagnostics import Report
from problems.format.included_files import find_submitted
from problems.package import Package, PackageProgram, ProblemLimits, TestCase
from sandbox.types import MIB

LIMITS = ProblemLimits(time_limit_ms=1_000, memory_bytes=64 * MIB, output_bytes=1 * MIB, validation_time_ms=2_000)
SUM_CASES = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("2 2\n", "4\n"), "secret/2": ("9 1\n", "10\n")}


def make_package(
    folder: Path,
    cases: dict[str, tuple[str, str]] | None = None,
    *,
    limits: ProblemLimits = LIMITS,
    flags: tuple[str, ...] = (),
    validator: tuple[str, str] | None = None,
    is_interactive: bool = False,
) -> Package:
    """A package with these inputs and answers by name, perhaps with an output validator: its name and source."""
    cases = SUM_CASES if cases is None else cases
    for name, contents in cases.items():
        for suffix, content in zip((".in", ".ans"), contents, strict=True):
            path = folder / "data" / f"{name}{suffix}"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    return Package(
        path=folder,
        short_name="sum",
        name="Sum",
        digest="0" * 64,
        limits=limits,
        test_cases=tuple(
            TestCase(
                name=name,
                input=folder / "data" / f"{name}.in",
                answer=folder / "data" / f"{name}.ans",
                is_sample=name.startswith("sample/"),
                validator_args=flags,
            )
            for name in cases
        ),
        statements=(),
        validator_flags=flags,
        output_validator=_make_validator(folder, validator) if validator else None,
        submissions=(),
        is_interactive=is_interactive,
    )


def with_included(package: Package, language: str, *files: Path) -> Package:
    """The package with these files compiled along with each submission in the language."""
    included = {language: tuple((file.name, file) for file in files)}
    submitted = find_submitted({}, included, package.submissions, Report())
    return replace(package, included=included, submitted=submitted)


def _make_validator(folder: Path, validator: tuple[str, str]) -> PackageProgram:
    name, source = validator
    path = folder / "output_validator" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(source)
    return PackageProgram(path=path, language="python" if name.endswith(".py") else "cpp", entry=name)
