"""Carry out a custom run on a worker. The lease fences every write, as of a submission."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

from judge.grading.events import Event, GradingFinished, GradingJob
from judge.grading.reruns import custom_test
from judge.grading.stages import Stage
from judge.models import CustomRun
from judge.queue.leases import Lease
from judge.slots import Slot
from judge.submissions.records import GATHER_S, GradingRecord
from problems.store.stores import package_store
from sandbox.types import Sandbox


def carry_out(
    lease: Lease[CustomRun], run: CustomRun, sandbox: Sandbox, slot: Slot, between: Callable[[], None]
) -> None:
    """Run the claimed row to its end; `between` is called between its steps. Raises LeaseLost and our own failures."""
    with ExitStack() as held:
        record = GradingRecord(lease, gather_s=GATHER_S)
        held.callback(record.stop)
        job = _job(lease, run, slot, held)
        for event in _events(run, job, sandbox, slot):
            record.write(event)
            if not isinstance(event, GradingFinished):
                with lease.stopwatch.timed(Stage.QUEUE):
                    between()


def _job(lease: Lease[CustomRun], run: CustomRun, slot: Slot, held: ExitStack) -> GradingJob:
    version = run.problem_version
    package = held.enter_context(package_store().using(version.digest))
    limits = replace(version.limits_over(package.limits), time_limit_ms=run.time_limit_ms)
    return GradingJob(
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


def _events(run: CustomRun, job: GradingJob, sandbox: Sandbox, slot: Slot) -> Iterator[Event]:
    if run.input is None:
        return custom_test.run_on_samples(job, run.sample, sandbox, slot.folder)
    return custom_test.run_on_input(job, bytes(run.input), sandbox, slot.folder)
