"""The Celery tasks of a worker's processes. A task claims a row, calls plain code and records the result.

The id in its wake-up is a hint: it takes the row of its kind that goes first now and that this worker can judge
(`judge.queue.capability`). A wake-up too many finds nothing to take. A failure of ours gives the row back at once; a
process that is killed cannot, so its lease runs out and the sweeper gives it back.

Between two steps of its work a process does other people's. What it then does is an attempt of its own; nothing of the
program that waits runs meanwhile, and the thread of its lease goes on. In the middle of a submission others are graded
as `judge.queue.fairness` says, and these let nobody pass in turn. Custom runs let submissions and reruns pass.
Rejudges, uploads and experiments let all students pass, and experiments uploads too. A trial of a fix and a measurement
of growth, which take many runs, let submissions and counts of calls pass between two of them. After a submission come
calls that somebody has waited for too long to see counted, one case, so that they are counted however many submissions
wait.
"""

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import Any

from celery import Task
from django.conf import settings
from django.db import Error
from django.db.models import Q, QuerySet

from judge.celery import HEARTBEAT, app
from judge.custom_runs import running
from judge.experiments import recording
from judge.grading import grading
from judge.grading.events import CaseProfiled, Event, Examined, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.reruns import buffered, fix, growth_runs, line_costs, line_times, repeats, timeline
from judge.grading.stages import Stage, Stopwatch
from judge.models import (
    CaseRerun,
    CustomRun,
    ExperimentRun,
    PackageUpload,
    QueuedWork,
    RejudgedSubmission,
    RerunKind,
    Submission,
)
from judge.observability import logs
from judge.queue import capability, db_retry, fairness, leases, wakeup
from judge.queue.leases import Lease, LeaseLost, WorkT
from judge.rejudging import rejudging
from judge.submissions import late_counts, records
from judge.submissions.records import GATHER_S, GradingRecord
from judge.uploads import importing
from judge.workers import registration
from judge.workers.attempt import attempt
from judge.workers.slots import Slot, take_slot
from judge.workers.stretch import Stretch
from problems.models import ProblemVersion
from problems.store.stores import package_store
from sandbox.nsjail import NsjailSandbox
from sandbox.scheduling import leaving_cores
from sandbox.types import Sandbox

OVERDUE_LOOK_S = 1.0  # a look takes a moment; what it finds is at least 10 s late anyway

_none_overdue_at = -OVERDUE_LOOK_S
_logger = logging.getLogger(__name__)

# What a judged case may be run again for: a function of the job, the case's name, the sandbox and a folder to work in.
EXAMINATIONS: dict[RerunKind, Callable[[GradingJob, str, Sandbox, Path], Examined]] = {
    RerunKind.PROFILE: grading.profile_case,
    RerunKind.BUFFERED: buffered.rerun_buffered,
    RerunKind.FIX: fix.rerun_fixed,
    RerunKind.LINES: line_costs.measure_line_costs,
    RerunKind.LINE_TIMES: line_times.measure_line_times,
    RerunKind.TIMELINE: timeline.record_timeline,
    RerunKind.REPEATS: repeats.repeat_case,
    RerunKind.GROWTH: growth_runs.measure_growth,
}


@app.task(name=Submission.TASK, bind=True)
def grade_submission(task: "Task[Any, Any]", _hint: int) -> None:
    """Grade the first submission in turn, if there is one, then count calls for whom that is overdue.

    It goes on while there are further notifications of submissions: `judge.workers.stretch`.
    """
    node: str = task.request.hostname
    with Stretch() as stretch:
        while is_done := _grade(node, stretch=stretch):
            with _in_between():
                _count_overdue(node)
            if not stretch.take_next():
                break
    _go_on(Submission, node, is_done)


def _grade(node: str, passing: int | None = None, stretch: Stretch | None = None) -> bool:
    """Grade the first submission, or the one let pass, which lets nobody pass itself; return whether there was one.

    If the stretch has a next one, the verdict is written later, in another thread.
    """
    lease = _claim(Submission, node, None if passing is None else Q(pk=passing))
    if lease is None or lease.claimed is None:
        return False
    submission = lease.claimed
    with attempt(lease, node) as held:
        record = GradingRecord(lease, gather_s=GATHER_S)
        held.callback(record.stop)
        version = _version(submission.problem_version_id)
        job = _job(submission, version, lease.stopwatch, held, ProfilePolicy.LATER)
        passed, looked_at = 0, time.monotonic()
        events = held.enter_context(closing(grading.grade(job, _sandbox(), own_slot().folder)))
        for event in events:
            is_last = isinstance(event, GradingFinished)
            if is_last and stretch is not None and stretch.has_next():
                rest = chain([event], events)
                stretch.write_later(partial(_finish, lease, node, record, rest, held.pop_all()), lease.stopwatch)
                break
            record.write(event)
            is_due = time.monotonic() - looked_at >= fairness.LOOK_EVERY_S
            if passing is None and is_due and not is_last:
                passed += _let_pass(lease, submission, passed, node)
                looked_at = time.monotonic()
    return True


