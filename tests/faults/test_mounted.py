"""The mount of a shared package storage is gone while workers need it: work waits, nothing is lost or decided."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings

from tests.faults.installation.installation import QUICK, Installation, wait_for
from tests.faults.trial import Trial

pytestmark = pytest.mark.timeout(600)


class Share:
    """A folder that is mounted in another place, as a network's share is."""

    def __init__(self, folder: Path) -> None:
        self.served, self.mounted = folder / "served", folder / "mounted"
        for each in (self.served, self.mounted):
            each.mkdir()

    def mount(self) -> None:
        """Show it in its place."""
        subprocess.run(["mount", "--bind", str(self.served), str(self.mounted)], check=True)

    def unmount(self) -> None:
        """Leave the empty folder below; whatever is open stays open."""
        subprocess.run(["umount", "--lazy", str(self.mounted)], check=True)


@contextmanager
def _share(folder: Path) -> Iterator[Share]:
    share = Share(folder)
    share.mount()
    try:
        yield share
    finally:
        share.unmount()


def _waits_for_mount(house: Installation, number: int) -> bool:
    """Whether a worker looked at the submission and says why it waits."""
    [(why,)] = house.ledger.ask("SELECT last_failure FROM judge_submission WHERE id = %s", number)
    return "is not mounted" in why


@pytest.mark.fault("mount of the package storage gone")
def test_mount_that_is_gone_makes_work_wait(trial: Trial, house: Installation, tmp_path: Path) -> None:
    house.dismiss()
    with _share(tmp_path) as share:
        environment = {**QUICK, "TALLY_PACKAGES": str(share.mounted)}
        _manage(house, environment, "send_packages")
        house.hire(1, {**environment, "TALLY_STORE_DIR": str(tmp_path / "copies")})
        for _ in range(2):
            share.unmount()
            _forget_copies(tmp_path / "copies")
            numbers = trial.submit(4)
            trial.injected += 1
            wait_for(partial(_waits_for_mount, house, numbers[0]), "a worker says why it waits")
            sent = _manage(house, environment, "shell", "-c", _REMOVE, fails=True)
            assert "StoreUnavailable" in sent
            assert not list(share.mounted.iterdir()), "nothing is written below the mount"
            assert {(row.is_done, row.failures) for row in house.ledger.rows(numbers)} == {(False, 0)}
            share.mount()
            trial.settle()
        house.dismiss()


_REMOVE = (
    "from problems.models import ProblemVersion; from problems.store.stores import package_store;"
    " package_store().remove(ProblemVersion.objects.latest('pk').digest)"
)


def _manage(house: Installation, environment: dict[str, str], *words: str, fails: bool = False) -> str:
    """Run one of our commands with the house's own settings and these; what it said."""
    own = [f"{name}={value}" for name, value in {**house.environment, **environment}.items()]
    command = ["env", *own, sys.executable, str(settings.BASE_DIR / "manage.py"), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert bool(done.returncode) is fails, done.stderr
    return done.stdout + done.stderr


def _forget_copies(copies: Path) -> None:
    """As a worker that needs room does."""
    for copy in copies.glob("[0-9a-f]" * 64):
        copy.rename(copies / f".incoming-{copy.name}")
