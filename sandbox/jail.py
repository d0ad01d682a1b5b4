"""One open jail as the host uses it: a run is prepared (fresh groups, streams), asked of the init, and concluded."""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sandbox.cgroup import JailGroup
from sandbox.errors import CgroupError, JailError, LimitsError
from sandbox.initlink import InitLink
from sandbox.meter import PidNamespace, Reading, this_process_meter
from sandbox.meterlock import brief, graded_run_lock, noting_cut, profile_pass_lock
from sandbox.prepared import PreparedRun
from sandbox.protocol import check_limits
from sandbox.streams import PipeEnds, Place, open_streams
from sandbox.timeline import sampling
from sandbox.types import Command, JailSpec, Limits, Outcome, Profile

_CORES = Path("/sys/devices/system/cpu")  # a folder for each, cpu0 the first; see cputopology of the kernel's documents
_MOST_CORES = 1 << 16
_logger = logging.getLogger(__name__)


def cores_of(spec: JailSpec) -> tuple[int, ...]:
    """The cores that its runs are pinned to: fewer than it asks for where the host has no more; none for any core.

    Raises LimitsError for a core that this host does not have, or less than one.
    """
    if type(spec.cores) is not int or spec.cores < 1:
        raise LimitsError("cores must be a whole number of at least 1")
    if spec.cpu is None:
        return ()
    if type(spec.cpu) is not int or not 0 <= spec.cpu < _MOST_CORES or not Path(_CORES, f"cpu{spec.cpu}").is_dir():
        raise LimitsError("cpu must be the number of one of this host's cores")
    here = sorted(os.sched_getaffinity(0) | {spec.cpu})
    place = here.index(spec.cpu)
    return tuple((here[place:] + here[:place])[: spec.cores])


class OpenJail:
    """One open jail. Not for several threads at once."""

    def __init__(self, spec: JailSpec, folder: Path, group: JailGroup, init: InitLink) -> None:
        self._folder = folder
        self._group = group
        self._init = init
        self._cores = len(cores_of(spec)) or len(os.sched_getaffinity(0))

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Run and measure; never traced. Raises SandboxError when the sandbox, not the program, failed."""
        with graded_run_lock(), self.prepared(command, limits) as prepared:
            return self._run(prepared)

    def profile(self, command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        """Run once more under the kernel meter. Raises MeterUnavailable when this host cannot count."""
        with profile_pass_lock(), self.prepared(command, brief(limits)) as prepared, self.metered(prepared) as reading:
            outcome = self._run(prepared)
            return outcome, noting_cut(reading.profile(), limits, outcome)

    @contextmanager
    def prepared(self, command: Command, limits: Limits, ends: PipeEnds | None = None) -> Iterator[PreparedRun]:
        """Groups and streams of one run, removed at the end; the caller holds a meter lock. Raises SandboxError."""
        check_limits(limits)
        place = Place(folder=self._folder, work_roots=self._init.work_roots)
        group = self._group.open_run(memory_bytes=limits.memory_bytes, processes=limits.processes)
        try:
            with (
                open_streams(command, place, limits, ends) as streams,
                sampling(group, command.sample_ms) as sampler,
            ):
                streams.give_terminal_to(self._group.users.program)
                yield PreparedRun(self._init, command, limits, group, streams, self._cores, sampler)
        finally:
            group.close()

    @contextmanager
    def metered(self, prepared: PreparedRun) -> Iterator[Reading]:
        """The kernel meter on this jail's next run, the profile pass lock held. Raises MeterUnavailable, JailError."""
        counter = this_process_meter()
        prepared.measure_exec()  # an exec of its own, which the meter would take for the run's
        try:
            namespace = PidNamespace.of(self._init.pid)
        except OSError as error:
            raise JailError(f"the jail is gone: {error.strerror}") from error
        with counter.attached(namespace) as reading:
            yield reading

    def tidy(self) -> None:
        """What has to be done between runs, done while one is under way: the host only waits for it."""
        with suppress(CgroupError):  # whatever it is, the next run meets it again
            self._group.tidy()

    def abandon(self) -> None:
        """End the jail's processes after a failure; it takes no run any more."""
        self._init.close()

    def _run(self, prepared: PreparedRun) -> Outcome:
        prepared.start()
        self.tidy()
        outcome = prepared.finish()[0]
        _logger.debug("a run in %s: %s %s", self._folder.name, outcome.ending.value, outcome.usage)
        return outcome
