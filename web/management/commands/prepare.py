"""`manage.py prepare`: prepare the database before the site and the workers start. Safe to repeat."""

from contextlib import suppress
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, connection
from psycopg.errors import LockNotAvailable

from problems.models import ProblemVersion
from problems.store.store import StoreUnavailable
from problems.store.stores import package_store, remote

# A table is altered as soon as nobody is at it. Whoever comes meanwhile waits behind us, so we do not wait for long.
LOCK_TIMEOUT_MS = 5_000
TRIES = 24


class Command(BaseCommand):
    """Brings database and problem library up to date."""

    help = "Migrate the database and publish the problem library."

    def handle(self, *args: Any, **options: Any) -> None:
        """Do everything in one process, which is faster than two."""
        _check_encoding()
        self._migrate()
        call_command("createcachetable", stdout=self.stdout, verbosity=0)
        if why := self._why_unfit():
            self.stderr.write(f"The library is not loaded, since {why}")
        else:
            call_command("load_library", stdout=self.stdout, stderr=self.stderr)

    def _why_unfit(self) -> str:
        """Set up a mounted folder of packages, unless it is empty although there are packages; return why it is unfit.

        The site starts all the same: it shows pages, and names what is missing.
        """
        behind = remote()
        if behind is not None:
            with suppress(StoreUnavailable):
                behind.set_up(is_new=not ProblemVersion.objects.exists())
        return package_store().why_unfit()

    def _migrate(self) -> None:
        """Migrate; steps finished before a table turned out to be busy stay done."""
        for tries_left in reversed(range(TRIES)):
            try:
                with connection.cursor() as cursor:
                    cursor.execute(f"SET lock_timeout = {LOCK_TIMEOUT_MS}")
                call_command("migrate", interactive=False, verbosity=0)
            except OperationalError as error:
                if not tries_left or not isinstance(error.__cause__, LockNotAvailable):
                    raise
                self.stderr.write("A table is busy, so the database is not up to date yet: it is tried again.")
            else:
                break
        with connection.cursor() as cursor:
            cursor.execute("RESET lock_timeout")


def _check_encoding() -> None:
    """Raise CommandError for a database that cannot keep every title and name."""
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_encoding")
        (encoding,) = cursor.fetchone()
    if encoding != "UTF8":
        raise CommandError(
            f"The encoding of the database is {encoding}, but must be UTF8: make it with --encoding=UTF8."
        )
