"""One open jail as the host uses it: prepare a run (fresh groups, streams), request it from the init, conclude it."""

import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from sandbox.cgroups.cgroup import JailGroup, RunGroup
from sandbox.errors import CgroupError, GaveWay, JailError, LimitsError, MeterUnavailable
from sandbox.jail.doubt import Doubt, doubt_about, make_room, noting_host_gap, repeated
from sandbox.jail.initlink import InitLink
from sandbox.jail.prepared import PreparedRun
from sandbox.jail.protocol import Flag, check_limits, encode_ahead
from sandbox.jail.streams import PipeEnds, Place, memory_for_output, open_streams
from sandbox.meter.cpu_samples import cpu_sampling
from sandbox.meter.meter import meter_problem, namespace_of
from sandbox.meter.states import watching_states
from sandbox.meter.timeline import sampling
from sandbox.passes.claims import graded_run
from sandbox.passes.turns import Turn, cutting, noting_cut, profile_turn
from sandbox.patience import Patience
from sandbox.scheduling import leaving_cores
from sandbox.types import Command, JailSpec, Limits, Outcome, Profile

_CORES = Path("/sys/devices/system/cpu")  # a folder for each, cpu0 the first; see cputopology of the kernel's documents
_MOST_CORES = 1 << 16
_ASK_EVERY_S = 0.5  # whether somebody waits
_logger = logging.getLogger(__name__)


def cores_of(spec: JailSpec) -> tuple[int, ...]:
    """Return the cores for its runs, fewer where the host has no more; none for any core. Raises LimitsError."""
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
    """One open jail. Not thread-safe."""

    def __init__(self, spec: JailSpec, folder: Path, group: JailGroup, init: InitLink) -> None:
        self._folder = folder
        self._group = group
        self._init = init
        self._runtime = spec.runtime
        self._cores = len(cores_of(spec)) or len(os.sched_getaffinity(0))
        self._is_observed = False  # what the init starts now would be counted or sampled

    @property
    def cpus(self) -> tuple[int, ...]:
        """Return the cores to which its runs are pinned; empty: any core."""
        return self._group.cpus

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Run and measure; never traced. Raises SandboxError when the sandbox, not the program, failed.

        A run that the wall limit ended is made again while it is in doubt whose time that was, and so is one that was
        passed over for a round of profile passes, since this process was stopped: see `sandbox.jail.doubt`.
        """

        def attempt() -> tuple[Outcome, bool]:
            with graded_run() as claim, self.prepared(command, limits) as prepared:
                return self._run(prepared), claim.is_void

        def doubt_about_it(result: tuple[Outcome, bool]) -> Doubt:
            return Doubt.OURS if result[1] else doubt_about(result[0], command)

        return repeated(attempt, doubt_about_it, partial(make_room, command))[0]

    def profile(self, command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        """Run under the kernel meter, cut if it lasts long (`sandbox.passes.rules`); repeat it if its round ended
        before it ran. Raises MeterUnavailable if this host cannot count.
        """

        def attempt() -> tuple[Outcome, Profile | None]:
            with self.prepared(command, limits) as prepared, self.metered(prepared) as turn:
                with cutting([prepared.group], turn) as cut:
                    outcome = self._run(prepared)
                profile = turn.profile()
                return outcome, profile and noting_cut(profile, outcome, cut)

        def doubt_about_it(result: tuple[Outcome, Profile | None]) -> Doubt:
            return Doubt.OURS if result[1] is None else Doubt.NONE

        outcome, profile = repeated(attempt, doubt_about_it, partial(make_room, command))
        assert profile is not None
        return outcome, profile

    @contextmanager
    def prepared(self, command: Command, limits: Limits, ends: PipeEnds | None = None) -> Iterator[PreparedRun]:
        """Provide groups and streams for one run, removed at the end; the caller has a claim or a turn
        (`sandbox.passes`) when it starts. Raises SandboxError.
        """
        check_limits(limits)
        self._is_observed = bool(command.sample_ms or command.cpu_sampling or command.state_search)
        place = Place(folder=self._folder, work_roots=self._init.work_roots)
        group = self._group.open_run(
            memory_bytes=limits.memory_bytes,
            output_bytes=memory_for_output(command, limits, ends),
            processes=limits.processes,
        )
        try:
            with (
                open_streams(command, place, limits, ends) as streams,
                sampling(group, command.sample_ms) as sampler,
                cpu_sampling(command.cpu_sampling, self.cpus) as cpu_sampler,
                watching_states(command.state_search, group) as state_watcher,
            ):
                streams.give_terminal_to(self._group.users.program)
                observers = (sampler, cpu_sampler, state_watcher)
                yield PreparedRun(self._init, command, limits, group, streams, self._cores, self._runtime, *observers)
        finally:
            group.close()

    @contextmanager
    def metered(self, prepared: PreparedRun) -> Iterator[Turn]:
        """Wait for a turn in a round of profile passes; the next run is counted. Raises MeterUnavailable, JailError."""
        problem = meter_problem()
        if problem is not None:
            raise MeterUnavailable(problem)
        prepared.measure_exec()  # an exec of its own, which the meter would take for the run's
        self._is_observed = True
        try:
            namespace = namespace_of(self._init.pid)
        except OSError as error:
            raise JailError(f"the jail is gone: {error.strerror}") from error
        with profile_turn(namespace) as turn:
            yield turn

    def tidy(self) -> None:
        """Do the work between two runs while a run is under way, when the host would only wait.

        The init makes the process of the next run as soon as this one is over: it gets the groups for it, unless
        this run is observed by others than the init.
        """
        with suppress(CgroupError, JailError):  # whatever it is, this run or the next one meets it again
            group = self._group.make_next()
            if group is not None and not self._is_observed:
                flags = Flag.CLONE_INTO if group.is_v2 else Flag.NONE
                self._init.send(encode_ahead(len(group.entrances), flags), group.entrances)
            self._group.remove_old(self._init.has_answered)

    def abandon(self) -> None:
        """End the jail's processes after a failure; it accepts no further run."""
        self._init.close()

    def _run(self, prepared: PreparedRun) -> Outcome:
        way = _GivingWay(prepared.command, prepared.group)
        patience = Patience(prepared.patience_s, look=way.look)
        with leaving_cores(self.cpus):
            prepared.start()
            self.tidy()
            outcome = noting_host_gap(prepared.finish(patience)[0], patience.gap_us)
        way.check()
        if outcome.watch.is_disturbed:
            _logger.warning("a run in %s was disturbed: %s %s", self._folder.name, outcome.ending.value, outcome.watch)
        _logger.debug("a run in %s: %s %s", self._folder.name, outcome.ending.value, outcome.usage)
        return outcome


class _GivingWay:
    """Ends a run because somebody else waits: the host calls `Command.gives_way` while it waits for the run."""

    def __init__(self, command: Command, group: RunGroup) -> None:
        self._command = command
        self._group = group
        self._ask_at = time.monotonic() + command.gives_way_after_ms / 1_000
        self._is_ended = False

    def look(self) -> None:
        """Ask if it is time to, and end the run if somebody waits. Raises CgroupError."""
        if self._is_ended:
            self._group.kill()  # again: it may be making processes
        elif self._command.gives_way is not None and time.monotonic() >= self._ask_at:
            self._is_ended = self._command.gives_way()
            self._ask_at = time.monotonic() + _ASK_EVERY_S
            if self._is_ended:
                self._group.kill()

    def check(self) -> None:
        """Raises GaveWay if the run was ended for somebody."""
        if self._is_ended:
            raise GaveWay
