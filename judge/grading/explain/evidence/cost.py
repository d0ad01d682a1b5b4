"""Estimate the cost of a case's system calls: their kinds, and how much of the CPU time each kind can explain.

The kernel's share of the CPU time is measured, but not call by call. It is divided here among all that the program had
the kernel do, so that no rule blames its own calls for what others cost.
"""

from dataclasses import dataclass

from judge.grading.events import CaseJudged
from sandbox.types import Profile

# A small write to a file takes about half a microsecond, a first touch of a page, which the kernel has to clear, as
# much again: 1.0 us in a virtual machine against 0.5. Too high only makes the rules say less.
_CALLS_PER_FAULT = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class Calls:
    """Calls of a graded run. By name and stream they come from the profile pass, scaled to the length of this run."""

    reads: int  # of the kernel's own books
    writes: int
    to_stdout: int  # of the writes; without a profile, by the share of the bytes
    to_stderr: int
    total: int  # all system calls; without a profile, the reads and writes
    faults: int

    def share(self, count: int) -> float:
        """Return the share, from 0 to 1, of so many of these calls in the kernel's work."""
        done = max(self.total, count) + _CALLS_PER_FAULT * self.faults
        return count / done if done else 0.0


def calls_of(case: CaseJudged, profile: Profile | None) -> Calls:
    """Count a case's calls by kind."""
    io = case.io
    moving = io.read_calls + io.write_calls
    if profile is None:
        stdout, stderr, whole, total = case.stdout_bytes, case.stderr_bytes, io.write_bytes, moving
    else:
        use = {name: stream.calls for name, stream in profile.streams.items()}
        stdout, stderr = use.get("stdout", 0), use.get("stderr", 0)
        whole = stdout + stderr + use.get("files", 0)
        counted = whole + use.get("stdin", 0)
        total = sum(profile.syscalls.values()) * moving // counted if counted else moving
    return Calls(
        reads=io.read_calls,
        writes=io.write_calls,
        to_stdout=io.write_calls * min(stdout, whole) // whole if whole else 0,
        to_stderr=io.write_calls * min(stderr, whole) // whole if whole else 0,
        total=max(total, moving),
        faults=case.usage.minor_faults,
    )
