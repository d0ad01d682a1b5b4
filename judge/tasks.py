"""What a worker's processes do when the doorbell rings. A task takes an id, claims, calls plain code, records.

Safe to run twice: the second claim finds nothing to take. A failure of ours gives the row back at once; a process that
is killed cannot, so its lease runs out and the sweeper gives it back.
"""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from celery import Task
from django.conf import settings
from django.db import Error

from judge import (
    doorbell,
    experiment_record,
    grading,
    importing,
    leases,
    linecost,
    nodes,
    overtime,
    records,
    rejudging,
    whatif,
)
from judge.celery import HEARTBEAT, app
from judge.events import Examined, GradingJob
from judge.leases import Lease, LeaseLost, WorkT
from judge.models import CaseRequest, Examination, ExperimentRun, PackageUpload, RejudgedSubmission, Submission
from judge.records import GradingRecord
from judge.renewal import kept
from judge.slots import Slot, take_slot
from problems.models import ProblemVersion
from problems.store import PackageStore
from sandbox.errors import SandboxError
from sandbox.nsjail import NsjailSandbox
from sandbox.types import Sandbox

_logger = logging.getLogger(__name__)

# What a judged case may be run again for: a function of the job, the case's name, the sandbox and a folder to work in.
EXAMINATIONS: dict[Examination, Callable[[GradingJob, str, Sandbox, Path], Examined]] = {
    Examination.PROFILE: grading.profile_case,
    Examination.BUFFERED: whatif.try_buffered,
    Examination.LINES: linecost.trace_lines,
    Examination.TIMELINE: overtime.watch_over_time,
}


@app.task(name=Submission.TASK, bind=True)
def grade_submission(task: "Task[Any, Any]", submission_id: int) -> None:
    """Grade one submission, if it is there to take."""
    _grade(submission_id, task.request.hostname)


def _grade(submission_id: int, node: str) -> None:
    lease = records.claim(Submission, submission_id, _worker_name(node))
    if lease is None:
        return
    with _attempt(lease, node):
        record = GradingRecord(lease)
        submission = Submission.objects.select_related("problem_version").get(pk=submission_id)
        for event in grading.grade(_job(submission, submission.problem_version), _sandbox(), own_slot().folder):
            record.write(event)


@app.task(name=RejudgedSubmission.TASK, bind=True)
def rejudge_submission(task: "Task[Any, Any]", rejudged_id: int) -> None:
    """Grade one submission of a rejudge by its version, if it is there to take, and see that the next ones come."""
    node: str = task.request.hostname
    lease = records.claim(RejudgedSubmission, rejudged_id, _worker_name(node))
    if lease is None:
        return
    with _attempt(lease, node):
        record = GradingRecord(lease)
        rejudged = RejudgedSubmission.objects.select_related("submission", "rejudge__version").get(pk=rejudged_id)
        job = _job(rejudged.submission, rejudged.rejudge.version)
        for event in grading.grade(job, _sandbox(), own_slot().folder):
            record.write(event)
    rejudging.ring_on()


@app.task(name=CaseRequest.TASK, bind=True)
def examine_case(task: "Task[Any, Any]", request_id: int) -> None:
    """Run one judged case again, if it is there to take, for what somebody wants to know of it."""
    _examine(request_id, task.request.hostname)


def _examine(request_id: int, node: str) -> None:
    lease = records.claim(CaseRequest, request_id, _worker_name(node))
    if lease is None:
        return
    with _attempt(lease, node):
        request = CaseRequest.objects.select_related("result__submission__problem_version").get(pk=request_id)
        submission = request.result.submission
        job = replace(_job(submission, submission.problem_version), judged_wall_us=request.result.wall_time_us)
        examine = EXAMINATIONS[Examination(request.examination)]
        event = examine(job, request.result.name, _sandbox(), own_slot().folder)
        records.finish_case_request(lease, event)


