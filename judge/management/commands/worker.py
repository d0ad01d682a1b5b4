"""`manage.py worker`: take work from the queue on this machine."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from judge.models import WorkerNode
from judge.workers import registration, worker


class Command(BaseCommand):
    """Starts one worker in the foreground."""

    help = "Take work from the queue until told to stop. Needs root, DATABASE_URL, REDIS_URL and the package store."
    requires_system_checks = ()  # they read the site's addresses and views, which a worker has no use for

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the name and the size of the worker."""
        parser.add_argument(
            "--name", default=registration.default_name(), help="unique among all workers (default: %(default)s)"
        )
        parser.add_argument(
            "--concurrency",
            type=int,
            default=worker.default_concurrency(),
            help="programs judged at once (default: %(default)s)",
        )

        parser.add_argument("--check", action="store_true", help="exit with 0 if the named worker takes work now")

    def handle(self, *args: Any, **options: Any) -> None:
        """Run until SIGTERM."""
        if options["check"]:
            sys.exit(0 if WorkerNode.objects.alive().filter(name=options["name"]).exists() else 1)
        sys.exit(worker.run(options["name"], options["concurrency"]))
