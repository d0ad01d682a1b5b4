"""Carry out a custom run on a worker. The lease fences every write, as of a submission."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace

from judge.grading.events import GradingFinished, GradingJob
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
