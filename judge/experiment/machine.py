"""Describe the machine of an experiment, without which its figures mean nothing."""

import os
import platform
from pathlib import Path
from typing import Any

_CPUINFO = Path("/proc/cpuinfo")


def describe(cores: tuple[int, ...]) -> dict[str, Any]:
    """Return cores, processor and kernel, and the number of cores that runs were pinned to."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "pinned_to": len(cores),
        "cpu_model": _cpu_model(),
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",  # what follows is a build's own
    }


def _cpu_model() -> str:
    """Return the processor's name on x86; elsewhere the architecture."""
    for line in _CPUINFO.read_text("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
