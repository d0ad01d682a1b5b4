"""Backing up and restoring the real database and package store."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from pytest_django import Settings

from judge.models import Submission
from problems.management.commands.load_library import LIBRARY
from problems.models import Problem, ProblemVersion
from problems.store.publishing import publish
from problems.store.store import PackageStore
from problems.store.stores import package_store
from web.operations import backup
from web.operations.backup import PACKAGES, BackupError, back_up, restore

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def version(settings: Settings, tmp_path: Path) -> ProblemVersion:
    """A published version in a store of the test's own."""
    settings.STORE_DIR = tmp_path / "store"
    return publish(LIBRARY / "sumoftwo", owner=None)


@pytest.fixture
def submission(student: User, version: ProblemVersion) -> Submission:
    """Something that nobody can make again."""
    return Submission.objects.create(
        user=student, problem=version.problem, problem_version=version, language="python", source=b"print(\xff)\n"
    )


@pytest.fixture
def other_connection(submission: Submission) -> Iterator[Callable[[str], None]]:
    """A function that executes a statement in a transaction of another connection, which stays open."""
    parameters = connection.get_connection_params()
    with psycopg.connect(
        **{name: parameters[name] for name in ("host", "user", "dbname") if name in parameters}
    ) as other:
        yield lambda statement: (other.execute(statement), None)[1]
        other.rollback()


def _lose_all(store: Path) -> None:
    Submission.objects.all().delete()
    Problem.objects.update(current_version=None)
    ProblemVersion.objects.all().delete()
    Problem.objects.all().delete()
    shutil.rmtree(store)


def test_what_was_lost_is_back(submission: Submission, tmp_path: Path, settings: Settings) -> None:
    done = back_up(tmp_path / "backup", keep=3)
    assert (done.packages, done.new_packages, done.missing) == (1, 1, ())
    digest = submission.problem_version.digest
    _lose_all(settings.STORE_DIR)
    User.objects.create_user("later")
    assert restore(done.dump, replace=True) == 1
    found = Submission.objects.get(pk=submission.pk)
    assert bytes(found.source) == b"print(\xff)\n"
    assert found.user.username == "student"
    assert not User.objects.filter(username="later").exists(), "the moment of the backup, and nothing after it"
    assert package_store().open(digest).digest == digest


