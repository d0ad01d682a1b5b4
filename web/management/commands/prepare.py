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
        with connection.cursor() as cursor:  # another encoding cannot keep every title and name
            cursor.execute("SHOW server_encoding")
            (encoding,) = cursor.fetchone()
        if encoding != "UTF8":
            raise CommandError(
                f"The encoding of the database is {encoding}, but must be UTF8: make it with --encoding=UTF8."
            )
        self._migrate()
        call_command("createcachetable", stdout=self.stdout, verbosity=0)
        mounted = remote()
        if mounted is not None:
            with suppress(StoreUnavailable):  # also of a folder that is empty although there are packages
                mounted.set_up(is_new=not ProblemVersion.objects.exists())
        why = package_store().why_unfit()
        if why:  # the site starts all the same: it shows pages, and names what is missing
            self.stderr.write(f"The library is not loaded, since {why}")
        else:
            call_command("load_library", stdout=self.stdout, stderr=self.stderr)

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
