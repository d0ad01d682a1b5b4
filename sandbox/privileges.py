"""The worker's capabilities, their reasons, its own limits, and the users of jails.

The doctor checks the list of capabilities, privileges.md shows it. It was found by taking each away
(tests/sandbox/test_privileges.py). CAP_SYS_ADMIN is not on it: a jail is set up in a user namespace of its own, over
which user 0 has all power because it made it. User 0 it must be: on cgroup v1 the kernel lets nobody else bring a
process of another user into a group, whatever its capabilities (cgroup1_procs_write); and who has CAP_SETUID and
CAP_DAC_OVERRIDE is no less than user 0.

Too low limits of this process would restrict runs, or leave a jail half made. A jail raises what was set softly
(native/init/init.c), and with CAP_SYS_RESOURCE also what is hard; the rest is said before there is a jail at all.

Sources: capabilities(7), user_namespaces(7), getrlimit(2).
"""

import os
import resource
import secrets
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import JailError

# The kernel counts per user, over all namespaces, what pages lie in pipes, how many descriptors are in flight and
# how much is watched. If two jails were one user, a submission could take that from another, and tell it something.
FIRST = 1_900_000_000
COUNT = 65_536  # two for each jail; that two of a handful of open jails draw the same is one case in thousands
_SYS_ADMIN = 21  # also grants what CAP_BPF and CAP_PERFMON do


@dataclass(frozen=True, kw_only=True, slots=True)
class JailUsers:
    """User and group ids outside the jail, of its root and its program: used by nobody else."""

    init: int  # root inside
    program: int

    @staticmethod
    def draw() -> "JailUsers":
        """Return two ids that hardly any other open jail has."""
        init = FIRST + 2 * secrets.randbelow(COUNT // 2)
        return JailUsers(init=init, program=init + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Capability:
    """One capability of the worker; without one that is not `needed`, only counting by name or sampling fails."""

    name: str
    number: int  # <linux/capability.h>
    reason: str
    needed: bool = True


CAPABILITIES = (
    Capability(name="CAP_SETUID", number=7, reason="gives a jail's root and its program user ids of their own"),
    Capability(name="CAP_SETGID", number=6, reason="gives them group ids of their own"),
    Capability(
        name="CAP_CHOWN",
        number=0,
        reason="hands a program its terminal and, on cgroup v2, a jail's init its control groups",
    ),
    Capability(
        name="CAP_DAC_OVERRIDE",
        number=1,
        reason="creates the first group of a hierarchy, whose top folder has mode 0555: read-only even for its owner",
    ),
    Capability(name="CAP_BPF", number=39, reason="loads the kernel meter", needed=False),
    Capability(
        name="CAP_PERFMON",
        number=38,
        reason="lets the meter see which process makes a system call, on which stream, and where its CPU time goes",
        needed=False,
    ),
)


def is_held(capability: Capability, status: str | None = None) -> bool:
    """Return whether this process has the capability in effect; `status` is the text of /proc/self/status."""
    text = Path("/proc/self/status").read_text() if status is None else status
    effective = next(int(line.split()[1], 16) for line in text.splitlines() if line.startswith("CapEff:"))
    by_way_of = {capability.number} if capability.needed else {capability.number, _SYS_ADMIN}
    return any(effective >> number & 1 for number in by_way_of)


def can_be_jail_users(uid_map: str | None = None) -> bool:
    """Return whether the jails' users exist here; in a user namespace (rootless Docker, userns-remap) they do not."""
    text = Path("/proc/self/uid_map").read_text() if uid_map is None else uid_map
    ranges = [range(int(first), int(first) + int(count)) for first, _, count in map(str.split, text.splitlines())]
    return all(any(user in interval for interval in ranges) for user in (FIRST, FIRST + COUNT - 1))


_MAY_RAISE = Capability(name="CAP_SYS_RESOURCE", number=24, reason="raises hard limits")
_SPARE = 72  # two jails that talk take 42, what a run collects 16, the meter 4
_GIB = 1 << 30


_BOUNDS = (  # what is limited, its resource, the least hard limit, its option of ulimit
    ("seconds of CPU time", resource.RLIMIT_CPU, 86_400, "t"),
    ("bytes of address space", resource.RLIMIT_AS, 1_024 * _GIB, "v"),
    ("bytes of data", resource.RLIMIT_DATA, 1_024 * _GIB, "d"),
    ("bytes of stack", resource.RLIMIT_STACK, _GIB, "s"),
    ("bytes in a file", resource.RLIMIT_FSIZE, _GIB, "f"),
    ("processes", resource.RLIMIT_NPROC, 1_000, "u"),
    ("open files", resource.RLIMIT_NOFILE, 1_000, "n"),
)


def check_own_limits() -> None:
    """Raise JailError when this process's limits are lower than those that runs may have."""
    for what, kind, least, option in _BOUNDS:
        hard = resource.getrlimit(kind)[1]
        if hard != resource.RLIM_INFINITY and hard < least and not is_held(_MAY_RAISE):
            raise JailError(
                f"this process may have {hard} {what} at most, and so may every run: "
                f"raise its hard limit (ulimit -H{option}) to {least} or more"
            )


def check_descriptors() -> None:
    """Raise JailError when this process has too few file descriptors left for a jail and its runs."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    try:
        used = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - on the way of every jail
    except OSError:  # there is none left to look with
        used = limit
    if limit - used < _SPARE:
        raise JailError(
            f"this process has {used} of {limit} file descriptors open, and a jail needs {_SPARE}: "
            "raise the limit of open files (ulimit -n)"
        )
