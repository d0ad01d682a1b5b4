"""The machine that figures were measured on: without it they say nothing."""

import os
import platform
import shutil
import subprocess
from pathlib import Path

from judge.grading.languages import LANGUAGES
from sandbox.cgroups.cgroupfs import find_hierarchies

COMPILERS = tuple(sorted(language.tool.name for language in LANGUAGES.values()))


def find_tool(name: str) -> str | None:
    """The path of a compiler or interpreter as a jail sees it."""
    return shutil.which(name, path="/usr/bin:/usr/local/bin")


def describe() -> dict[str, object]:
    """Cores, processor, kernel, control groups, compilers' versions, and the load at this moment."""
    return {
        "cores": len(os.sched_getaffinity(0)),
        "cpu_model": _cpu_model(),
        "kernel": f"{platform.system()} {platform.release().partition('-')[0]}",  # what follows is a build's own
        "cgroup_version": find_hierarchies().version,
        "compilers": {name: version for name in COMPILERS if (version := _version(name))},
        "load_at_start": round(os.getloadavg()[0], 2),
    }


def in_words(machine: dict[str, object]) -> str:
    """The same in lines for people."""
    compilers = machine["compilers"]
    versions = compilers.values() if isinstance(compilers, dict) else ()
    return "\n".join(
        (
            f"{machine['cores']} cores, {machine['cpu_model']}, {machine['kernel']}, "
            f"cgroup v{machine['cgroup_version']}, load {machine['load_at_start']} at the start",
            *map(str, versions),
        )
    )


def _cpu_model() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        if name.strip() == "model name":
            return value.strip()
    return platform.machine()


def _version(tool: str) -> str:
    path = find_tool(tool)
    if path is None:
        return ""
    asked = subprocess.run([path, "--version"], env={}, capture_output=True, text=True, check=False)
    return asked.stdout.partition("\n")[0].strip()
