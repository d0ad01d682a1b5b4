"""A fake sandbox that runs nothing and returns what the test scripts."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from sandbox.errors import JailError, MeterProblem, MeterUnavailable
from sandbox.types import Command, Ending, Image, JailSpec, Limits, Outcome, Profile, StreamUse

EXITED = Outcome(ending=Ending.EXITED, exit_code=0)
PROFILE = Profile(syscalls={"write": 3}, streams={"stdout": StreamUse(calls=3, bytes=6)})


@dataclass(frozen=True, kw_only=True, slots=True)
class Scripted:
    """What one run does: its outcome, what it prints, and the files it leaves in the scratch folder."""

    outcome: Outcome = EXITED
    stdout: bytes = b""
    stderr: bytes = b""
    files: dict[str, bytes] = field(default_factory=dict)


Script = Callable[[Command, Limits], Scripted]


class FakeSandbox:
    """A `sandbox.types.Sandbox`: every run is what `script` says of its command; remembers commands and jails."""

    def __init__(self, script: Script, *, meter_problem: MeterProblem | None = None) -> None:
        self.script = script
        self.problem = meter_problem
        self.commands: list[Command] = []
        self.profiled: list[Command] = []
        self.open_jails = 0
        self.specs: list[JailSpec] = []

    @contextmanager
    def open_jail(self, spec: JailSpec) -> "Iterator[FakeSandbox]":
        if spec.image is Image.READER:
            raise JailError("nothing is read here")
        self.open_jails += 1
        self.specs.append(spec)
        try:
            yield self
        finally:
            self.open_jails -= 1

    def meter_problem(self) -> MeterProblem | None:
        return self.problem

    def run(self, command: Command, limits: Limits) -> Outcome:
        self.commands.append(command)
        scripted = self.script(command, limits)
        for target, content in ((command.stdout, scripted.stdout), (command.stderr, scripted.stderr)):
            if target is not None:
                target.write_bytes(content)
        wanted = [collect for collect in command.collect if collect.name in scripted.files]
        for collect in wanted:
            collect.target.write_bytes(scripted.files[collect.name])
        outcome = scripted.outcome
        return Outcome(
            ending=outcome.ending,
            exit_code=outcome.exit_code,
            signal=outcome.signal,
            usage=outcome.usage,
            io=outcome.io,
            watch=outcome.watch,
            stdout_bytes=len(scripted.stdout),
            stderr_bytes=len(scripted.stderr),
            collected=tuple(collect.name for collect in wanted),
            limit=outcome.limit,
            stream=outcome.stream,
        )

    def profile(self, command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        if self.problem:
            raise MeterUnavailable(self.problem)
        self.profiled.append(command)
        return self.run(command, limits), PROFILE
