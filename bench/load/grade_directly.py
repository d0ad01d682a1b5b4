"""`python -m bench.load.grade_directly`, `... submit`: grade programs with the sandbox alone, or queue them.

Both read a list of `programs_sent.Program` as JSON from stdin and need a site's environment. The first grades them one
after the other on the core that a worker's first process has, and prints the seconds that each took and those of its
CPU time; one more before them, which does not count, imports and finds what is needed. The second gives each to another
person and takes them into the queue as the site does.
"""

import json
import os
import resource
import sys
import time
from pathlib import Path

import django

django.setup()

from django.conf import settings  # noqa: E402 - needs Django set up
from django.contrib.auth.models import User  # noqa: E402

from bench.load.site import PROBLEM  # noqa: E402
from judge.grading.events import GradingFinished, GradingJob, ProfilePolicy  # noqa: E402
from judge.grading.submission.grading import grade  # noqa: E402
from judge.grading.verdicts import Verdict  # noqa: E402
from judge.slots import take_slot  # noqa: E402
from judge.submissions import intake  # noqa: E402
from problems.models import Problem  # noqa: E402
from problems.package import Package  # noqa: E402
from problems.store.store import PackageStore  # noqa: E402
from sandbox.jail.nsjail import NsjailSandbox  # noqa: E402


def grade_all(programs: list[dict[str, str]]) -> list[tuple[float, float]]:
    """The seconds that each took, and those of CPU time. Raises SystemExit when one was not accepted."""
    version = Problem.objects.select_related("current_version").get(slug=PROBLEM).current_version
    assert version is not None
    package = PackageStore(settings.STORE_DIR).open(version.digest)
    folder = take_slot(settings.WORK_DIR).folder
    sandbox = NsjailSandbox(settings.WORK_DIR)  # one for all, as a worker has
    return [_seconds(each, package, folder, sandbox) for each in [programs[0], *programs]][1:]


def _seconds(program: dict[str, str], package: Package, folder: Path, sandbox: NsjailSandbox) -> tuple[float, float]:
    job = GradingJob(
        package=package,
        language=program["language"],
        source=program["source"].encode(),
        profile=ProfilePolicy.LATER,  # as a worker
        cpu=max(os.sched_getaffinity(0)),
    )
    began, used = time.monotonic(), _cpu_time_s()
    *_, last = grade(job, sandbox, folder)
    took = time.monotonic() - began, _cpu_time_s() - used
    if not isinstance(last, GradingFinished) or last.verdict is not Verdict.AC:
        raise SystemExit(f"a program was not accepted: {last}")
    return took


def _cpu_time_s() -> float:
    """Of this process and of all jails that it has closed."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(each.ru_utime + each.ru_stime for each in spent)


def submit_all(programs: list[dict[str, str]]) -> None:
    """Take each into the queue, for another person."""
    problem = Problem.objects.get(slug=PROBLEM)
    people = User.objects.order_by("pk")[: len(programs)]
    for user, each in zip(people, programs, strict=True):
        intake.submit(user, problem, each["language"], each["source"].encode())


if __name__ == "__main__":
    sent = json.load(sys.stdin)
    if sys.argv[1:] == ["submit"]:
        submit_all(sent)
    else:
        json.dump(grade_all(sent), sys.stdout)
