"""Failures on our side. A program that crashes or is too slow is an `Outcome`, never one of these.

SandboxError
|-- JailError            nsjail or the init did not start, died or stopped answering
|   `-- CommandError     the command cannot be started: it does not exist, is not executable, is a folder
|-- CgroupError          a control group could not be made, limited, read or removed
|-- DisturbedError       a run was disturbed each time by what is not the program's
|-- LimitsError          limits that make no sense (zero, negative, absurd)
|-- WorkdirError         a file could not be staged or carried out
|-- ImageError           what run jails show could not be put into memory
`-- MeterUnavailable     this host cannot count system calls by name (no BPF, no permission, no clang)
"""


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


class MeterUnavailable(SandboxError):
    """This host cannot count system calls by name; the message says why."""
