"""`manage.py prepare`: what must be done before the site and the workers start. Safe to repeat."""

from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    """Brings database and problem library up to date."""

    help = "Migrate the database and publish the problem library."

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it in one process, which is faster than two."""
        call_command("migrate", interactive=False, verbosity=0)
        call_command("load_library", stdout=self.stdout, stderr=self.stderr)
