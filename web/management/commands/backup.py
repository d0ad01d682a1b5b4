"""`manage.py backup FOLDER`: back up everything irreplaceable."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from problems.store.store import StoreUnavailable
from web.operations.backup import BackupError, back_up


class Command(BaseCommand):
    """Backs up database and packages without stopping anything."""

    help = "Back up the database and the packages into a folder. Packages already there are not written again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path)
        parser.add_argument("--keep", type=int, default=14, help="number of database dumps to keep (default: 14)")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["keep"] < 1:
            raise CommandError("--keep must be at least 1.")
        try:
            done = back_up(options["folder"], keep=options["keep"])
        except (BackupError, StoreUnavailable, OSError) as error:
            raise CommandError(str(error)) from error
        mib = done.dump.stat().st_size / 1024**2
        packages = f"packages: {done.packages}, new: {done.new_packages}, archives of uploads: {done.archives}"
        self.stdout.write(f"{done.dump} ({mib:.1f} MiB), {packages}")
        if missing := [*(digest[:12] for digest in done.missing), *(token[:12] for token in done.lost)]:
            raise CommandError(f"The package store lacks {', '.join(missing)}.")
