"""A version as a zip: the same bytes every time, and the same digest when it comes back."""

import io
import os
import time
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from problems.archive.export import zip_chunks
from problems.archive.upload import staged_package
from problems.format.files import MIB
from problems.loading.loading import load_package
from problems.package import Package, PackageErrors
from problems.store.store import PackageStore
from tests.problems.conftest import Write

SCRIPTS = {
    ".timelimit": "3\n",
    "output_validators/check/run": "exit 42\n",
    "submissions/accepted/tool.py": "#!/usr/bin/python3\n",
    "data/secret/ä b #2.in": "1\n",
    "data/secret/ä b #2.ans": "1\n",
}


def zipped(package: Package) -> bytes:
    return b"".join(zip_chunks(package))


def test_reupload_has_the_same_digest(legacy: Write, tmp_path: Path) -> None:
    package = load_package(legacy(SCRIPTS))
    store = PackageStore(tmp_path / "store")
    stored = store.open(store.add(package.path))
    data = zipped(stored)
    with staged_package(io.BytesIO(data), staging_root=tmp_path / "stage", name="other.zip") as staged:
        again = load_package(staged.folder)
    assert (again.digest, again.short_name) == (package.digest, package.short_name)
    assert zipped(package) == data


def test_archive_does_not_tell_when_it_was_made(legacy: Write) -> None:
    folder = legacy({})
    before = zipped(load_package(folder))
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - 1e6, time.time() - 1e6))
        path.chmod(0o700)
    assert zipped(load_package(folder)) == before
    with zipfile.ZipFile(io.BytesIO(before)) as archive:
        assert {info.date_time for info in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist() == sorted(archive.namelist())
        assert archive.testzip() is None


def test_all_lies_in_one_folder_and_scripts_may_be_executed(legacy: Write) -> None:
    package = load_package(legacy(SCRIPTS))
    with zipfile.ZipFile(io.BytesIO(zipped(package))) as archive:
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in archive.infolist()}
    assert {name.split("/")[0] for name in modes} == {package.short_name}
    assert {name.rpartition("/")[2] for name, mode in modes.items() if mode == 0o755} == {"run", "tool.py"}
    assert set(modes.values()) == {0o755, 0o644}


@pytest.mark.thorough
def test_large_files_go_through_piece_by_piece(legacy: Write) -> None:
    folder = legacy({"data/secret/1.in": os.urandom(MIB) * 24})
    package = load_package(folder)
    tracemalloc.start()
    try:
        largest = max(map(len, zip_chunks(package)))
        assert tracemalloc.get_traced_memory()[1] < 4 * MIB
    finally:
        tracemalloc.stop()
    assert largest <= 512 * 1024


def test_links_are_written_as_files_and_those_outside_refused(legacy: Write, tmp_path: Path) -> None:
    folder = legacy({})
    (folder / "data/secret/2.in").symlink_to("1.in")
    (folder / "data/secret/2.ans").symlink_to("1.ans")
    package = load_package(folder)
    with zipfile.ZipFile(io.BytesIO(zipped(package))) as archive:
        assert archive.read(f"{package.short_name}/data/secret/2.ans") == b"5\n"
    (folder / "data/secret/3.in").symlink_to(tmp_path)
    with pytest.raises(PackageErrors, match="leads out of the package"):
        next(zip_chunks(package))
