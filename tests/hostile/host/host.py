"""Check that a grading leaves nothing on the host: the invariants of every case, and those that some cases name.

Other jails may be at work on this machine, under the same user numbers. So only what is ours is looked at: our own
work root and control groups, the processes of our own jails' PID namespaces, and files that only a jail can have made.
"""

import hashlib
import os
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from judge.grading.compiling.compile_cache import CACHE
from sandbox.cgroups.cgroup import ControlGroups
from sandbox.privileges import COUNT, FIRST
from tests.hostile.host.witness import Witness, all_processes, pid_namespace, processes_in, user_of

_JAIL_UIDS = range(FIRST, FIRST + COUNT)  # root and the program in a jail
_SHARED_FOLDERS = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run", "/var/crash", "/var/lib/systemd/coredump")
_JAIL_MOUNTS = ("/scratch", "/program", "/stage", "/tally")
_NSJAIL_FOLDER = re.compile(r"nsjail\.\d+\.(root|tmp)")
_DEPTH = 3  # of folders that are looked into
_PATIENCE_S = 5.0
_BETWEEN_LOOKS_S = 0.05


@dataclass(frozen=True, kw_only=True, slots=True)
class Baseline:
    """What there was before."""

    things: frozenset[str]  # each as a phrase: what must not be there later unless it was there before
    kept: dict[str, tuple[int, ...]]  # what the grader keeps for later submissions: what changes with a file
    packages: str
    descriptors: Counter[str]  # how many lead to each file

    @staticmethod
    def take(work_root: Path, packages: Path) -> "Baseline":
        """As it is now; `packages` holds the problems' files."""
        things = [f"file {name}" for name in _names_below(work_root)]
        things += [f"mount {line}" for line in _mounts(work_root)]
        things += [f"child process {pid} of the worker" for pid in _own_children()]
        things += [f"file {path} of a jail's user" for path in _files_of_jail_users()]
        things += [f"core file {path}" for path in Path.cwd().glob("core*") if path.is_file()]
        things += [f"network namespace {path}" for path in Path("/run/netns").glob("*")]
        things += [*_messages_and_keys(), *_nsjails_groups()]
        return Baseline(
            things=frozenset(things),
            kept=_stamps_below(work_root / CACHE / "headers"),
            packages=content_digest(packages),
            descriptors=Counter(_own_descriptors()),
        )


def leftovers(
    before: Baseline,
    work_root: Path,
    packages: Path,
    groups: ControlGroups,
    witness: Witness,
    patience_s: float = _PATIENCE_S,
) -> list[str]:
    """What is on the host now and was not before, one sentence each; processes may take `patience_s` to end."""
    found = [f"process {pid} of a jail is left" for pid in _wait_for_processes(witness, patience_s)]
    found += [f"control group {name} is left" for name in groups.names()]
    now = Baseline.take(work_root, packages)
    found += [f"{thing} is left" for thing in sorted(now.things - before.things)]
    found += [f"{name}, kept for others, was changed" for name, was in before.kept.items() if now.kept.get(name) != was]
    if now.packages != before.packages:
        found.append("the problems' files have changed")
    if now.descriptors.total() > before.descriptors.total():
        found.append(f"the worker has more descriptors: {sorted((now.descriptors - before.descriptors).elements())}")
    return found


def _own_descriptors() -> Iterator[str]:
    """Where each descriptor of this process leads."""
    for name in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that reads the folder, or another thread's
            yield str(name.readlink())


def _own_children() -> list[str]:
    found: list[str] = []
    for task in Path("/proc/self/task").iterdir():
        with suppress(FileNotFoundError):  # a thread that ended just now
            found += (task / "children").read_text().split()
    return found


