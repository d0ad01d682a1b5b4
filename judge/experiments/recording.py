"""Carry out and record a run of an experiment on a worker. The lease fences every write.

How large a row gets: a run is at most 2 KB of JSON, and 11 KB with a timeline. So 500 runs without one are 1 MB, and
100 with one 1.1 MB while they go on; a whole experiment keeps one per cell, of which there are 36, so 0.5 MB. Variants
that were not compiled add at most 12 x 17 KB. Sources and input, 3.5 MB, are written once, when it is started.
"""

import json
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext_noop

from judge.grading.experiment import results
from judge.grading.experiment.engine import first_core, run_experiment
from judge.grading.experiment.results import RunMeasured, VariantFailed, with_shown_timelines
from judge.grading.experiment.spec import ExperimentSpec
from judge.grading.languages import language_by_id
from judge.grading.verification.pace import OutOfTime, Pace
from judge.models import ExperimentRun
from judge.queue import wakeup
from judge.queue.leases import Lease, fenced, write_patiently
from judge.slots import Slot
from judge.submissions.records import finish
from problems.columns import clean
from problems.jsonvalues import to_json
from problems.models import ProblemVersion
from problems.package import Package, PackageError
from problems.store.stores import package_store
from problems.translation import Sentence
from sandbox.jail.jail import cores_of
from sandbox.types import JailSpec, Sandbox

MOST_S = 15 * 60  # of wall time, without what others had meanwhile: programs that wait use no CPU time
WRITE_EVERY_S = 0.5  # a write takes all runs until then, so those of many short ones go together
_WRITE_BYTES = 100_000  # for each so many that a write takes, and pages read again, it waits so long once more
_MESSAGE_CHARACTERS = 4_000
_TOO_LONG = gettext_noop("It was ended before its last run, since it had gone on for 15 minutes.")
_NO_CASE = gettext_noop("The test case is not there any more, or the problem's own programs fail on it.")


def carry_out(
    lease: Lease[ExperimentRun], sandbox: Sandbox, slot: Slot, between: Callable[[], None] = lambda: None
) -> None:
    """Run it to its end; `between` is called before each of its runs. Raises LeaseLost and our own failures."""
    run = write_patiently(lambda: ExperimentRun.objects.get(pk=lease.id))
    spec = run.spec
    record = _Record(lease, spec)
    pace = Pace(between, MOST_S)
    problem = ""
    try:
        record.begin(slot)
        with ExitStack() as held:
            package = write_patiently(lambda: _package_of(spec, held))
            events = run_experiment(
                spec, sandbox, slot.folder, cpu=slot.cpu, package=package, author=run.user_id, pause=pace.pause
            )
            held.enter_context(closing(events))  # now, should a write find the lease lost
            for event in events:
                record.note(event)
    except OutOfTime:
        problem = _TOO_LONG
    except PackageError:
        problem = _NO_CASE
    record.finish(problem)


class _Record:
    """The measurements of one attempt. Safe to write again after an unanswered commit."""

    def __init__(self, lease: Lease[ExperimentRun], spec: ExperimentSpec) -> None:
        self._lease = lease
        self._spec = spec
        self._measured: list[RunMeasured] = []
        self._bytes = 0  # of these as JSON
        self._failed: list[VariantFailed] = []
        self._written_at = time.monotonic()

    def begin(self, slot: Slot) -> None:
        """Record the machine. Raises ToolchainMissing: another worker may have the language."""
        versions = {
            variant.language: language_by_id(variant.language).toolchain().version for variant in self._spec.variants
        }
        cores = cores_of(JailSpec(cpu=first_core(slot.cpu), cores=self._spec.settings.cores))
        self._write(toolchains=versions, machine=results.describe(cores))

    def note(self, event: RunMeasured | VariantFailed) -> None:
        """Record one more run, or a variant that takes no part."""
        if isinstance(event, VariantFailed):
            message, most = event.message, _MESSAGE_CHARACTERS
            cut = message if len(message) <= most else f"{message[:most]}\n[the rest is cut off]"
            self._failed.append(replace(event, message=cut))
        else:
            self._measured.append(event)
            self._bytes += len(json.dumps(to_json(event)))
        if isinstance(event, VariantFailed) or time.monotonic() - self._written_at >= pause_s(self._bytes):
            self._write()

    def finish(self, problem: str) -> None:
        """Record the end, regular or early with this reason."""
        runs = tuple(with_shown_timelines(self._measured))

        def write() -> ExperimentRun:
            with fenced(self._lease) as row:
                row.runs, row.failed, row.total_runs = runs, tuple(self._failed), self._total
                row.problem = clean(problem)[:300]
                finish(row)
                row.save()
                return row

        wakeup.announce(write_patiently(write), "done")

    @property
    def _total(self) -> int:
        """Return the runs of all variants that take part."""
        remaining = len(self._spec.variants) - len(self._failed)
        return remaining * len(self._spec.destinations) * self._spec.rounds

    def _write(self, **columns: Any) -> None:
        columns |= {"runs": tuple(self._measured), "failed": tuple(self._failed), "total_runs": self._total}

        def write() -> ExperimentRun:
            with fenced(self._lease) as row:
                for name, value in columns.items():
                    setattr(row, name, value)
                row.save(update_fields=list(columns))
                return row

        run = write_patiently(write)
        self._written_at = time.monotonic()
        wakeup.announce(run, "run")


def pause_s(size_bytes: int) -> float:
    """Return the pause after a write of this size."""
    return WRITE_EVERY_S * (1 + size_bytes // _WRITE_BYTES)


def _package_of(spec: ExperimentSpec, held: ExitStack) -> Package | None:
    """Return the package of the spec's test case, in its version; None without one. Raises PackageError."""
    if spec.case is None:
        return None
    version = ProblemVersion.objects.filter(pk=spec.case.version).first()
    if version is None:
        raise PackageError(f"data/{spec.case.case}.in", "", Sentence("its version is gone"))
    package = held.enter_context(package_store().using(version.digest))
    return replace(package, limits=version.limits_over(package.limits))
