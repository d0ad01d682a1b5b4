"""A version that was damaged in the storage or in a machine's folder is not used, and comes back where it can."""

import io
import os
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from problems.format.files import package_digest
from problems.store import cached_store
from problems.store.store import PackageMissing
from tests.problems.conftest import Write
from tests.problems.store.machines import Machine, left, objects
from tests.problems.store.s3 import S3Server

Damage = Callable[[Path], object]  # done to a version's folder


def _cut(content: bytes) -> bytes:
    return content[:-100]


def _with_a_file_more(content: bytes) -> bytes:
    copy = io.BytesIO(content)
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr(f"{archive.namelist()[0].split('/')[0]}/data/secret/more.in", "1\n")
    return copy.getvalue()


def _with_a_link(content: bytes) -> bytes:
    copy = io.BytesIO(content)
    with zipfile.ZipFile(copy, "a") as archive:
        info = zipfile.ZipInfo(f"{archive.namelist()[0].split('/')[0]}/data/secret/more.in")
        info.external_attr = 0o120777 << 16
        archive.writestr(info, "1.in")
    return copy.getvalue()


def _out_of_the_folder(content: bytes) -> bytes:
    copy = io.BytesIO(content)
    with zipfile.ZipFile(copy, "a") as archive:
        archive.writestr("../outside", "1\n")
    return copy.getvalue()


@pytest.mark.parametrize("damage", [_cut, _with_a_file_more, _with_a_link, _out_of_the_folder, lambda _: b"no zip"])
@pytest.mark.costly
def test_damaged_object_is_not_used_and_leaves_nothing(
    machine: Machine, legacy: Write, s3_server: S3Server, bucket: str, damage: Callable[[bytes], bytes]
) -> None:
    digest = machine("web").add(legacy({}))
    s3_server.put(bucket, f"tally/{digest}.zip", damage(objects(s3_server, bucket)[f"{digest}.zip"]))
    there = machine("worker")
    with pytest.raises(PackageMissing, match=f"version {digest[:12]} in the package storage is damaged"):
        there.open(digest)
    assert not left(there)


@pytest.mark.thorough
def test_object_that_is_too_large_is_not_downloaded(
    machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest = machine("web").add(legacy({}))
    monkeypatch.setattr(cached_store, "_MOST_ARCHIVE_BYTES", 20)
    with pytest.raises(PackageMissing, match=r"is damaged: it has [0-9]+ bytes"):
        machine("worker").open(digest)


def _empty(name: str) -> Damage:
    return lambda folder: os.truncate(folder / name, 0)


def _remove(name: str) -> Damage:
    return lambda folder: (folder / name).unlink()


def _write(name: str, text: str) -> Damage:
    return lambda folder: (folder / name).write_text(text)


@pytest.mark.parametrize("is_read_before", [True, pytest.param(False, marks=pytest.mark.thorough)])
@pytest.mark.parametrize(
    "damage",
    [
        _write("data/secret/1.in", "changed\n"),
        _write("problem.yaml", "{"),
        _write("data/secret/another.in", "1\n"),
        _empty("data/secret/1.ans"),
        _empty("problem.yaml"),
        _remove("problem.yaml"),
        _remove("data/secret/1.ans"),
        shutil.rmtree,
    ],
)
@pytest.mark.costly
def test_copy_that_was_damaged_here_is_fetched_again(
    machine: Machine, legacy: Write, damage: Damage, is_read_before: bool
) -> None:
    digest = machine("web").add(legacy({}))
    there = machine("worker")
    whole = there.file(digest, "problem.yaml").parent
    if is_read_before:
        there.open(digest)
    damage(whole)
    with there.using(digest) as package:
        assert package.digest == package_digest(package.path) == digest
    assert left(there) == {digest}


def test_file_that_was_lost_here_is_fetched_again(machine: Machine, legacy: Write) -> None:
    digest = machine("web").add(legacy({}))
    there = machine("worker")
    there.file(digest, "data/secret/1.in").unlink()
    assert there.file(digest, "data/secret/1.in").read_text() == "2 3\n"
    with pytest.raises(PackageMissing, match="has no file nothing"):
        there.file(digest, "nothing")


def test_damaged_version_is_not_sent(machine: Machine, legacy: Write, s3_server: S3Server, bucket: str) -> None:
    web = machine("web")
    digest = web.add(legacy({}))
    s3_server.client.delete_object(Bucket=bucket, Key=f"tally/{digest}.zip")
    web.file(digest, "problem.yaml").write_text("")
    with pytest.raises(PackageMissing, match="is damaged: it was changed"):
        web.send(digest)
    assert not objects(s3_server, bucket)
