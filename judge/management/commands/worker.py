"""`manage.py worker`: take work from the queue on this machine."""

import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from judge.models import WorkerNode
from judge.workers import naming, worker


class Command(BaseCommand):
    """Starts one worker in the foreground."""

    help = "Take work from the queue until told to stop. Needs root, DATABASE_URL, REDIS_URL and the package store."
    requires_system_checks = ()  # they read the site's addresses and views, which a worker has no use for

    def add_arguments(self, parser: ArgumentParser) -> None:
        words = f"unique among all workers (default: {naming.default_name()}, with a number if that one lives)"
        parser.add_argument("--name", default="", help=words)
        words = "programs judged at once (default: %(default)s)"
        processes = max(1, len(os.sched_getaffinity(0)) - 1)  # one core is left for everything else
        parser.add_argument("--concurrency", type=int, default=processes, help=words)

        parser.add_argument("--check", action="store_true", help="exit with 0 if the named worker takes work now")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["check"]:
            name = options["name"] or naming.default_name()
            sys.exit(0 if WorkerNode.objects.alive().filter(name=name).exists() else 1)
        try:
            sys.exit(worker.run(options["name"], options["concurrency"]))
        except naming.NameTaken as taken:
            raise CommandError(str(taken)) from taken
