"""Time the backup and the restoration of the benchmark's database by the commands that operators use.

`python -m bench.rows_of.saving FOLDER` backs up into an empty folder and prints the figures as JSON.
"""

import json
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import django
from django.core.management import call_command
from django.db import connection


@dataclass(frozen=True, kw_only=True, slots=True)
class Saved:
    """How long both took. `is_same`: each table has as many rows after it, and the submissions the same checksum."""

    backup_s: float
    dump_bytes: int
    packages_bytes: int
    restore_s: float
    database_bytes: int  # after it
    rows: int  # of all tables
    is_same: bool


def save_and_restore(folder: Path) -> Saved:
    """Back up into an empty folder, lose the database, and restore it into an empty one.

    With `--replace` the disk would have to hold both.
    """
    before = _look()
    start = time.monotonic()
    call_command("backup", str(folder), keep=1, stdout=sys.stderr)
    backed_up = time.monotonic()
    (dump,) = folder.glob("*.dump")
    _say(f"backed up in {backed_up - start:.0f} s: {dump.stat().st_size:,} bytes")
    _lose_all()
    restore_start = time.monotonic()
    call_command("restore", str(dump), stdout=sys.stderr)
    restored = time.monotonic()
    _say(f"restored in {restored - restore_start:.0f} s")
    after = _look()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = cursor.fetchone()[0]
    return Saved(
        backup_s=round(backed_up - start, 1),
        dump_bytes=dump.stat().st_size,
        packages_bytes=sum(path.stat().st_size for path in (folder / "packages").iterdir()),
        restore_s=round(restored - restore_start, 1),
        database_bytes=size,
        rows=sum(rows for table, rows in after.items() if table != _CHECKSUM),
        is_same=before == after,
    )


def _lose_all() -> None:
    name = connection.ops.quote_name(connection.settings_dict["NAME"])
    connection.close()
    with connection._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE {name}")
        cursor.execute(f"CREATE DATABASE {name}")


_CHECKSUM = "checksum of the submissions"


def _look() -> dict[str, int]:
    """The rows of each table, and a sum over what the submissions are."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        found = {}
        for table in tables:
            cursor.execute(f'SELECT count(*) FROM "{table}"')  # noqa: S608 - our own tables
            found[table] = cursor.fetchone()[0]
        cursor.execute(
            "SELECT sum(hashtext(verdict || language || user_id || source::text || explanation::text)::bigint)::bigint"
            " FROM judge_submission"
        )
        found[_CHECKSUM] = cursor.fetchone()[0]
    return found


def _say(words: str) -> None:
    print(time.strftime("%H:%M:%S"), words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    django.setup()
    print(json.dumps(asdict(save_and_restore(Path(sys.argv[1])))))