def _finish(
    lease: Lease[Submission],
    node: str,
    record: GradingRecord[Submission],
    rest: Iterable[Event],
    opened: ExitStack,
) -> None:
    """Write the verdict, and close the jails and what else the grading has opened, off the next program's core."""
    own = own_slot().cpu
    with attempt(lease, node) as held, leaving_cores(() if own is None else {own}):
        held.enter_context(opened)
        for event in rest:
            record.write(event)


def _count_overdue(node: str) -> None:
    """Make a profile pass that is overdue; after a look that found none, the next one comes OVERDUE_LOOK_S later."""
    global _none_overdue_at
    if time.monotonic() - _none_overdue_at < OVERDUE_LOOK_S:
        return
    if not fairness.are_counts_overdue() or not _examine(node, fairness.overdue_counts()):
        _none_overdue_at = time.monotonic()


def _let_pass(lease: Lease[Submission], submission: Submission, passed: int, node: str) -> int:
    """Grade those that go before the submission's next step, as `passed` others did; return their number. Raises
    LeaseLost.
    """
    number = 0
    with lease.stopwatch.timed(Stage.QUEUE), _in_between():
        for other in fairness.who_may_pass(submission, passed, node):
            number += _grade(node, passing=other)
            if not leases.renew(lease):
                raise LeaseLost(f"submission {lease.id} was taken away while others went first")
    return number


@app.task(name=RejudgedSubmission.TASK, bind=True)
def rejudge_submission(task: "Task[Any, Any]", _hint: int) -> None:
    """Grade one submission of a rejudge by its version, if there is one, and notify for the next ones."""
    node: str = task.request.hostname
    is_done = _rejudge(node)
    rejudging.ring_on()
    _go_on(RejudgedSubmission, node, is_done)


def _rejudge(node: str) -> bool:
    lease = _claim(RejudgedSubmission, node)
    if lease is None:
        return False
    with attempt(lease, node) as held:
        record = GradingRecord(lease, gather_s=GATHER_S)
        held.callback(record.stop)
        rejudged = _read(RejudgedSubmission.objects.select_related("submission", "rejudge__version"), lease)
        # Nobody waits for it, and once it is applied its findings have to be whole.
        job = _job(rejudged.submission, rejudged.rejudge.version, lease.stopwatch, held, ProfilePolicy.NEEDED)
        for event in held.enter_context(closing(grading.grade(job, _sandbox(), own_slot().folder))):
            record.write(event)
            if not isinstance(event, GradingFinished):
                with lease.stopwatch.timed(Stage.QUEUE):
                    _students_first(node)
    return True


@app.task(name=CaseRerun.TASK, bind=True)
def examine_case(task: "Task[Any, Any]", _hint: int) -> None:
    """Rerun one judged case on request, if there is one."""
    _go_on(CaseRerun, task.request.hostname, _examine(task.request.hostname))


def _examine(node: str, which: Q | None = None) -> bool:
    lease = _claim(CaseRerun, node, which)
    if lease is None:
        return False
    with attempt(lease, node) as held:
        request = _read(CaseRerun.objects.select_related("submission__problem_version"), lease)
        submission, case = request.submission, request.case()
        job = _job(submission, submission.problem_version, lease.stopwatch, held, ProfilePolicy.NONE)
        job = replace(
            job,
            judged_wall_us=case.wall_time_us,
            judged_cases=tuple(submission.results.filter(attempt=submission.attempt).values_list("name", flat=True)),
            found=tuple(finding["code"] for finding in submission.explanation),
            between=partial(_grade_first, node),
        )
        examine = EXAMINATIONS[RerunKind(request.examination)]
        event = examine(job, case.name, _sandbox(), own_slot().folder)
        facts = late_counts.awaiting_facts(case, job) if isinstance(event, CaseProfiled) else None
        records.finish_case_request(lease, event, facts)
    return True


@app.task(name=CustomRun.TASK, bind=True)
def run_custom_test(task: "Task[Any, Any]", _hint: int) -> None:
    """Run one program on its author's input or on samples, if there is one to run and no submission waits."""
    node: str = task.request.hostname
    _submissions_first(node)
    _go_on(CustomRun, node, _run_custom_test(node))


def _run_custom_test(node: str) -> bool:
    lease = _claim(CustomRun, node)
    if lease is None or lease.claimed is None:
        return False
    with attempt(lease, node):
        lease.claimed.problem_version = _version(lease.claimed.problem_version_id)
        running.carry_out(lease, lease.claimed, _sandbox(), own_slot(), partial(_submissions_first, node))
    return True


@app.task(name=PackageUpload.TASK, bind=True)
def import_package(task: "Task[Any, Any]", _hint: int) -> None:
    """Verify one upload, if there is one and no other is being verified on this host."""
    node: str = task.request.hostname
    _students_first(node)
    if _import(node):
        for upload in leases.waiting(PackageUpload)[:1]:
            wakeup.notify(upload)


