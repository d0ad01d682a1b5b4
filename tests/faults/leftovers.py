"""Check that a run leaves nothing on the host after it has ended, or after its starter was killed."""

import time
from pathlib import Path

from judge.grading.compiling.compile_cache import CACHE
from sandbox.cgroups.cgroup import ControlGroups
from tests.faults.installation.installation import Installation
from tests.processes import name_of

PATIENCE_S = 10


def leftovers(house: Installation) -> list[str]:
    """What of the installation's runs is still there, once nothing is being judged; waits up to PATIENCE_S."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := _look(house)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def _look(house: Installation) -> list[str]:
    groups = ControlGroups(house.work)
    found = [f"control group {name}" for name in groups.names()]
    found += [f"process {pid} ({name_of(pid)}) in a jail" for pid in _jailed(house)]
    found += [f"file {path}" for path in house.work.glob("*") if not _is_kept(path)]
    for slot in house.work.glob("slot-*"):
        found += [f"file {path}" for path in slot.iterdir() if path.name not in {"lock", CACHE}]
    mounts = Path("/proc/self/mountinfo").read_text().splitlines()
    found += [f"mount {line.split()[4]}" for line in mounts if f"{house.work}/" in line]
    return found


def _is_kept(path: Path) -> bool:
    """What a worker keeps for the next submission, and what it has open for as long as it works."""
    return path.name in {CACHE, "parts"} or path.name.startswith("slot-") or path.suffix == ".lock"


def _jailed(house: Installation) -> list[int]:
    """Processes of a jail of this work folder: nsjail by its command line, the others by their control groups."""
    jails = ControlGroups(house.work).names()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "cmdline").read_bytes()
            groups = (entry / "cgroup").read_text()
        except OSError:
            continue
        is_nsjail = b"nsjail" in words and str(house.work).encode() in words
        if is_nsjail or any(f"/{name}" in groups for name in jails):
            found.append(int(entry.name))
    return found
