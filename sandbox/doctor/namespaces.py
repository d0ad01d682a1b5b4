"""Explain why a jail does not open: repeat nsjail's work in small steps; the first failing step names the remedy.

How it works: unshare(1) of util-linux does it; nothing is left when it ends. It maps no user, for mapping user 0 would
need CAP_SETFCAP, which no jail does.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

_PATIENCE_S = 10.0
_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
_OWN_MOUNTS = ("unshare", "--user", "--mount", "--keep-caps")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Step:
    argv: tuple[str, ...]
    refused: str  # what was not allowed, and the remedy


_STEPS = (
    _Step(
        argv=("unshare", "--user", "true"),
        refused="user namespaces are refused: in a container use --security-opt seccomp=sandbox/seccomp.json",
    ),
    _Step(
        argv=(*_OWN_MOUNTS, "true"),  # it makes all mounts private
        refused="mounts in a user namespace are refused: in a container use --security-opt apparmor=unconfined and "
        "seccomp=sandbox/seccomp.json, on Ubuntu also sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    _Step(
        argv=(*_OWN_MOUNTS, "sh", "-c", "! /sbin/pivot_root . . 2>&1 | grep 'not permitted'"),  # else "invalid"
        refused="pivot_root is refused: in a container use --security-opt seccomp=sandbox/seccomp.json",
    ),
    _Step(
        argv=(*_OWN_MOUNTS, "--pid", "--fork", "--mount-proc", "true"),
        refused="a new /proc is refused, for parts of this one are hidden: "
        "in a container use --security-opt systempaths=unconfined",
    ),
)
_SWITCHES = ("user/max_user_namespaces", "kernel/unprivileged_userns_clone")  # below /proc/sys: 0 forbids


def why_no_jail() -> str | None:
    """Return what this host forbids, and the remedy, without a full stop; None when it allows everything."""
    for step in _STEPS:
        try:
            subprocess.run(step.argv, capture_output=True, env=_ENVIRONMENT, timeout=_PATIENCE_S, check=True)
        except (OSError, subprocess.SubprocessError):
            switches = [name for name in _SWITCHES if Path("/proc/sys", name).exists()]
            off = next((name for name in switches if Path("/proc/sys", name).read_text().strip() == "0"), None)
            why = f"user namespaces are switched off: raise the sysctl {off.replace('/', '.')}" if off else ""
            return why or step.refused
    return None
