"""The problems that ship with Tally: whole, in three languages, with inputs that their own validators accept.

That every jury submission gets the verdict of its folder is for `manage.py verify` and the real jail.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from problems.loading.loading import load_package
from problems.package import Package
from problems.statement.statement import render_statement

LIBRARY = Path(__file__).resolve().parents[3] / "problems" / "library"
FOLDERS = sorted(path.parent for path in LIBRARY.glob("*/problem.yaml"))
ACCEPTED, REJECTED = 42, 43
MOST_BYTES = 12 * 1024 * 1024  # of the whole library: it is cloned by everybody

each_problem = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


@pytest.fixture
def package(folder: Path) -> Package:
    """The package in the folder, as the loader sees it."""
    return load_package(folder)


def run_python(script: Path, *arguments: str, given: bytes = b"") -> int:
    """The exit code of a Python program of a package with these bytes on its standard input."""
    command = [sys.executable, "-I", str(script), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=False, timeout=60).returncode


def validate_input(folder: Path, given: bytes) -> int:
    """The exit code of the folder's one input validator."""
    (validator,) = (folder / "input_validators").iterdir()
    return run_python(validator, given=given)


def test_library_has_at_least_ten_problems_and_stays_small() -> None:
    assert len(FOLDERS) >= 10
    assert sum(path.stat().st_size for path in LIBRARY.rglob("*") if path.is_file()) <= MOST_BYTES


def test_every_problem_has_an_identity_of_its_own() -> None:
    uuids = [yaml.safe_load((folder / "problem.yaml").read_text())["uuid"] for folder in FOLDERS]
    assert len(set(uuids)) == len(FOLDERS)


def test_every_problem_is_open_since_its_data_is_public() -> None:
    assert all(load_package(folder).limits.exact_numbers for folder in FOLDERS)


def exact_parts(html: str) -> tuple[list[str], list[str], list[str]]:
    """What a translation does not change: levels and hints of the headings, formulas, code."""
    headings = re.findall(r'<h[1-6](?: id="statement-what-to-look-at")?', html)
    formulas, code = (re.findall(f"<{tag}[ >].*?</{tag}>", html, re.DOTALL) for tag in ("math", "code"))
    return headings, sorted(formulas), sorted(code)


@each_problem
@pytest.mark.costly
def test_package_loads_and_its_statement_renders_without_a_warning(folder: Path, package: Package) -> None:
    assert package.warnings == ()
    assert re.fullmatch(r"[a-z0-9]+", package.short_name), "the format allows lower-case letters and digits only"
    english, korean = package.statements
    assert (english.language, korean.language) == ("en", "ko")
    assert english.title != korean.title
    pages = [render_statement(statement) for statement in (english, korean)]
    assert [page.warnings for page in pages] == [(), ()]
    assert exact_parts(pages[0].html) == exact_parts(pages[1].html)


@each_problem
def test_problem_is_solved_in_three_languages_and_missed_in_some_way(folder: Path, package: Package) -> None:
    accepted = {submission.language for submission in package.submissions if submission.expected == {"AC"}}
    assert accepted == {"python", "cpp", "rust"}
    assert any("AC" not in submission.expected for submission in package.submissions)
    assert all(submission.language for submission in package.submissions)


@each_problem
def test_problem_shows_samples_and_keeps_secrets(folder: Path, package: Package) -> None:
    samples = [case for case in package.test_cases if case.is_sample]
    assert len(samples) >= 2
    assert len(package.test_cases) - len(samples) >= 5


@each_problem
@pytest.mark.costly
def test_input_validator_accepts_every_input(folder: Path, package: Package) -> None:
    codes = {case.name: validate_input(folder, case.input.read_bytes()) for case in package.test_cases}
    assert codes == dict.fromkeys(codes, ACCEPTED)


@each_problem
@pytest.mark.costly
def test_input_validator_refuses_damaged_input(folder: Path, package: Package) -> None:
    given = package.test_cases[0].input.read_bytes()
    damaged = {
        "empty": b"",
        "one byte lost": given[:-1],
        "a line too many": given + b"1\n",
        "space": b" " + given,
        "no text": b"\xff" + given,
    }
    codes = {what: validate_input(folder, data) for what, data in damaged.items()}
    assert codes == dict.fromkeys(damaged, REJECTED)


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder by name, without settings."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".yaml")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.mark.thorough
@each_problem
def test_generator_writes_the_secret_data_again(folder: Path, tmp_path: Path) -> None:
    secret = tmp_path / "data" / "secret"
    secret.mkdir(parents=True)
    shutil.copytree(folder / "generators", tmp_path / "generators")
    assert run_python(tmp_path / "generators" / "generate.py") == 0
    kept, made = contents(folder / "data" / "secret"), contents(secret)
    assert [name for name in sorted({*kept, *made}) if kept.get(name) != made.get(name)] == []


@pytest.mark.parametrize("generator", sorted(LIBRARY.glob("*/generators/growth.py")), ids=lambda path: path.parts[-3])
@pytest.mark.costly
def test_generator_by_size_prints_inputs_that_the_validator_accepts_as_far_as_they_may_go(generator: Path) -> None:
    assert {_validate_generated(generator, size) for size in (2, 64, 4_096)} == {ACCEPTED}
    assert REJECTED in (_validate_generated(generator, size) for size in (2**20, 2**22, 2**24))
    assert load_package(generator.parents[1]).growth_generator


def _validate_generated(generator: Path, size: int) -> int:
    command = [sys.executable, "-I", str(generator), str(size)]
    made = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return validate_input(generator.parents[1], made.stdout)


@pytest.mark.parametrize("answer", sorted(LIBRARY.glob("*/data/*valid_output/*.ans")), ids=lambda path: path.stem)
@pytest.mark.costly
def test_checker_in_python_knows_right_from_wrong(answer: Path, tmp_path: Path) -> None:
    (checker,) = (answer.parents[2] / "output_validator").glob("*.py")
    expected = ACCEPTED if answer.parent.name == "valid_output" else REJECTED
    given = answer.with_suffix(".out").read_bytes()
    assert run_python(checker, str(answer.with_suffix(".in")), str(answer), f"{tmp_path}/", given=given) == expected
    assert (tmp_path / "judgemessage.txt").exists() == (expected == REJECTED)
