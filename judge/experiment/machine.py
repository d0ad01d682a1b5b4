"""The machine that an experiment ran on: without it the figures say nothing."""

import os
import platform
from pathlib import Path
from typing import Any

_CPUINFO = Path("/proc/cpuinfo")


def describe(cores: tuple[int, ...]) -> dict[str, Any]:
    """Its cores, processor and kernel, and to how many of its cores the runs were pinned."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "pinned_to": len(cores),
        "cpu_model": _cpu_model(),
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",  # what follows is a build's own
    }


def _cpu_model() -> str:
    """As the kernel names it on x86; elsewhere the architecture."""
    for line in _CPUINFO.read_text("utf-8", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()
