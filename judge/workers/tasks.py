"""The Celery tasks of a worker's processes: whoever is woken takes rows, the most urgent first, until there are none.

A wake-up says only that there is work. Its process takes the row that goes first of all kinds (`LINES`) that this
worker can do (`judge.queue.capability`), and the next one, for STRETCH_S; then Celery hands out the next wake-up. One
too many finds nothing to take. A failure of ours gives the row back at once; a process that is killed cannot, so the
one that takes its slot does, or the sweeper when the lease has run out.

Between two steps of its work a process does other people's: all that stands above it in LINES, and of its own line
those who may pass (`judge.queue.fairness`). What it then does is an attempt of its own; nothing of the program that
waits runs meanwhile, and the thread of its lease goes on. After a submission come calls that somebody has waited for
too long to see counted, one case, so that they are counted however many submissions wait.

Three threads touch an attempt. The main thread claims, grades and writes. The lease's thread (`judge.workers.attempt`)
renews the lease, and writes what was gathered while a case takes long. The verdict's thread (`judge.workers.turns`)
writes a submission's verdict while the main thread is at the next one. The threads that open jails and meter runs
beside the main thread know no attempt (`judge.grading.submission.grading`, `sandbox`).
"""

import logging
import os
import time
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache, partial
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any

from celery import Task
from django.conf import settings
from django.db.models import Q, QuerySet

from judge import custom_runs
from judge.celery import HEARTBEAT, app
from judge.experiments import recording
from judge.grading.bounded import reader_in
from judge.grading.events import CaseProfiled, Event, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.reruns.reasons import REFUSED, leftover_lines
from judge.grading.stages import Stage, Stopwatch
from judge.grading.submission import grading
from judge.models import CaseRerun, CustomRun, ExperimentRun, PackageUpload, QueuedWork, RejudgedSubmission, Submission
from judge.observability import logs
from judge.queue import capability, fairness, leases, wakeup
from judge.queue.leases import Lease, LeaseLost, WorkT
from judge.rejudging import rejudging
from judge.reruns.examination import RUNNERS
from judge.reruns.kinds import RerunKind
from judge.slots import Slot, take_slot
from judge.submissions import late_evidence, records
from judge.submissions.records import GATHER_S, GradingRecord
from judge.uploads import importing
from judge.workers import registration
from judge.workers.attempt import attempt
from judge.workers.turns import Stretch, Turn, deadline, in_between, longest_s, turn_of
from problems.models import ProblemVersion
from problems.store.stores import package_store
from sandbox.errors import GaveWay
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.scheduling import leaving_cores

OVERDUE_LOOK_S = 1.0  # a look takes a moment; what it finds is at least 10 s late anyway

_none_overdue_at = -OVERDUE_LOOK_S
_logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """Work that waits: the rows `which` of a kind. See `QueuedWork.line`.

    `work` does what was claimed. `rank`: lines of lower ones go first, those of one rank by turn. `alone`: a host does
    one at a time, under the lock of this name, with those who pass it.
    """

    kind: type[QueuedWork]
    work: Callable[[Any, str, Turn, Stretch | None], None]
    rank: int
    which: Q = field(default_factory=Q)
    alone: str = ""


def _woken(task: "Task[Any, Any]", _hint: int) -> None:
    """Take what goes first, of any kind, and go on with it for a while: the id is for people who read the queue."""
    node: str = task.request.hostname
    with Stretch() as stretch:
        while _take_first(node, LINES, stretch) and stretch.has_time:
            pass
    waiting = _in_turn(LINES)
    if not waiting:
        with in_between():
            records.read_left_out(reader_in(_sandbox(), own_slot().folder), lambda: not _in_turn(LINES))
    for kind in {line.kind for line in waiting}:
        capability.ring_on(kind, node)
        capability.pass_on(kind, node)
    if any(line is REJUDGED for line in waiting):
        rejudging.ring_on()


def _take_first(node: str, lines: Iterable[Line], stretch: Stretch | None = None) -> bool:
    """Do the first row of the first of these lines that has one for this worker; return whether there was one."""
    return any(_take(line, node, stretch=stretch) for line in _in_turn(lines))


def _take(line: Line, node: str, passing: int | None = None, stretch: Stretch | None = None) -> bool:
    """Do the first row of a line, or the one let pass; return whether there was one."""
    is_alone = line.alone and passing is None  # what it passes has the lock
    with importing.only_one(settings.WORK_DIR, line.alone) if is_alone else nullcontext(True) as is_free:
        lease = _claim(line, node, passing) if is_free else None
        if lease is None or lease.claimed is None:
            return False
        with turn_of(lease.claimed, may_be_passed=passing is None) as turn:
            line.work(lease, node, turn, stretch)
    if line.kind is Submission:
        with in_between():
            _count_overdue(node)
    return True