def _messages_and_keys() -> Iterator[str]:
    """System V objects and keys of a jail's users, as the host sees them."""
    for kind in ("shm", "msg", "sem"):
        for line in Path(f"/proc/sysvipc/{kind}").read_text().splitlines()[1:]:
            if any(word.isdigit() and int(word) in _JAIL_UIDS for word in line.split()[2:]):
                yield f"System V {kind} {line}"
    for line in Path("/proc/key-users").read_text().splitlines():
        if int(line.split(":")[0]) in _JAIL_UIDS:
            yield f"keys of a jail's user ({line.strip()})"


def _nsjails_groups() -> Iterator[str]:
    """Groups that nsjail makes by itself when it is allowed to; ours go by `ControlGroups.names`."""
    for parent, folders, _ in os.walk("/sys/fs/cgroup"):
        yield from (f"control group {parent}/{name}" for name in folders if name.startswith("NSJAIL"))


def _stamps_below(folder: Path) -> dict[str, tuple[int, ...]]:
    """Owner, mode, size and change time, which nobody can set, of all below the folder."""
    found: dict[str, tuple[int, ...]] = {}
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):
            status = path.lstat()
            found[str(path)] = (status.st_mode, status.st_uid, status.st_gid, status.st_size, status.st_ctime_ns)
    return found


def host_files() -> dict[str, tuple[int, ...]]:
    """What changes with a file, of all in /etc and /usr/bin."""
    return _stamps_below(Path("/etc")) | _stamps_below(Path("/usr/bin"))


def _names_below(folder: Path) -> Iterator[str]:
    """All but what the compiler keeps on purpose, within bounds of its own."""
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if Path(parent, name) != folder / CACHE]
        yield from (f"{parent}/{name}" for name in (*folders, *files))


def _wait_for_processes(witness: Witness, patience_s: float) -> list[int]:
    """Those that are still there after a moment: the kernel takes one to end a killed namespace."""
    deadline = time.monotonic() + patience_s
    while True:
        left = [pid for pid in all_processes() if pid_namespace(pid) in witness.pid_namespaces]
        left = [pid for pid in left if user_of(pid) in witness.users]
        left += processes_in(witness.jails)
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(_BETWEEN_LOOKS_S)


def _mounts(work_root: Path) -> set[str]:
    """The mounts that are ours: of or on our folders, or where jails have theirs."""
    marks = (str(work_root), "nsjail", *(f" {place} " for place in _JAIL_MOUNTS))
    lines = Path("/proc/self/mountinfo").read_text().splitlines()
    return {line for line in lines if any(mark in line for mark in marks)}


def _is_nsjails_own(path: Path) -> bool:
    """Its empty mount points, made at a machine's first jail: in /tmp, or in /run/user where all may write to /run."""
    if path == Path("/run/user"):
        return all(_is_nsjails_own(inside) for inside in path.iterdir())
    return bool(_NSJAIL_FOLDER.fullmatch(path.name)) and path.is_dir() and not any(path.iterdir())


def _files_of_jail_users() -> Iterator[Path]:
    """In the folders that everybody may write to, and in the worker's home; near their top, like the snapshot's."""
    for top in (*map(Path, _SHARED_FOLDERS), Path.home()):
        for parent, folders, files in os.walk(top):  # passes over what vanishes meanwhile
            for path in (Path(parent, name) for name in (*folders, *files)):
                with suppress(OSError):
                    mine = path.lstat().st_uid in _JAIL_UIDS or path.name.startswith("oj-left")
                    if mine and not _is_nsjails_own(path):
                        yield path
            if len(Path(parent).relative_to(top).parts) >= _DEPTH - 1:
                folders.clear()


def content_digest(folder: Path) -> str:
    """SHA-256 over the names, modes and contents below a folder."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        digest.update(f"{path} {status.st_mode} {status.st_uid}\n".encode())
        if path.is_file():
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()


@contextmanager
def planted(path: Path, content: str) -> Iterator[None]:
    """A file of ours for the time being; one that is there already stays."""
    is_ours = not path.exists()
    if is_ours:
        path.write_text(content)
        path.chmod(0o644)
    try:
        yield
    finally:
        if is_ours:
            path.unlink()