def _import(node: str) -> bool:
    """Verify the first upload; return whether there was one and nobody on this host was at it.

    It takes minutes, and there may be no other process: whatever a student waits for goes first, all along.
    """
    with importing.only_one(settings.WORK_DIR) as is_free:
        lease = _claim(PackageUpload, node) if is_free else None
        if lease is None:
            return False
        with attempt(lease, node):
            importing.import_package(lease, _sandbox(), own_slot(), partial(_students_first, node))
    return True


def _submissions_first(node: str) -> None:
    """Do what concerns submissions: grade them, then requested reruns, then automatic reruns."""
    with _in_between():
        while _grade(node) or _examine(node):
            pass


def _grade_first(node: str) -> None:
    """Grade the submissions that wait, and count calls by name, in the middle of a rerun that takes many runs."""
    with _in_between():
        while _grade(node) or _examine(node, Q(examination=RerunKind.PROFILE)):
            pass


def _students_first(node: str) -> None:
    """Do what students wait for: all about submissions, then custom runs."""
    with _in_between():
        while _grade(node) or _examine(node) or _run_custom_test(node):
            pass


def _uploads_first(node: str) -> None:
    """Do what students wait for, then verify waiting uploads, unless another process of this host verifies one."""
    with _in_between():
        _students_first(node)
        while _import(node):
            _students_first(node)


@app.task(name=ExperimentRun.TASK, bind=True)
def run_experiment(task: "Task[Any, Any]", _hint: int) -> None:
    """Carry out one run of an experiment, if there is one and none is running on this host.

    Two at a time would measure each other. Students and uploads go first before each of its runs.
    """
    node: str = task.request.hostname
    with importing.only_one(settings.WORK_DIR, "experiments") as is_free:
        if not is_free:
            return
        _uploads_first(node)
        lease = _claim(ExperimentRun, node)
        if lease is None:
            capability.pass_on(ExperimentRun, node)
            return
        with attempt(lease, node):
            recording.carry_out(lease, _sandbox(), own_slot(), partial(_uploads_first, node))
    for run in leases.waiting(ExperimentRun)[:1]:
        wakeup.notify(run)


@app.task(name=HEARTBEAT)
def heartbeat(node: str) -> None:
    """Prove that the worker `node` receives messages and that one of its processes works."""
    registration.seen(node)


@cache
def own_slot() -> Slot:
    """Return this process's core and folder, taken at its start and held until its end."""
    return take_slot(settings.WORK_DIR)


def _claim(kind: type[WorkT], node: str, which: Q | None = None) -> Lease[WorkT] | None:
    """Claim the first row that this worker can judge, or the first of `which`."""
    rows = capability.judgeable_lately(kind, node)
    lease = records.claim(rows if which is None else rows.filter(which), _worker_name(node))
    if lease is not None:
        with logs.about_lease(lease):
            _logger.info("claimed by process %s, core %s", os.getpid(), own_slot().cpu)
    return lease


def _read(rows: QuerySet[WorkT], lease: Lease[WorkT]) -> WorkT:
    """Return the lease's row with related rows. A PostgreSQL restart at this moment costs no attempt."""
    return db_retry.write_patiently(partial(rows.get, pk=lease.id))


@lru_cache(maxsize=64)
def _version(key: int) -> ProblemVersion:
    """Return a version, which never changes. A claim that joined it would sort the whole queue."""
    return db_retry.write_patiently(partial(ProblemVersion.objects.get, pk=key))


def _go_on(kind: type[QueuedWork], node: str, has_worked: bool) -> None:
    """Notify for more work that this worker, or only others, can do. The message may have been about any row."""
    if has_worked:
        capability.ring_on(kind, node)
    if not has_worked or kind is CaseRerun:
        capability.pass_on(kind, node)


@contextmanager
def _in_between() -> Iterator[None]:
    """Do other people's work in the middle of one's own. A database failure ends this turn only."""
    try:
        yield
    except Error as error:
        _logger.warning("who waits is looked for later: %s", error)
        db_retry.close_connection()


def _job(
    submission: Submission, version: ProblemVersion, stopwatch: Stopwatch, held: ExitStack, profile: ProfilePolicy
) -> GradingJob:
    package = held.enter_context(package_store().using(version.digest))
    return GradingJob(
        package=replace(package, limits=version.limits_over(package.limits)),
        language=submission.language,
        source=bytes(submission.source),
        author=submission.user_id,
        profile=profile,
        cpu=own_slot().cpu,
        stopwatch=stopwatch,
    )


def _sandbox() -> NsjailSandbox:
    return _sandbox_of(settings.WORK_DIR)


@cache
def _sandbox_of(work_dir: Path) -> NsjailSandbox:
    """Return this process's sandbox: what it looks for at its start takes as long as two test cases."""
    return NsjailSandbox(work_dir)


def _worker_name(node: str) -> str:
    return f"{node}/{own_slot().number}"