def _in_turn(lines: Iterable[Line]) -> list[Line]:
    """Return those of the lines in which rows wait that may be taken, the one that goes first first: one statement."""
    names = list(lines)
    turns = leases.first_turns([line.kind._default_manager.filter(line.which) for line in names])
    waiting = [(line.rank, turn, line) for line, turn in zip(names, turns, strict=True) if turn is not None]
    return [line for *_, line in sorted(waiting, key=itemgetter(0, 1))]


def _others_first(line: Line, lease: Lease[Any], turn: Turn, node: str) -> None:
    """Do what students wait for more than for the next step of this work, then who may pass it. Raises LeaseLost."""
    if time.monotonic() - turn.looked_at < fairness.LOOK_EVERY_S:  # steps that are shorter are one
        return
    with in_between():
        while _take_first(node, _above(line)):
            pass
        if turn.may_let_pass:
            beside = {other.kind: other for other in LINES if other.rank == line.rank}
            for kind, key in fairness.who_may_pass(turn.work, round(turn.spent_s * 1_000), node):
                begun_at = time.monotonic()
                _take(beside[kind], node, passing=key)
                turn.passed_s += time.monotonic() - begun_at
                if not leases.renew(lease):
                    raise LeaseLost(f"{lease.model.__name__} {lease.id} was taken away while others went first")
                if not turn.may_let_pass:
                    break


def _above(line: Line) -> list[Line]:
    return [other for other in LINES if other.rank < line.rank]


def _grade(lease: Lease[Submission], node: str, turn: Turn, stretch: Stretch | None) -> None:
    """Grade a submission. If the stretch has a next one, the verdict is written later, in another thread."""
    submission = lease.claimed
    assert submission is not None
    with attempt(lease, node) as held:
        record = GradingRecord(lease, gather_s=GATHER_S)
        held.callback(record.stop)
        version = _version(submission.problem_version_id)
        job = _job(submission, version, lease.stopwatch, held, ProfilePolicy.LATER)
        is_alone = stretch is not None and not stretch.has_next()
        job = replace(job, wants_tokens=submission.tokens is None and is_alone)
        events = held.enter_context(closing(grading.grade(job, _sandbox(), own_slot().folder)))
        for event in events:
            is_last = isinstance(event, GradingFinished)
            if is_last and stretch is not None and stretch.has_next():
                rest = chain([event], events)
                stretch.write_later(partial(_finish, lease, node, record, rest, held.pop_all()), lease.stopwatch)
                break
            record.write(event)
            if not is_last:
                with lease.stopwatch.timed(Stage.QUEUE):
                    _others_first(SUBMISSIONS, lease, turn, node)


