"""The generator of inputs by size: where it lies, when it is left out, and that it stays in the package."""

import io
import zipfile
from pathlib import Path

import pytest

from problems.archive.export import zip_chunks
from problems.loading.loading import load_package
from tests.problems.conftest import Write

GENERATOR = {"generators/growth.py": "import sys\nprint(int(sys.argv[1]))\n"}
VALIDATOR = {"input_validators/check.py": "import sys\nsys.exit(42)\n"}


@pytest.mark.parametrize("name", ["growth.py", "growth.cpp", "growth/main.py", "growth/run"])
def test_it_is_a_file_or_a_folder_named_growth(new: Write, name: str) -> None:
    package = load_package(new({f"generators/{name}": "x", **VALIDATOR}))
    assert package.growth_generator is not None
    assert f"generators/{name}".startswith(package.growth_generator.name)
    assert not any("generators" in warning for warning in package.warnings)


def test_other_generators_are_left_alone(new: Write) -> None:
    others = {"generators/gen.py": "x", "generators/growth.yaml": "x", "generators/growths.py": "x"}
    package = load_package(new({**others, **VALIDATOR}))
    assert package.growth_generator is None
    assert not any("generators" in warning for warning in package.warnings)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({}, "is not used: no input validator checks what it prints"),
        ({"input_validators/check.viva": "x"}, "is not used: no input validator checks what it prints"),
        ({**VALIDATOR, "data/secret/1.files/extra.txt": "x"}, "is not used: programs of this problem get arguments"),
        ({**VALIDATOR, "generators/growth.py": None, "generators/growth.java": "x"}, "is not run: it must be in"),
    ],
)
def test_one_that_cannot_be_trusted_or_run_is_left_out_with_a_warning(
    new: Write, changes: dict[str, str | None], why: str
) -> None:
    package = load_package(new({**GENERATOR, **changes}))
    assert package.growth_generator is None
    (warning,) = [warning for warning in package.warnings if warning.startswith("generators/growth.")]
    assert why in warning


def test_of_an_interactive_problem_it_is_not_used(legacy: Write) -> None:
    checker = {"output_validators/talk.py": "x", "problem.yaml": "name: Talk\nvalidation: custom interactive\n"}
    package = load_package(legacy({**GENERATOR, **VALIDATOR, **checker}))
    assert package.growth_generator is None
    assert any("without an interactor" in warning for warning in package.warnings)


def test_it_stays_in_the_exported_package(new: Write, tmp_path: Path) -> None:
    package = load_package(new({**GENERATOR, **VALIDATOR}))
    with zipfile.ZipFile(io.BytesIO(b"".join(zip_chunks(package)))) as archive:
        archive.extractall(tmp_path / "again")
    again = load_package(tmp_path / "again" / package.short_name)
    assert again.digest == package.digest
    assert again.growth_generator is not None
