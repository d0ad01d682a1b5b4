"""Compiled validators are kept by content, whoever else adds and removes entries at the same time."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judge import validators
from judge.compilation import Executable
from judge.languages import CPP, PROGRAM_FOLDER
from sandbox.types import Mount


@pytest.fixture
def compiled(tmp_path: Path) -> Executable:
    (tmp_path / "main").write_bytes(b"\x7fELF and more")
    mount = Mount(source=tmp_path, target=PROGRAM_FOLDER)
    return Executable(argv=(f"{PROGRAM_FOLDER}/main",), mount=mount, is_compiled=True)


def test_what_is_kept_is_copied_out_ready_to_run(tmp_path: Path, compiled: Executable) -> None:
    cached, build = tmp_path / "cache" / "digest", tmp_path / "build"
    build.mkdir()
    assert validators._from_cache(cached, CPP, build) is None
    validators._keep(compiled, cached)
    found = validators._from_cache(cached, CPP, build)
    assert found is not None
    program = found.mount.source / "main"
    assert (program.read_bytes(), program.stat().st_mode & 0o777) == (b"\x7fELF and more", 0o755)


def test_workers_that_keep_and_drop_at_once_do_not_fail(
    tmp_path: Path, compiled: Executable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validators, "_CACHE_ENTRIES", 3)

    def work(worker: int) -> None:
        for number in range(100):
            cached = tmp_path / "cache" / f"{worker}-{number}"
            validators._keep(compiled, cached)
            build = tmp_path / f"build-{worker}-{number}"
            build.mkdir()
            validators._from_cache(cached, CPP, build)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert len(list((tmp_path / "cache").iterdir())) <= 3 + 4
