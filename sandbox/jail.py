"""One open jail as the host uses it: a run is prepared (fresh groups, streams), asked of the init, and concluded."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sandbox.cgroup import JailGroup, RunGroup
from sandbox.endings import Facts, conclude
from sandbox.errors import CommandError, JailError
from sandbox.initlink import InitLink
from sandbox.meter import PidNamespace, this_process_meter
from sandbox.meterlock import graded_run_lock, profile_pass_lock
from sandbox.protocol import Flag, Reply, ReplyKind, Stage, encode_request
from sandbox.types import Command, JailSpec, Limits, Outcome, Profile
from sandbox.workdir import carry_out, streams

PARTS_TARGET = "/tally"  # where a jail shows our own files
COALESCE = "coalesce.so"
_ANSWER_S = 15.0  # for the init's answer after the wall limit
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}  # noqa: S108
_STAGES = {
    Stage.REQUEST: "the init refused the request",
    Stage.SCRATCH: "the scratch folder could not be made",
    Stage.FORK: "the program's process could not be made",
    Stage.CGROUP: "the program could not enter its control group",
    Stage.CREDENTIALS: "the program's user, limits or streams could not be set",
    Stage.FILTER: "the system-call filter could not be installed",
    Stage.WATCH: "the init lost sight of the program",
}


class OpenJail:
    """One open jail. Not for several threads at once."""

    def __init__(self, spec: JailSpec, folder: Path, group: JailGroup, init: InitLink) -> None:
        self._folder = folder
        self._group = group
        self._init = init
        self._cores = 1 if spec.cpu is not None else len(os.sched_getaffinity(0))

    def run(self, command: Command, limits: Limits) -> Outcome:
        """Run and measure; never traced. Raises SandboxError when the sandbox, not the program, failed."""
        with graded_run_lock(), self._prepared(command, limits) as prepared:
            return prepared.run(Flag.NONE)

    def profile(self, command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        """Run once more under the kernel meter. Raises MeterUnavailable when this host cannot count."""
        counter = this_process_meter()
        with profile_pass_lock(), self._prepared(command, limits) as prepared:
            prepared.measure_exec()  # an exec of its own, which the meter would take for the run's
            with counter.attached(PidNamespace.of(self._init.pid)) as reading:
                outcome = prepared.run(Flag.NONE)
            return outcome, reading.profile()

    @contextmanager
    def _prepared(self, command: Command, limits: Limits) -> "Iterator[_PreparedRun]":
        group = self._group.open_run(memory_bytes=limits.memory_bytes, processes=limits.processes)
        try:
            with streams(command, self._folder, limits.output_bytes + limits.stderr_bytes) as opened:
                yield _PreparedRun(self._init, command, limits, group, opened, self._cores)
        finally:
            group.close()


class _PreparedRun:
    """A command with its groups and streams: what one or two requests to the init need."""

    def __init__(
        self, init: InitLink, command: Command, limits: Limits, group: RunGroup, stdio: list[int], cores: int
    ) -> None:
        self._init = init
        self._command = command
        self._limits = limits
        self._group = group
        self._stdio = stdio
        self._cores = cores
        self._account, self._entrances = group.descriptors()

    def measure_exec(self) -> None:
        """Have the init measure what executing the program reads, if it has not yet."""
        self._ask(Flag.MEASURE_ONLY)

    def run(self, flags: Flag) -> Outcome:
        """One run of the command, and what became of it."""
        reply, files = self._ask(flags)
        try:
            facts = Facts(
                reply=reply,
                limits=self._limits,
                oom_kills=self._group.oom_kills(),
                group_peak_bytes=self._group.peak_bytes(),
                stdout_bytes=os.fstat(self._stdio[1]).st_size,
                stderr_bytes=os.fstat(self._stdio[2]).st_size,
            )
            return conclude(facts, self._carry_out(reply, files))
        finally:
            for descriptor in files:
                os.close(descriptor)

    def _ask(self, flags: Flag) -> tuple[Reply, list[int]]:
        packet = encode_request(
            self._command,
            self._limits,
            _environment(self._command),
            cgroups=len(self._entrances),
            flags=flags | (Flag.CLONE_INTO if self._group.is_v2 else Flag.NONE),
            cores=self._cores,
        )
        descriptors = [*self._stdio, self._account, *self._entrances]
        reply, files = self._init.ask(packet, descriptors, self._limits.wall_time_ms / 1_000 + _ANSWER_S)
        if reply.kind is ReplyKind.DONE:
            return reply, files
        why = os.strerror(reply.error)
        if reply.stage is Stage.EXEC:
            raise CommandError(f"{self._command.argv[0]} cannot be started: {why}")
        raise JailError(f"{_STAGES.get(reply.stage, 'the run failed')}: {why}")

    def _carry_out(self, reply: Reply, files: list[int]) -> tuple[str, ...]:
        present = [wanted for i, wanted in enumerate(self._command.collect) if reply.collected >> i & 1]
        return tuple(
            wanted.name
            for wanted, descriptor in zip(present, files, strict=True)
            if carry_out(descriptor, wanted.target, wanted.max_bytes)
        )


def _environment(command: Command) -> list[str]:
    variables = {**_ENVIRONMENT, **command.environment}
    if command.coalesce_output:
        variables["LD_PRELOAD"] = f"{PARTS_TARGET}/{COALESCE}"
    return [f"{name}={value}" for name, value in variables.items()]
