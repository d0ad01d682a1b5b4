"""`manage.py restore DUMP`: restore a backup of `manage.py backup`."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.operations.backup import BackupError, restore


class Command(BaseCommand):
    """Restores the database and its packages. Stop site and workers first, but not `make run`: it has the database."""

    help = (
        "Restore the database and packages of a backup. Stop the site and the workers first; under `make run`, which "
        "has the database, restore while it runs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("dump", type=Path, help="FOLDER/database-....dump")
        parser.add_argument("--replace", action="store_true", help="replace the database's current content")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            packages = restore(options["dump"], replace=options["replace"])
        except (BackupError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"The database of {options['dump'].name} is restored; packages: {packages}.")
