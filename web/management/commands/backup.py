"""`manage.py backup FOLDER`: write what cannot be made again."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.backup import BackupError, back_up


class Command(BaseCommand):
    """Database and packages, while everything goes on."""

    help = "Write the database and the packages into a folder; packages that are there already are not written again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where to, and how many earlier ones stay."""
        parser.add_argument("folder", type=Path)
        parser.add_argument("--keep", type=int, default=14, help="dumps of the database that stay (default: 14)")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it. The exit code is 1 when anything is missing."""
        if options["keep"] < 1:
            raise CommandError("--keep must be at least 1.")
        try:
            done = back_up(options["folder"], keep=options["keep"])
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        mib = done.dump.stat().st_size / 1024**2
        self.stdout.write(f"{done.dump} ({mib:.1f} MiB), packages: {done.packages}, new: {done.new_packages}")
        if done.missing:
            raise CommandError(f"The package store lacks {', '.join(digest[:12] for digest in done.missing)}.")
