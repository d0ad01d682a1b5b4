"""Constants of a package are in place in every program that is run."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.checkers.validators import files_of
from problems.format.programs import MOST_BYTES
from problems.package import PackageError, PackageProgram


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_validator_is_compiled_with_its_constants(tmp_path: Path, is_folder: bool) -> None:
    (tmp_path / "check.py").write_text("MOST = {{n}}\nOTHER = '{{m}}'\n")
    path = tmp_path if is_folder else tmp_path / "check.py"
    program = PackageProgram(path=path, language="python", entry="check.py", constants={"n": "5"})
    assert files_of(program) == {"check.py": b"MOST = 5\nOTHER = '{{m}}'\n"}
    assert files_of(replace(program, constants={})) == {"check.py": (tmp_path / "check.py").read_bytes()}


@pytest.mark.parametrize("big", ["main.cpp", "data", "beside", "constants"])
def test_no_more_of_a_program_is_read_than_memory_should_hold(
    tmp_path: Path, big: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "v"
    folder.mkdir()
    (folder / "main.cpp").write_text('#include "testlib.h"\n{{a}}{{a}}{{a}}')
    (folder / "data").write_text("x" * 100)
    program = PackageProgram(path=folder, language="cpp", entry="main.cpp", name="output_validators/v")
    assert len(files_of(program)) == 2
    if big == "beside":
        program = replace(program, path=folder / "main.cpp")
        os.truncate((folder / "data").rename(folder / "testlib.h"), MOST_BYTES)
    elif big == "constants":
        program = replace(program, constants={"a": "x" * (MOST_BYTES // 3 - 10)})
    else:
        os.truncate(folder / big, MOST_BYTES)
    sizes = []
    read = Path.read_bytes

    def noted(path: Path) -> bytes:
        sizes.append(path.stat().st_size)
        return read(path)

    monkeypatch.setattr(Path, "read_bytes", noted)
    with pytest.raises(PackageError, match="output_validators/v: has more than 64 MiB in its files"):
        files_of(program)
    assert sum(sizes) <= MOST_BYTES
