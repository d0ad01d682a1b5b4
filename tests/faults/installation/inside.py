"""The submitting process of the installation: Django with the installation's own settings.

How it works: one child of the tests, started by `Inside` with the environment of the installation, carries out the
functions below one after the other. It stands for the site: what it returned was promised to somebody.
"""

import multiprocessing
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import ParamSpec, TypeVar

_PATIENCE_S = 120
P = ParamSpec("P")
T = TypeVar("T")


class Inside:
    """The process: `do` calls a function of this module in it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._pool = ProcessPoolExecutor(1, mp_context=spawn, initializer=_set_up, initargs=(dict(environment),))

    def do(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call it there and return what it returns. Raises what it raises."""
        return self._pool.submit(function, *args, **kwargs).result(_PATIENCE_S)

    def close(self) -> None:
        """End the process."""
        self._pool.shutdown()


def _set_up(environment: dict[str, str]) -> None:
    os.environ.update(environment)
    os.environ["DJANGO_SETTINGS_MODULE"] = "web.settings"
    import django

    django.setup()


def prepare(package: Path) -> int:
    """Bring the database up to date and publish the package; the number of its version."""
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0)
    return publish(package)


def publish(package: Path) -> int:
    """Publish the package under its short name; the number of its version."""
    from problems.store.publishing import publish as publish_package

    return publish_package(package, owner=None).pk


def count_calls(submission_id: int) -> None:
    """Ask for the calls by name of a submission's first case, as its author."""
    from judge.models import Submission
    from judge.reruns.kinds import RerunKind
    from judge.submissions import intake

    submission = Submission.objects.get(pk=submission_id)
    intake.request_examination(submission.results.all()[0], RerunKind.PROFILE, submission.user)


def submit(slug: str, user: str, programs: list[tuple[str, bytes]]) -> tuple[list[int], list[str]]:
    """Submit the programs (language, source) one by one: which rows were promised, and why the others were not."""
    from django.contrib.auth.models import User
    from django.db import Error, connection

    from judge.submissions import intake
    from problems.models import Problem

    taken: list[int] = []
    refused: list[str] = []
    for language, source in programs:
        try:
            author, _ = User.objects.get_or_create(username=user)
            taken.append(intake.submit(author, Problem.objects.get(slug=slug), language, source).pk)
        except (Error, intake.IntakeRefused) as error:
            refused.append(f"{type(error).__name__}: {error}")
            connection.close()
    connection.close()
    return taken, refused


def notify(submission_id: int, times: int) -> int:
    """Ring for one row so many times; how many of the rings Redis took."""
    from django.db import connection

    from judge.models import Submission
    from judge.queue import wakeup

    submission = Submission.objects.get(pk=submission_id)
    connection.close()
    return sum(wakeup.notify(submission) for _ in range(times))


def sweep() -> None:
    """One round of a sweeper."""
    from django.db import connection

    from judge.workers import reaper

    reaper.sweep()
    connection.close()


def hang_up() -> None:
    """Close the connection: PostgreSQL is stopped in good order."""
    from django.db import connection

    connection.close()


def make_account(name: str, password: str) -> None:
    """An account that can sign in at the site."""
    from django.contrib.auth.models import User
    from django.db import connection

    User.objects.create_user(name, password=password)
    connection.close()
