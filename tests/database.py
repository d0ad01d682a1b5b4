"""The tests' database: a copy of one that an earlier run has migrated, and emptied table by table.

How it works: below var/test-cache lies the folder of a PostgreSQL with a migrated, empty test database, named by a
digest of all migrations and of the locked packages. A run copies it, or makes it where it is missing.
"""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from django.conf import settings
from django.db import connection

from tests.kept import KEPT

_STATIC = frozenset({"django_migrations", "django_content_type", "auth_permission"})  # made by migrating
_MOST_KEPT = 3


def empty_tables(_case: object) -> None:
    """Remove all rows but those that migrating makes. Django's own flush makes all permissions anew, each time.

    TRUNCATE makes new files for each table and index, some hundreds in all; a test fills few tables with few rows.
    """
    with connection.cursor() as cursor:
        tables = sorted(set(connection.introspection.table_names(cursor)) - _STATIC)
        names = [connection.ops.quote_name(table) for table in tables]
        cursor.execute(f"SELECT {', '.join(f'EXISTS (SELECT FROM {name})' for name in names)}")  # noqa: S608 - our own tables
        filled = [name for name, has_rows in zip(names, cursor.fetchone(), strict=True) if has_rows]
        cursor.execute("SET session_replication_role = replica")  # no foreign key is checked: any order will do
        for name in filled:
            cursor.execute(f"DELETE FROM {name}")  # noqa: S608 - likewise
        cursor.execute("SET session_replication_role = DEFAULT")


def template() -> Path:
    """Where the folder of the migrated PostgreSQL lies, or is to lie."""
    base: Path = settings.BASE_DIR
    digest = hashlib.sha256()
    for path in sorted([*base.glob("*/migrations/*.py"), base / "requirements.lock"]):
        digest.update(path.read_bytes())
    return KEPT / f"postgres-{digest.hexdigest()[:32]}"


def copy_template(folder: Path) -> None:
    """Give a PostgreSQL that is to be started in `folder` the migrated database, if it is there."""
    if template().is_dir() and not folder.exists():
        folder.mkdir(mode=0o700)
        _copy(template(), folder / "data")


def keep_template(folder: Path) -> None:
    """Keep the database of the stopped PostgreSQL of `folder` for later runs."""
    kept = template()
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=kept.parent, prefix=".postgres-") as draft:
        copy = Path(draft) / "data"
        _copy(folder / "data", copy)
        if not kept.exists():
            copy.rename(kept)
    by_age = sorted(kept.parent.glob("postgres-*"), key=lambda path: path.stat().st_ctime, reverse=True)
    for old in by_age[_MOST_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def _copy(source: Path, target: Path) -> None:
    # With its owner, who is the servers' user.
    subprocess.run(["cp", "--archive", "--reflink=auto", source, target], check=True)
