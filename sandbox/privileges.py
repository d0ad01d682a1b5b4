"""The worker's privileges and their reasons. The doctor checks this list, privileges.md shows it.

It was found by taking each away (tests/sandbox/test_privileges.py). CAP_SYS_ADMIN is not on it: a jail is set up in a
user namespace of its own, over which user 0 has all power because it made it. User 0 it must be: on cgroup v1 the
kernel lets nobody else bring a process of another user into a group, whatever its capabilities
(cgroup1_procs_write); and who has CAP_SETUID and CAP_DAC_OVERRIDE is no less than user 0.

Sources: capabilities(7), user_namespaces(7).
"""

from dataclasses import dataclass
from pathlib import Path

from sandbox.users import COUNT, FIRST

_SYS_ADMIN = 21  # also grants what CAP_BPF and CAP_PERFMON do


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
