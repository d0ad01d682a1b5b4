"""Archives that no worker has unpacked yet, in a backup and after restoring it."""

import io
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import psycopg
import pytest
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils import timezone
from pytest_django import Settings

from judge.models import PackageUpload, WorkerNode
from judge.uploads import archives, uploads
from judge.workers import tasks
from tests.judge.packed import packed
from web.operations.backup import PACKAGES, BackupError, archives_of, back_up, restore

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("silent_wakeup")]
FORGERY = b"not what was sent"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: Settings) -> Path:
    """A store of the test's own, that jails' users can get to."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    folder = settings.STORE_DIR = tmp_path / "store"
    return folder


@pytest.fixture
def upload(store: Path, instructor: User) -> PackageUpload:
    """A package that was sent, and that no worker has looked at."""
    return uploads.receive(io.BytesIO(packed()), name="double.zip", owner=instructor)


def _lose_all(store: Path) -> None:
    PackageUpload.objects.all().delete()
    shutil.rmtree(store)


def _renamed(dump: Path, year: str) -> Path:
    """A dump and its archives as if of an earlier year."""
    older = dump.with_name(f"database-{year}-01-01T00-00-00Z.dump")
    archives_of(dump).rename(archives_of(older))
    return dump.rename(older)


def _elsewhere(statement: str, *values: object) -> None:
    """Commit a statement on another connection, as another process does."""
    given = connection.get_connection_params()
    with psycopg.connect(**{name: given[name] for name in ("host", "user", "dbname") if name in given}) as other:
        other.execute(statement.encode(), values)


@pytest.mark.jail
def test_upload_that_waited_is_imported_after_restoring(upload: PackageUpload, store: Path, tmp_path: Path) -> None:
    done = back_up(tmp_path / "backup", keep=1)
    assert (done.archives, done.lost) == (1, ())
    _lose_all(store)
    restore(done.dump, replace=True)
    assert oct((archives.incoming() / upload.token).stat().st_mode & 0o777) == "0o600"
    restore(done.dump, replace=True)  # once more does no harm
    now = timezone.now()
    WorkerNode.objects.create(name=socket.gethostname(), started_at=now, last_seen_at=now)
    tasks.import_package.apply(args=[upload.pk], throw=True)
    upload.refresh_from_db()
    assert (upload.is_clean, upload.trouble, upload.token, upload.title) == (True, "", "", "Twice")
    assert not list(archives.incoming().iterdir())


def test_archive_goes_with_its_dump_and_is_written_once(upload: PackageUpload, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    first = _renamed(back_up(folder, keep=2).dump, "2020")
    second = back_up(folder, keep=2).dump
    files = [archives_of(dump) / upload.token for dump in (first, second)]
    assert files[0].samefile(files[1])
    _renamed(second, "2021")
    third = back_up(folder, keep=1).dump
    assert sorted(path.name for path in folder.iterdir()) == sorted([third.name, archives_of(third).name, PACKAGES])


def test_archive_that_a_worker_unpacks_meanwhile_is_in_the_backup_as_a_package(
    upload: PackageUpload, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    opened = archives.opened

    @contextmanager
    def unpacked_just_now(token: str, folder: Path) -> Iterator[BinaryIO]:
        """What `ImportRecord.store` and `archives.throw_away` leave, on another connection."""
        seen.append(token)
        _elsewhere("UPDATE judge_packageupload SET token = '', digest = %s", "d" * 64)
        archives.throw_away(token)
        with opened(token, folder) as archive:
            yield archive

    monkeypatch.setattr(archives, "opened", unpacked_just_now)
    done = back_up(tmp_path / "backup", keep=1)
    assert seen == [upload.token]
    assert (done.archives, done.lost, done.missing) == (0, (), ("d" * 64,))


def test_lost_archive_is_named_by_the_backup_and_after_restoring(upload: PackageUpload, tmp_path: Path) -> None:
    archives.throw_away(upload.token)
    with pytest.raises(CommandError, match=f"lacks {upload.token[:12]}"):
        call_command("backup", str(tmp_path / "backup"))
    [dump] = (tmp_path / "backup").glob("*.dump")
    with pytest.raises(BackupError, match=r"have to be sent again: upload \d+ \(double.zip\)"):
        restore(dump, replace=True)
    assert PackageUpload.objects.filter(pk=upload.pk).exists()


def test_damaged_archive_is_not_put_back(upload: PackageUpload, store: Path, tmp_path: Path) -> None:
    done = back_up(tmp_path / "backup", keep=1)
    _lose_all(store)
    (archives_of(done.dump) / upload.token).write_bytes(FORGERY)
    with pytest.raises(BackupError, match="or are damaged"):
        restore(done.dump, replace=True)
    assert not (archives.incoming() / upload.token).exists()
