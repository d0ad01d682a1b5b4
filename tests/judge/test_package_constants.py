"""Constants of a package are in place in every program that is run."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.validators import files_of
from problems.package import PackageProgram


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_validator_is_compiled_with_its_constants(tmp_path: Path, is_folder: bool) -> None:
    (tmp_path / "check.py").write_text("MOST = {{n}}\nOTHER = '{{m}}'\n")
    path = tmp_path if is_folder else tmp_path / "check.py"
    program = PackageProgram(path=path, language="python", entry="check.py", constants={"n": "5"})
    assert files_of(program) == {"check.py": b"MOST = 5\nOTHER = '{{m}}'\n"}
    assert files_of(replace(program, constants={})) == {"check.py": (tmp_path / "check.py").read_bytes()}