def _finish(
    lease: Lease[Submission], node: str, record: GradingRecord[Submission], rest: Iterable[Event], opened: ExitStack
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
    overdue = leases.waiting(CaseRerun).filter(OVERDUE.which)  # for whatever worker: one statement, not a claim's five
    if not overdue.exists() or not _take(OVERDUE, node):
        _none_overdue_at = time.monotonic()


def _rejudge(lease: Lease[RejudgedSubmission], node: str, turn: Turn, _stretch: Stretch | None) -> None:
    """Grade one submission of a rejudge by its version."""
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
                    _others_first(REJUDGED, lease, turn, node)


def _rerun(lease: Lease[CaseRerun], node: str, turn: Turn, _stretch: Stretch | None) -> None:
    """Rerun one judged case."""
    with attempt(lease, node) as held:
        request = _read(CaseRerun.objects.select_related("submission__problem_version"), lease)
        line = AUTOMATIC if request.is_automatic else REQUESTED
        submission, case = request.submission, request.case()
        job = _job(submission, submission.problem_version, lease.stopwatch, held, ProfilePolicy.NONE)
        job = replace(
            job,
            judged_wall_us=case.wall_time_us,
            judged_cases=tuple(submission.results.filter(attempt=submission.attempt).values_list("name", flat=True)),
            found=tuple(finding.code for finding in submission.explanation),
            is_refused=case.verdict in REFUSED,
            leftover_lines=leftover_lines(submission.explanation),
            between=partial(_others_first, line, lease, turn, node),
            is_awaited=lambda: (  # by somebody who goes before a run that takes longer than a judged one
                bool(_in_turn(_above(line)))
                or bool(fairness.who_may_pass(turn.work, round(turn.spent_s * 1_000), node))
            ),
        )
        kind, place = RerunKind(request.examination), (_sandbox(), own_slot().folder)
        try:
            with deadline(longest_s(kind, job)):
                event = RUNNERS[kind](job, case.name, *place)
                is_told = event.result is not None or isinstance(event, CaseProfiled)  # calls may not be countable
                facts = late_evidence.facts_for(case, kind, job, *place) if is_told else None
        except GaveWay:
            _logger.info("it gives way to somebody who waits, and is made again later")
            wakeup.announce(leases.give_way(lease), "released")
        else:
            records.finish_case_request(lease, event, facts)


def _run_custom_test(lease: Lease[CustomRun], node: str, turn: Turn, _stretch: Stretch | None) -> None:
    """Run one program on its author's input or on samples."""
    run = lease.claimed
    assert run is not None
    with attempt(lease, node):
        run.problem_version = _version(run.problem_version_id)
        custom_runs.carry_out(
            lease, run, _sandbox(), own_slot(), partial(_others_first, CUSTOM_RUNS, lease, turn, node)
        )


def _import(lease: Lease[PackageUpload], node: str, turn: Turn, _stretch: Stretch | None) -> None:
    """Verify one upload. It takes minutes: whatever a student waits for goes first, all along."""
    with attempt(lease, node):
        between = partial(_others_first, UPLOADS, lease, turn, node)
        importing.import_package(lease, _sandbox(), own_slot(), between)


def _experiment(lease: Lease[ExperimentRun], node: str, turn: Turn, _stretch: Stretch | None) -> None:
    """Carry out one run of an experiment. Students and uploads go first before each of its runs."""
    with attempt(lease, node):
        recording.carry_out(lease, _sandbox(), own_slot(), partial(_others_first, EXPERIMENTS, lease, turn, node))


SUBMISSIONS = Line(kind=Submission, work=_grade, rank=1)
REQUESTED = Line(kind=CaseRerun, work=_rerun, rank=2, which=fairness.requested())
CUSTOM_RUNS = Line(kind=CustomRun, work=_run_custom_test, rank=2)
AUTOMATIC = Line(kind=CaseRerun, work=_rerun, rank=3, which=~fairness.requested())
OVERDUE = Line(kind=CaseRerun, work=_rerun, rank=3, which=fairness.overdue_counts())
UPLOADS = Line(kind=PackageUpload, work=_import, rank=4, alone="uploads")
EXPERIMENTS = Line(kind=ExperimentRun, work=_experiment, rank=5, alone="experiments")
REJUDGED = Line(kind=RejudgedSubmission, work=_rejudge, rank=6)
LINES = (SUBMISSIONS, REQUESTED, CUSTOM_RUNS, AUTOMATIC, UPLOADS, EXPERIMENTS, REJUDGED)


# the tasks that wake-ups for these kinds start
grade_submission, examine_case, run_custom_test, import_package, run_experiment, rejudge_submission = (
    app.task(name=kind.TASK, bind=True)(_woken)
    for kind in (Submission, CaseRerun, CustomRun, PackageUpload, ExperimentRun, RejudgedSubmission)
)


@app.task(name=HEARTBEAT)
def heartbeat(node: str) -> None:
    """Prove that the worker `node` receives messages and that one of its processes works."""
    registration.seen(node)


@cache
def own_slot() -> Slot:
    """Return this process's core and folder, taken at its start and held until its end."""
    return take_slot(settings.WORK_DIR)


def _claim(line: Line, node: str, passing: int | None) -> Lease[Any] | None:
    """Claim the first row of a line that this worker can do, or the one let pass."""
    rows = capability.judgeable_lately(line.kind, node).filter(line.which if passing is None else Q(pk=passing))
    lease = records.claim(rows, f"{node}/{own_slot().number}")
    if lease is not None:
        with logs.about_attempt(lease.model, lease.id, lease.attempt, lease.worker):
            _logger.info("claimed by process %s, core %s", os.getpid(), own_slot().cpu)
    return lease


def _read(rows: QuerySet[WorkT], lease: Lease[WorkT]) -> WorkT:
    """Return the lease's row with related rows. A PostgreSQL restart at this moment costs no attempt."""
    return leases.write_patiently(partial(rows.get, pk=lease.id))


@lru_cache(maxsize=64)
def _version(key: int) -> ProblemVersion:
    """Return a version, which never changes. A claim that joined it would sort the whole queue."""
    return leases.write_patiently(partial(ProblemVersion.objects.get, pk=key))


def _job(
    submission: Submission, version: ProblemVersion, stopwatch: Stopwatch, held: ExitStack, profile: ProfilePolicy
) -> GradingJob:
    package = held.enter_context(package_store().using(version.digest))
    return GradingJob(
        package=replace(package, limits=version.limits_over(package.limits)),
        language=submission.language,
        source=bytes(submission.source),
        file_name=submission.file_name,
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
