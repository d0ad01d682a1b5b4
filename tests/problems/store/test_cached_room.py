"""What a machine removes from its folder when the room gets scarce, and what it never does."""

import os
from pathlib import Path

import pytest

from problems.format.files import MIB
from problems.store import cached_store
from problems.store.store import PackageStore
from tests.problems.conftest import Write
from tests.problems.store.machines import LONG_AGO, Machine, forget_when, left


def test_longest_unused_makes_room(machine: Machine, legacy: Write) -> None:
    web = machine("web")
    old, newer, last = (
        web.add(legacy({"data/secret/1.in": os.urandom(MIB // 2), "title": name})) for name in ("a", "b", "c")
    )
    there = machine("worker", most_bytes=int(1.2 * MIB))
    for digest, age_s in ((old, LONG_AGO), (newer, LONG_AGO / 2)):
        there.open(digest)
        forget_when(there, digest, age_s)
    there.open(last)
    assert left(there) == {newer, last}
    there.open(old)  # it comes back
    assert left(there) == {old, last}


def test_version_in_use_is_never_removed(machine: Machine, legacy: Write) -> None:
    web = machine("web")
    used, other = (web.add(legacy({"data/secret/1.in": os.urandom(MIB // 2), "title": name})) for name in ("a", "b"))
    there = machine("worker", most_bytes=1)
    with there.using(used) as package:
        forget_when(there, used)
        there.open(other)
        assert (package.path / "problem.yaml").is_file()
    forget_when(there, used)
    forget_when(there, other)
    there._make_room(0)
    assert not left(there)


@pytest.mark.thorough
def test_version_that_a_page_just_reads_stays_for_it(machine: Machine, legacy: Write) -> None:
    web = machine("web")
    used, other = (web.add(legacy({"title": name})) for name in ("a", "b"))
    there = machine("worker", most_bytes=1)
    file = there.file(used, "problem.yaml")
    there.open(other)
    assert file.is_file()


def test_full_disk_makes_room_too(machine: Machine, legacy: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    web = machine("web")
    old, wanted = (web.add(legacy({"title": name})) for name in ("a", "b"))
    there = machine("worker")
    there.open(old)
    forget_when(there, old)
    monkeypatch.setattr(cached_store, "LEAST_FREE_BYTES", 1 << 60)  # as if hardly anything were left
    there.open(wanted)
    assert left(there) == {wanted}


@pytest.mark.thorough
def test_what_the_storage_does_not_have_is_never_removed(machine: Machine, legacy: Write, tmp_path: Path) -> None:
    folder = legacy({})
    digest = PackageStore(tmp_path / "worker").add(folder)  # from the time before there was a storage
    there = machine("worker", most_bytes=1)
    forget_when(there, digest)
    there._make_room(0)
    assert there.is_here(digest)
    there.send(digest)
    forget_when(there, digest)
    there._make_room(0)
    assert not there.is_here(digest)
    assert there.open(digest).digest == digest
