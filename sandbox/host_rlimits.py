"""Check the limits of this process: too low ones would restrict runs, or leave a jail half made.

A jail raises what was set softly (native/init/init.c), and with CAP_SYS_RESOURCE also what is hard. The rest is said
here, before there is a jail at all.

Source: getrlimit(2).
"""

import os
import resource
from dataclasses import dataclass

from sandbox.errors import JailError
from sandbox.privileges import Capability, is_held

_MAY_RAISE = Capability(name="CAP_SYS_RESOURCE", number=24, reason="raises hard limits")
_SPARE = 72  # two jails that talk take 42, what a run collects 16, the meter 4
_GIB = 1 << 30


@dataclass(frozen=True, kw_only=True, slots=True)
class _Bound:
    what: str
    resource: int
    least: int  # of the hard limit
    option: str  # of ulimit


_BOUNDS = (
    _Bound(what="seconds of CPU time", resource=resource.RLIMIT_CPU, least=86_400, option="t"),
    _Bound(what="bytes of address space", resource=resource.RLIMIT_AS, least=1_024 * _GIB, option="v"),
    _Bound(what="bytes of data", resource=resource.RLIMIT_DATA, least=1_024 * _GIB, option="d"),
    _Bound(what="bytes of stack", resource=resource.RLIMIT_STACK, least=_GIB, option="s"),
    _Bound(what="bytes in a file", resource=resource.RLIMIT_FSIZE, least=_GIB, option="f"),
    _Bound(what="processes", resource=resource.RLIMIT_NPROC, least=1_000, option="u"),
    _Bound(what="open files", resource=resource.RLIMIT_NOFILE, least=1_000, option="n"),
)


def check_own_limits() -> None:
    """Raise JailError when this process's limits are lower than those that runs may have."""
    for bound in _BOUNDS:
        hard = resource.getrlimit(bound.resource)[1]
        if hard != resource.RLIM_INFINITY and hard < bound.least and not is_held(_MAY_RAISE):
            raise JailError(
                f"this process may have {hard} {bound.what} at most, and so may every run: "
                f"raise its hard limit (ulimit -H{bound.option}) to {bound.least} or more"
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
