"""`manage.py serve`: run the site alone, in the foreground."""

import os
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from web.server import serving


class Command(BaseCommand):
    """The command that a container or a service manager starts."""

    help = "Serve the site on TALLY_HOST and TALLY_PORT with TALLY_WEB_PROCESSES processes."
    requires_system_checks = ()  # each process makes them when it starts

    def handle(self, *args: Any, **options: Any) -> None:
        os.chdir(settings.BASE_DIR)
        command = serving.command()
        os.execv(command[0], command)  # noqa: S606 - a list of arguments, no shell
