"""One run between host and init: the request with its groups and streams, the reply, the outcome."""

import errno
import os
from dataclasses import dataclass, replace

from sandbox.cgroups.cgroup import RunGroup
from sandbox.errors import CommandError, JailError
from sandbox.image.image import PARTS_TARGET
from sandbox.jail.classify import Facts, conclude, missing_cpu_us
from sandbox.jail.initlink import InitLink
from sandbox.jail.protocol import Flag, Reply, ReplyKind, Stage, encode_request
from sandbox.jail.streams import Streams
from sandbox.meter.cpu_samples import CpuSampler
from sandbox.meter.states import StateWatcher
from sandbox.meter.timeline import Sampler
from sandbox.patience import Patience
from sandbox.types import ENVIRONMENT, Command, Destination, HostRuntime, Limits, Outcome
from sandbox.workdir import carry_out

COALESCE = "coalesce.so"
UNBUFFERED = "unbuffered.so"
LINES = "lines.so"
ENDING = "ending.so"
_ANSWER_MS = 15_000  # for the init's answer after the wall limit
_STAGES = {
    Stage.REQUEST: "the init refused the request",
    Stage.SCRATCH: "the scratch folder could not be made",
    Stage.FORK: "the program's process could not be made",
    Stage.CGROUP: "the program could not enter its control group",
    Stage.CREDENTIALS: "the program's user, limits or streams could not be set",
    Stage.FILTER: "the system-call filter could not be installed",
    Stage.WATCH: "the init lost sight of the program",
}
_HINTS = {  # at a start that failed
    errno.ENOENT: " (it, or the interpreter that it names)",
    errno.ENOEXEC: " (a script needs a first line with #!, an executable must be for this machine's architecture)",
}


@dataclass(eq=False, slots=True)
class PreparedRun:
    """A command with its groups and streams, for one or two requests to the init."""

    init: InitLink
    command: Command
    limits: Limits
    group: RunGroup  # of the run's processes
    streams: Streams
    cores: int
    runtime: HostRuntime
    sampler: Sampler | None
    cpu_sampler: CpuSampler | None
    state_watcher: StateWatcher | None

    @property
    def patience_s(self) -> float:
        """Return how long the init may take to reply: the wall limit, once more on a full machine, and some reserve."""
        return (2 * self.limits.wall_time_ms + _ANSWER_MS) / 1_000

    def measure_exec(self) -> None:
        """Have the init measure, unless it has already, what executing the program reads. Raises SandboxError."""
        flag = Flag.KEEP if self.command.goes_on else Flag.NONE  # the run itself is to go on in it
        self._ask(Flag.MEASURE_ONLY | flag)
        self._receive(Patience(self.patience_s))

    def start(self) -> None:
        """Send the command to the init; call it once. Raises SandboxError."""
        if self.cpu_sampler is not None or self.sampler is not None:
            self.measure_exec()  # an exec of its own, whose samples would be taken for the run's
        if self.cpu_sampler is not None:
            self.cpu_sampler.start(self.init.pid)
        if self.sampler is not None:
            self.sampler.start()
        if self.state_watcher is not None:
            self.state_watcher.start()
        self._ask(Flag.NONE)
        self.streams.hand_over()

    def _ask(self, flags: Flag) -> None:
        flags |= Flag.KEEP if self.command.keeps_scratch else Flag.NONE
        flags |= Flag.GO_ON if self.command.goes_on else Flag.NONE
        flags |= Flag.CLONE_INTO if self.group.is_v2 else Flag.NONE
        variables = {**ENVIRONMENT, **self.command.environment}
        preloads = [COALESCE] * self.command.coalesce_output + [LINES] * self.command.trace_writes
        preloads += [ENDING] * self.command.trace_end + [UNBUFFERED] * self.command.unbuffered_output
        if preloads:
            variables["LD_PRELOAD"] = ":".join(f"{PARTS_TARGET}/{name}" for name in preloads)
        packet = encode_request(
            self.command,
            self.limits,
            environment=[f"{name}={value}" for name, value in variables.items()],
            cgroups=len(self.group.entrances),
            flags=flags,
            cores=self.cores,
        )
        files = [*self.streams.given, self.streams.output, self.streams.errors]
        self.init.send(packet, [*files, self.group.account, *self.group.entrances])

    def finish(self, patience: Patience) -> tuple[Outcome, int]:
        """Wait for the run; return its outcome and its end in us of CLOCK_MONOTONIC. Raises SandboxError."""
        reply, files = self._receive(patience)
        try:
            self.streams.finish()
            present = [file for i, file in enumerate(self.command.collect) if reply.collected >> i & 1]
            pairs = zip(present, files, strict=True)
            collected = [file.name for file, source in pairs if carry_out(source, file.target, file.max_bytes)]
            outcome = conclude(self._facts(reply), tuple(collected))
            if self.sampler is not None:
                points = self.sampler.finish(reply.ended_us - reply.wall_us, outcome.usage)
                outcome = replace(outcome, timeline=points)
            if self.cpu_sampler is not None:
                outcome = replace(outcome, cpu_samples=self.cpu_sampler.finish())
            if self.state_watcher is not None:
                outcome = replace(outcome, states=self.state_watcher.finish())
            return outcome, reply.ended_us
        finally:
            for descriptor in files:
                os.close(descriptor)

    def _facts(self, reply: Reply) -> Facts:
        stdout, stderr = os.fstat(self.streams.output), os.fstat(self.streams.errors)
        peak = self.group.peak_bytes()
        output = _written_bytes(stderr)
        if self.command.destination is Destination.FILE:
            output += _written_bytes(stdout)
        not_its_own = min(output, reply.write_bytes)
        if peak - not_its_own > reply.max_rss_bytes + reply.scratch_used_bytes:  # asking is not free
            not_its_own += self.group.cached_bytes()
        return Facts(
            reply=reply,
            limits=self.limits,
            runtime=self.runtime,
            oom_kills=self.group.oom_kills(),
            group_peak_bytes=peak,
            not_its_own_bytes=not_its_own,
            stdout_bytes=stdout.st_size,
            stderr_bytes=stderr.st_size,
            group_system_us=self.group.system_time_us() if missing_cpu_us(reply) else 0,
        )

    def _receive(self, patience: Patience) -> tuple[Reply, list[int]]:
        reply, files = self.init.receive(patience)
        if reply.kind is ReplyKind.DONE:
            return reply, files
        why = os.strerror(reply.error)
        if reply.stage is Stage.EXEC:
            why += _HINTS.get(reply.error, "")
            program = self.command.argv[0]  # on one line, whatever characters it has
            program = program if program.isprintable() and program else ascii(program)
            raise CommandError(f"{program} cannot be started: {why}", why)
        raise JailError(f"{_STAGES.get(reply.stage, 'the run failed')}: {why}")


def _written_bytes(file: os.stat_result) -> int:
    """Return how much of the file was written: a program makes holes, which lie nowhere, without writing."""
    return min(file.st_size, file.st_blocks * 512)
