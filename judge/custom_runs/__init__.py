"""Custom runs: take one into the queue, carry it out on a worker, and forget old ones.

A run has quotas of its own: it never keeps its author from submitting. Its rows are short-lived: of each person the
newest KEPT_RUNS stay, for settings.CUSTOM_RUNS_KEPT_HOURS.
"""

import logging
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _, ngettext

from judge.grading.events import GradingFinished, GradingJob
from judge.grading.reruns import custom_test
from judge.grading.stages import Stage
from judge.grading.verdicts import Verdict
from judge.models import CustomRun, Status
from judge.observability import logs
from judge.queue import fairness, wakeup
from judge.queue.leases import Lease
from judge.slots import Slot
from judge.submissions import intake
from judge.submissions.intake import IntakeRefused, SentProgram
from judge.submissions.records import GATHER_S, GradingRecord
from problems.models import Problem, ProblemVersion
from problems.store.stores import package_store
from sandbox.types import Sandbox

KEPT_RUNS = 20  # of one person: each holds its source, its input and the beginnings of what it wrote
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class TestInput:
    """What a program is to be run on: `content`, or the sample of this name, or all samples for ""."""

    __test__ = False

    sample: str = ""
    content: bytes | None = None


def sample_names(version: ProblemVersion) -> list[str]:
    """Return the samples that a program can be run on: those whose input is the program's."""
    if version.is_interactive:
        return []
    # a sample that is shown as a conversation may have an input beside it: of a multi-pass problem
    return [
        sample.name
        for sample in version.samples
        if sample.input is not None or any(name.endswith((".in", ".in.download")) for name in sample.downloads)
    ]


def start(user: AbstractBaseUser, problem: Problem, program: SentProgram, test: TestInput) -> CustomRun:
    """Queue a run and notify workers after the commit.

    What was just sent is not taken twice: its row is returned. Raises IntakeRefused.
    """
    language = program.language
    version, text = intake.take_program(user, problem, language, program.source)
    _check_input(version, test)
    sent = {"language": language, "source": text.content, "encoding": text.encoding.value}
    sent["file_name"] = intake.kept_name(language, program.file_name)
    columns = {"problem_version": version, "sample": test.sample, "input": test.content, **sent}
    with transaction.atomic():
        intake.hold(user)
        own = CustomRun.objects.filter(user=user.pk).exclude(verdict=Verdict.JE)
        if first := intake.sent_before(own, **columns):
            return first
        _check_quotas(user)
        done = CustomRun.objects.filter(user=user.pk, status=Status.DONE).order_by("-pk")
        CustomRun.objects.filter(pk__in=list(done.values_list("pk", flat=True)[KEPT_RUNS - 1 :])).delete()
        run = CustomRun(
            user_id=user.pk, time_limit_ms=min(version.time_limit_ms, settings.CUSTOM_RUN_TIME_MS), **columns
        )
        fairness.take_turn(run)
        run.save()
        transaction.on_commit(partial(wakeup.notify, run))
    with logs.about_work(run):
        _logger.info("accepted: %s, %s bytes, version %s", language, len(text.content), version.pk)
    return run


def sweep() -> int:
    """Delete runs that are older than they are kept, however they ended; return how many."""
    old = CustomRun.objects.filter(created_at__lt=Now() - timedelta(hours=settings.CUSTOM_RUNS_KEPT_HOURS))
    # What a worker holds or takes right now is passed over: the next round comes.
    with transaction.atomic():
        rows = old.exclude(status=Status.JUDGING).select_for_update(skip_locked=True, of=("self",))
        keys = list(rows.values_list("pk", flat=True))
        CustomRun.objects.filter(pk__in=keys).delete()
    return len(keys)


def _check_input(version: ProblemVersion, test: TestInput) -> None:
    if test.content is not None:
        size = len(test.content)
        most: int = settings.MAX_CUSTOM_INPUT_BYTES
        if size > most:
            words = _("The input has %(size)s bytes; at most %(most)s are allowed.")
            raise IntakeRefused(words % {"size": f"{size:,}", "most": f"{most:,}"}, "input")
        return
    if version.is_interactive:
        raise IntakeRefused(
            _(
                "This problem is interactive, so a sample cannot be run. Choose your own input and type the other side:"
                " everything that the judge's program would say."
            ),
            "test",
        )
    names = sample_names(version)
    if not names:
        raise IntakeRefused(_("This problem has no samples to run. Choose your own input."), "test")
    if test.sample and test.sample not in names:
        raise IntakeRefused(_("There is no such sample. Choose one from the list."), "test")


def _check_quotas(user: AbstractBaseUser) -> None:
    unfinished = CustomRun.objects.unfinished()
    own = unfinished.filter(user=user.pk).count()
    if own >= settings.MAX_CUSTOM_RUNS_PER_USER:
        raise IntakeRefused(
            ngettext(
                "You have %(number)s run waiting or running, which is as many as one person may have at once."
                " Run this one when it is done.",
                "You have %(number)s runs waiting or running, which is as many as one person may have at once."
                " Run this one when one of them is done.",
                own,
            )
            % {"number": own},
            "busy",
        )
    if own and unfinished.count() >= settings.MAX_CUSTOM_RUNS:  # whoever has none may always send one
        raise IntakeRefused(
            _("Too many runs of all users are waiting. Try again in a minute. You can submit at any time."), "busy"
        )


def carry_out(
    lease: Lease[CustomRun], run: CustomRun, sandbox: Sandbox, slot: Slot, between: Callable[[], None]
) -> None:
    """Run the claimed row to its end; `between` is called between its steps. Raises LeaseLost and our own failures."""
    with ExitStack() as held:
        record = GradingRecord(lease, gather_s=GATHER_S)
        held.callback(record.stop)
        version = run.problem_version
        package = held.enter_context(package_store().using(version.digest))
        limits = replace(version.limits_over(package.limits), time_limit_ms=run.time_limit_ms)
        job = GradingJob(
            package=replace(package, limits=limits),
            language=run.language,
            source=bytes(run.source),
            file_name=run.file_name,
            author=run.user_id,
            cpu=slot.cpu,
            excerpt_bytes=run.excerpt_bytes,
            wants_tokens=run.tokens is None,
            stopwatch=lease.stopwatch,
        )
        if run.input is None:
            events = custom_test.run_on_samples(job, run.sample, sandbox, slot.folder)
        else:
            events = custom_test.run_on_input(job, bytes(run.input), sandbox, slot.folder)
        for event in events:
            record.write(event)
            if not isinstance(event, GradingFinished):
                with lease.stopwatch.timed(Stage.QUEUE):
                    between()