def test_a_later_backup_writes_what_is_new_and_forgets_the_oldest_dumps(
    version: ProblemVersion, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    back_up(folder, keep=1)
    (folder / "database-2020-01-01T00-00-00Z.dump").touch()
    again = back_up(folder, keep=1)
    assert (again.packages, again.new_packages) == (1, 0)
    assert [path.name for path in folder.glob("*.dump")] == [again.dump.name]
    assert sorted(path.name for path in folder.iterdir()) == [again.dump.name, PACKAGES]


def test_a_database_that_is_in_use_is_not_replaced_by_mistake(submission: Submission, tmp_path: Path) -> None:
    done = back_up(tmp_path / "backup", keep=1)
    with pytest.raises(BackupError, match="--replace"):
        restore(done.dump, replace=False)
    assert Submission.objects.filter(pk=submission.pk).exists()


@pytest.mark.parametrize("content", [b"", b"-- SQL\n", b"\x00" * 9_000, b"PK\x03\x04"])
def test_a_file_that_is_no_dump_is_one_sentence(submission: Submission, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "no.dump").write_bytes(content)
    sentence = f"{tmp_path}/no.dump is no dump that manage.py backup wrote: give FOLDER/database-....dump."
    with pytest.raises(CommandError) as refused:
        call_command("restore", str(tmp_path / "no.dump"), "--replace")
    assert str(refused.value) == sentence
    with pytest.raises(CommandError, match="There is no file"):
        call_command("restore", str(tmp_path), "--replace")
    assert Submission.objects.filter(pk=submission.pk).exists()


def test_a_damaged_dump_changes_nothing(submission: Submission, tmp_path: Path) -> None:
    done = back_up(tmp_path / "backup", keep=1)
    content = done.dump.read_bytes()
    done.dump.write_bytes(content[: len(content) // 2])
    with pytest.raises(BackupError, match="pg_restore failed"):
        restore(done.dump, replace=True)
    assert Submission.objects.filter(pk=submission.pk).exists()


def test_a_package_that_is_not_there_is_named(submission: Submission, tmp_path: Path, settings: Settings) -> None:
    digest = submission.problem_version.digest
    done = back_up(tmp_path / "backup", keep=1)
    archive = tmp_path / "backup" / PACKAGES / f"{digest}.zip"
    archive.write_bytes(archive.read_bytes()[:-100])
    with pytest.raises(BackupError, match=digest[:12]):
        restore(done.dump, replace=True)
    assert Submission.objects.filter(pk=submission.pk).exists(), "the database is restored all the same"
    archive.unlink()
    shutil.rmtree(settings.STORE_DIR)
    assert back_up(tmp_path / "backup", keep=1).missing == (digest,)
    with pytest.raises(CommandError, match=digest[:12]):
        call_command("backup", str(tmp_path / "backup"))


def test_the_commands_say_what_they_did(
    submission: Submission, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("backup", str(tmp_path / "backup"))
    assert "packages: 1, new: 1" in capsys.readouterr().out
    (dump,) = (tmp_path / "backup").glob("*.dump")
    call_command("restore", str(dump), "--replace")
    assert "packages: 1" in capsys.readouterr().out
    with pytest.raises(CommandError, match="There is no"):
        call_command("restore", str(tmp_path / "none.dump"))


@pytest.mark.parametrize("is_there", [False, True])
def test_nobody_else_may_read_a_backup(version: ProblemVersion, tmp_path: Path, is_there: bool) -> None:
    folder = tmp_path / "backup"
    if is_there:
        folder.mkdir(mode=0o755)
    before = os.umask(0o022)
    try:
        done = back_up(folder, keep=1)
    finally:
        os.umask(before)
    archive = folder / PACKAGES / f"{version.digest}.zip"
    modes = {path: path.stat().st_mode & 0o777 for path in (folder, done.dump, folder / PACKAGES, archive)}
    assert modes == {
        folder: 0o755 if is_there else 0o700,
        done.dump: 0o600,
        folder / PACKAGES: 0o700,
        archive: 0o600,
    }


def test_a_dump_is_private_from_its_first_byte(
    version: ProblemVersion, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[int] = []

    def look_at(command: list[str]) -> None:
        (target,) = (word.removeprefix("--file=") for word in command if word.startswith("--file="))
        seen.append(Path(target).stat().st_mode & 0o777)

    monkeypatch.setattr("web.operations.backup._run", look_at)
    back_up(tmp_path, keep=1)
    assert seen == [0o600]


def test_packages_are_put_back_one_after_another(
    version: ProblemVersion, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish(LIBRARY / "pairsum", owner=None)
    done = back_up(tmp_path / "backup", keep=1)
    shutil.rmtree(settings.STORE_DIR)
    passing = tmp_path / "passing"
    passing.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(passing))
    unpacked: list[int] = []
    add = PackageStore.add

    def counted(store: PackageStore, folder: Path) -> str:
        unpacked.append(len(list(passing.rglob("problem.yaml"))))
        return add(store, folder)

    monkeypatch.setattr(PackageStore, "add", counted)
    assert restore(done.dump, replace=True) == 2
    assert unpacked == [1, 1]
    assert not list(passing.iterdir())


def test_packages_that_found_no_room_are_put_back_by_the_next_try(
    submission: Submission, tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = back_up(tmp_path / "backup", keep=1)
    _lose_all(settings.STORE_DIR)
    with monkeypatch.context() as full:
        full.setattr("problems.store.cached_store.make_room", lambda _root, needed_bytes, *_: needed_bytes - 1)
        with pytest.raises(BackupError, match=r"is restored, but only 0 of 1 packages are: .*free.*once more"):
            restore(done.dump, replace=True)
    assert Submission.objects.filter(pk=submission.pk).exists()
    assert restore(done.dump, replace=True) == 1
    assert package_store().open(submission.problem_version.digest)


def test_a_site_that_still_runs_is_not_waited_for_for_ever(
    submission: Submission, tmp_path: Path, other_connection: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = back_up(tmp_path / "backup", keep=1)
    assert "'10s'" in backup._EMPTY
    monkeypatch.setattr(backup, "_EMPTY", backup._EMPTY.replace("'10s'", "'500ms'"))  # the test's patience is shorter
    other_connection("LOCK TABLE judge_submission IN ACCESS SHARE MODE")
    with pytest.raises(BackupError, match="lock timeout"):
        restore(done.dump, replace=True)
    assert Submission.objects.filter(pk=submission.pk).exists()
