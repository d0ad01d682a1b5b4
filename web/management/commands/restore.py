"""`manage.py restore DUMP`: put back what `manage.py backup` wrote."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.backup import BackupError, restore


class Command(BaseCommand):
    """The database as it was, and its packages. Stop the site and the workers first."""

    help = "Put a backup's database and packages back. Stop the site and the workers first."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Which one, and whether what is there may be lost."""
        parser.add_argument("dump", type=Path, help="FOLDER/database-....dump")
        parser.add_argument("--replace", action="store_true", help="remove what is in the database now")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it."""
        try:
            packages = restore(options["dump"], replace=options["replace"])
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"The database of {options['dump'].name} is back; packages: {packages}.")