@app.task(name=PackageUpload.TASK, bind=True)
def import_package(task: "Task[Any, Any]", upload_id: int) -> None:
    """Verify one upload, if it is there to take and no other one is being verified on this host.

    It takes minutes, and there may be no other process: whatever a student waits for goes first, all along.
    """
    node: str = task.request.hostname
    with importing.only_one(settings.WORK_DIR) as is_free:
        if not is_free:
            return
        _students_first(node)
        lease = records.claim(PackageUpload, upload_id, _worker_name(node))
        if lease is None:
            return
        with _attempt(lease, node):
            importing.import_package(lease, _sandbox(), own_slot(), partial(_students_first, node))
    for upload in leases.waiting(PackageUpload)[:1]:
        doorbell.ring(upload)


def _students_first(node: str) -> None:
    """Do what students wait for. A database that is away ends this turn, not the work that it interrupts."""
    try:
        while (found := _next_of_students()) is not None:
            do, waiting = found
            do(waiting, node)
    except Error as error:
        _logger.warning("students' work is looked for later: %s", error)
        records.hang_up()


def _next_of_students() -> tuple[Callable[[int, str], None], int] | None:
    """What to do first, and the row: submissions, then what somebody asked for, then the judge's own ideas."""
    for model, do in ((Submission, _grade), (CaseRequest, _examine)):
        waiting = leases.waiting(model).values_list("pk", flat=True).first()
        if waiting is not None:
            return do, waiting
    return None


@app.task(name=ExperimentRun.TASK, bind=True)
def run_experiment(task: "Task[Any, Any]", run_id: int) -> None:
    """Carry out one run of an experiment, if it is there to take and no other one goes on on this host.

    Two at a time would measure each other. Students go first before each of its runs.
    """
    node: str = task.request.hostname
    with importing.only_one(settings.WORK_DIR, "experiments") as is_free:
        if not is_free:
            return
        _students_first(node)
        lease = records.claim(ExperimentRun, run_id, _worker_name(node))
        if lease is None:
            return
        with _attempt(lease, node):
            experiment_record.carry_out(lease, _sandbox(), own_slot(), partial(_students_first, node))
    for run in leases.waiting(ExperimentRun)[:1]:
        doorbell.ring(run)


@app.task(name=HEARTBEAT)
def heartbeat(node: str) -> None:
    """Prove that the worker `node` hears its broker and that a process of it works."""
    nodes.seen(node)


@cache
def own_slot() -> Slot:
    """This process's core and folder, taken at its start and held until its end."""
    return take_slot(settings.WORK_DIR)


@contextmanager
def _attempt(lease: Lease[WorkT], node: str) -> Iterator[None]:
    """Do the work of the `with` under the lease; whatever goes wrong in it is ours, and the row goes back."""
    with kept(lease, node):
        try:
            yield
            _logger.info("%s %s is done (attempt %s)", lease.model.__name__, lease.id, lease.attempt)
        except LeaseLost as lost:
            _logger.warning("the work is dropped: %s", lost)
        except Exception as error:
            # Whatever it is, it is no verdict. The row must go back, now rather than when the lease runs out.
            _logger.exception("%s %s failed", lease.model.__name__, lease.id)
            why = f"{type(error).__name__}: {error}"
            try:
                records.release(lease, why)
            except LeaseLost:
                return  # somebody took the work away meanwhile, and maybe its files: no sign of a broken host
            except Error:
                pass
            if isinstance(error, SandboxError | OSError):
                with suppress(Error):
                    nodes.report_problem(node, why)


def _job(submission: Submission, version: ProblemVersion) -> GradingJob:
    package = PackageStore(settings.STORE_DIR).open(version.digest)
    return GradingJob(
        package=replace(package, limits=version.limits_over(package.limits)),
        language=submission.language,
        source=bytes(submission.source),
        cpu=own_slot().cpu,
    )


def _sandbox() -> NsjailSandbox:
    return NsjailSandbox(settings.WORK_DIR)


def _worker_name(node: str) -> str:
    return f"{node}/{own_slot().number}"
