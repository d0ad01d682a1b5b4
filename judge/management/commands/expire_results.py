"""`manage.py expire_results`: show or delete the results that are older than they are kept."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from judge import retention

_MIB = 1024**2


class Command(BaseCommand):
    """Shows which partitions of results are old; drops them on demand."""

    help = (
        "Show which results of test cases are older than TALLY_RESULTS_KEPT_DAYS; delete them with --delete."
        " Submissions, verdicts, sources, findings and totals stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--days", type=int, help="another age than TALLY_RESULTS_KEPT_DAYS, 30 or more")
        parser.add_argument("--delete", action="store_true", help="delete them; without it nothing is changed")

    def handle(self, *args: Any, **options: Any) -> None:
        days = settings.RESULTS_KEPT_DAYS if options["days"] is None else options["days"]
        if not days:
            raise CommandError("TALLY_RESULTS_KEPT_DAYS is 0: results are kept for ever. Give an age with --days.")
        if days < settings.LEAST_RESULTS_KEPT_DAYS:
            raise CommandError(f"--days must be {settings.LEAST_RESULTS_KEPT_DAYS} or more.")
        old = list(retention.old_partitions(days))
        for partition in old:
            part = partition.partition
            submissions = f"submissions {part.first} to {part.end - 1}, the newest of {partition.newest_at:%Y-%m-%d}"
            about = f"{submissions}: about {part.rows:,} results, {part.size_bytes / _MIB:,.0f} MiB"
            self.stdout.write(f"{about}, stay: {partition.held}" if partition.held else about)
        free = sum(not partition.held for partition in old)
        if not options["delete"]:
            self.stdout.write(f"{free} partitions would go. Nothing is deleted without --delete.")
            return
        dropped = 0
        while retention.expire_next(days) is not None:
            dropped += 1
        self.stdout.write(f"{dropped} partitions are deleted.")
        if dropped < free:
            raise CommandError("The table is in use, for example by a backup. Run this once more later.")
