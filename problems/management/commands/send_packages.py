"""`manage.py send_packages`: copy the folder's versions into a new storage. Repeatable."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from problems.models import ProblemVersion
from problems.package import PackageErrors
from problems.store.store import PackageMissing, StoreUnavailable, is_digest
from problems.store.stores import package_store, remote


class Command(BaseCommand):
    """Copies every version of the folder, and lists versions of problems that are missing everywhere."""

    help = "Send the package versions of TALLY_STORE_DIR to the storage TALLY_PACKAGES."

    def handle(self, *args: Any, **options: Any) -> None:
        """Send the versions. Fails at the end if a version cannot be sent, or is missing in both places."""
        if "packages" not in settings.STORAGES:
            raise CommandError("There is no storage to send them to: set TALLY_PACKAGES.")
        store, behind = package_store(), remote()
        if behind is not None:
            behind.set_up(is_new=True)
        here = sorted(path.name for path in settings.STORE_DIR.iterdir() if is_digest(path.name))
        problems = 0
        for digest in here:
            try:
                store.send(digest)
            except (PackageErrors, PackageMissing) as wrong:
                problems += 1
                self.stderr.write(f"{digest[:12]} cannot be sent: {wrong}")
            except StoreUnavailable as error:
                raise CommandError(str(error)) from error
        elsewhere = ProblemVersion.objects.exclude(digest__in=here).values_list("digest", flat=True)
        for digest in sorted(set(elsewhere)):
            if not store.has(digest):
                problems += 1
                self.stderr.write(f"{digest[:12]} is neither here nor in the storage")
        self.stdout.write(f"packages: {len(here)} of this folder checked, {problems} with problems")
        if problems:
            raise CommandError(f"{problems} of them are missing in the storage (see above)")
