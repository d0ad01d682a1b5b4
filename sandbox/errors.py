"""Failures on our side. A program that crashes or is too slow is an `Outcome`, never one of these."""

from dataclasses import dataclass
from enum import StrEnum


class SandboxError(Exception):
    """The sandbox failed, not the program: retry elsewhere, then judge error."""


class JailError(SandboxError):
    """nsjail or the init did not start, died or stopped answering."""


class CommandError(JailError):
    """The command cannot be started; the message names it and the kernel's reason, which `reason` is alone."""

    def __init__(self, message: str, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason


class CgroupError(SandboxError):
    """A control group could not be created, limited, read or removed."""


class DisturbedError(SandboxError):
    """Every attempt of a run was disturbed from outside the program: the machine, or we, stood still."""


class LimitsError(SandboxError):
    """A limit makes no sense."""


class WorkdirError(SandboxError):
    """A file could not be staged or collected."""


class ImageError(SandboxError):
    """The files that run jails show could not be loaded into memory: no suitable tmpfs, or the runtimes are missing."""


class GaveWay(Exception):
    """A run was ended since somebody else waits (`Command.gives_way`): nobody's failure."""


class MeterStop(StrEnum):
    """Why system calls are not counted by name."""

    UNREADABLE = "unreadable"
    NO_START = "no-start"
    SKIPPED = "skipped"
    ARCHITECTURE = "architecture"
    NOT_ROOT = "not-root"
    NO_KERNEL_TYPES = "no-kernel-types"
    NOT_BUILT = "not-built"
    NOT_LOADED = "not-loaded"
    NOT_ATTACHED = "not-attached"
    NOT_COUNTING = "not-counting"
    FAILED = "failed"  # by an error of ours
    OTHER = "other"  # as `words` say


_ENGLISH = {
    MeterStop.UNREADABLE: "the meter cannot be read: {words}",
    MeterStop.NO_START: "the meter saw no program start in the jail",
    MeterStop.SKIPPED: "the kernel skipped {number} system calls",
    MeterStop.ARCHITECTURE: "system calls are counted by name on x86-64 and arm64 only, not on {words}",
    MeterStop.NOT_ROOT: "counting system calls by name needs root",
    MeterStop.NO_KERNEL_TYPES: "this kernel does not describe its types ({words}): use one built with BTF",
    MeterStop.NOT_BUILT: "the meter is not built: install clang and libbpf-dev, then make -C sandbox/native",
    MeterStop.NOT_LOADED: "the meter cannot be loaded: {words}",
    MeterStop.NOT_ATTACHED: "the meter cannot be attached: {words}",
    MeterStop.NOT_COUNTING: "the meter cannot count a run: {words}",
    MeterStop.FAILED: "the profile pass failed because of an error of ours",
    MeterStop.OTHER: "{words}",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class MeterProblem:
    """Why system calls are not counted by name. `words`: the kernel's, the machine's or a file's name.

    `lacks_capabilities`: this process may not use BPF. As a string it is English, for the command line and for logs.
    """

    code: MeterStop
    words: str = ""
    number: int = 0
    lacks_capabilities: bool = False

    def __str__(self) -> str:
        remedy = " (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)" if self.lacks_capabilities else ""
        return _ENGLISH[self.code].format(words=self.words, number=self.number) + remedy


class MeterUnavailable(SandboxError):
    """This host cannot count system calls by name, or cannot sample CPU time; `problem` has the reason."""

    def __init__(self, problem: MeterProblem | str) -> None:
        super().__init__(str(problem))
        self.problem = MeterProblem(code=MeterStop.OTHER, words=problem) if isinstance(problem, str) else problem
