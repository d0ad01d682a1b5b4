"""A tmpfs folder for all files that run jails show: every page written there is in memory at once.

A program can find out which pages of a disk's file are in memory, by asking (RWF_NOWAIT, mincore) or by the time that
reading takes, and reading brings pages in. So a run on a hidden input could leave a message for a later run. Files on a
tmpfs have no such pages. Nor does a tmpfs remember names that somebody looked for in vain, as file systems of disks do
(negative dentries). The first reads of a page change its flags, and with them the time of the next read: so each copy
is read here until the flags change no more. Here lie the runtimes (`sandbox.image.image`) and a copy of each program.
Only root can write here.

What a program reads besides is its stdin, from the disk. That is no channel: only runs on the same test case have that
file, and they can read the input itself.

The kernel swaps pages of a tmpfs out where there is swap: the doctor warns of it.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from sandbox.errors import ImageError, WorkdirError
from sandbox.types import Mount
from sandbox.workdir import fresh_folder

RESIDENT = Path("/dev/shm/tally")  # noqa: S108 - checked below to be ours alone
LEAST_BYTES = 256 << 20  # of the whole tmpfs: the runtimes are 60 MiB, a program at most 64
_BLOCK_BYTES = 1 << 18
# Reads of a page after which another one changes nothing: referenced, active, referenced again; where the kernel counts
# generations, five. Source: folio_mark_accessed and lru_gen_inc_refs, mm/swap.c.
_READS = 5
REMEDY = (
    "mount a tmpfs without noexec of 1 GiB on /dev/shm, or on /dev/shm/tally: in a container with "
    "--tmpfs /dev/shm:rw,nosuid,nodev,exec,size=1g,mode=1777"
)


def file_system_kinds(path: Path) -> set[str]:
    """Return the kind of the file system of a file, from /proc/self/mountinfo; none where that has no entry."""
    device = path.stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    mounts = (line.split() for line in Path("/proc/self/mountinfo").read_text().splitlines())
    return {fields[fields.index("-") + 1] for fields in mounts if fields[2] == number}


def resident_root() -> Path:
    """Return the folder for files kept in memory, creating it if missing. Raises ImageError unless it is suitable."""
    try:
        RESIDENT.mkdir(mode=0o711, exist_ok=True)
        status = RESIDENT.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
            who = f"user {os.geteuid()}"
            raise ImageError(f"{RESIDENT} is not a folder of {who} that nobody else can write to: remove it")
        RESIDENT.chmod(0o711)  # whatever our umask is
        room = os.statvfs(RESIDENT)
        if file_system_kinds(RESIDENT) != {"tmpfs"}:
            why = "is not on a tmpfs, so what a jail shows would tell what other runs did with it"
            raise ImageError(f"{RESIDENT} {why}")
        if room.f_flag & os.ST_NOEXEC:
            raise ImageError(f"{RESIDENT} is on a file system that is mounted noexec: no program could be run there")
        size = room.f_blocks * room.f_frsize
        if room.f_blocks and size < LEAST_BYTES:
            least = f"it must have {LEAST_BYTES >> 20} MiB"
            raise ImageError(f"{RESIDENT} is on a tmpfs of {size >> 20} MiB; {least}")
    except OSError as error:
        raise ImageError(f"cannot make {RESIDENT}: {error.strerror}") from error
    return RESIDENT


def resident_folder(prefix: str) -> AbstractContextManager[Path]:
    """Provide a fresh folder in memory that every user can search, removed at the end. Raises SandboxError."""
    return fresh_folder(resident_root(), prefix)


@contextmanager
def resident_copies(mounts: tuple[Mount, ...]) -> Iterator[tuple[Mount, ...]]:
    """Replace each mount that is not live by one of a copy in memory, until the end. Raises SandboxError."""
    if all(mount.is_live for mount in mounts):
        yield mounts
        return
    with resident_folder("shown-") as folder:
        yield tuple(
            mount if mount.is_live else Mount(source=copy_tree(mount.source, folder / str(number)), target=mount.target)
            for number, mount in enumerate(mounts)
        )


def copy_tree(source: Path, copy: Path) -> Path:
    """Copy a folder into memory, with its holes written, to a new or an empty one; return that. Raises WorkdirError."""
    try:
        shutil.copytree(source, copy, symlinks=True, copy_function=copy_whole, dirs_exist_ok=True)
    except (shutil.Error, OSError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise WorkdirError(f"cannot copy {source.name} into memory ({RESIDENT}): {why}") from error
    copy.chmod(0o755)
    return copy


def copy_whole(source: str | Path, target: str | Path) -> None:
    """Copy one file with its mode and times. Holes are written as zeros, so that they too are in memory.

    Afterwards another read leaves no trace at its pages: all their flags that reading sets are set.
    """
    block = memoryview(bytearray(_BLOCK_BYTES))
    with Path(source).open("rb", buffering=0) as original, Path(target).open("x+b") as written:
        while length := original.readinto(block):
            written.write(block[:length])
        for _ in range(_READS):
            written.seek(0)
            while written.readinto(block):
                pass
    shutil.copystat(source, target)
