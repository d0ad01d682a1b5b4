"""What runs cost the host beyond their time: bytes written to a disk, and kernel memory left behind.

How it works: other processes of the host write and allocate as well. So the disk is one of our own, an ext4 file system
with the usual options on a loop device, whose file lies in memory: all that its counters say is ours. The kernel's
memory is everybody's; it is read until it is back within bounds, since what others hold for a while comes back too.
"""

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SECTOR_BYTES = 512  # whatever the device's own are: Documentation/block/stat.rst
_DISK_BYTES = 2 << 30  # of which only what is written takes memory
_IN_MEMORY = Path("/dev/shm")
_SECTORS_WRITTEN = 6
_NEGATIVE = 4
_PATIENCE_S = 60.0
_BETWEEN_LOOKS_S = 0.5


@dataclass(frozen=True, kw_only=True, slots=True)
class Disk:
    """A file system on a block device of its own."""

    folder: Path
    device: str  # below /sys/block

    def written_bytes(self) -> int:
        """How many bytes the device was given to write since it is there, after all that waits is written."""
        descriptor = os.open(self.folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        subprocess.run(["sync", "--file-system", self.folder], check=True, timeout=_PATIENCE_S)
        return int(Path("/sys/block", self.device, "stat").read_text().split()[_SECTORS_WRITTEN]) * _SECTOR_BYTES


@contextmanager
def own_disk(folder: Path) -> Iterator[Disk]:
    """A new ext4 file system at the empty `folder`."""
    image = _IN_MEMORY / f"tally-disk-{os.getpid()}"
    device = ""
    try:
        with image.open("wb") as file:
            file.truncate(_DISK_BYTES)
        # Nothing is left for a thread of the kernel to initialize while we count.
        _run("mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image))
        device = _run("losetup", "--find", "--show", str(image))
        _run("mount", device, str(folder))
        try:
            folder.chmod(0o755)
            yield Disk(folder=folder, device=Path(device).name)
        finally:
            _run("umount", str(folder))
    finally:
        if device:
            _run("losetup", "--detach", device)
        image.unlink(missing_ok=True)


def _run(*arguments: str) -> str:
    return subprocess.run(
        arguments, check=True, timeout=_PATIENCE_S, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ).stdout.strip()


@dataclass(frozen=True, kw_only=True, slots=True)
class KernelMemory:
    """What the kernel holds for itself, of the whole host."""

    unreclaimable_bytes: int
    reclaimable_bytes: int
    negative_names: int  # names that are not there, which it remembers: of the reclaimable, about 200 bytes each

    @staticmethod
    def now() -> "KernelMemory":
        """As it is now: see proc_meminfo(5) and, for dentry-state, Documentation/admin-guide/sysctl/fs.rst."""
        lines = (line.split() for line in Path("/proc/meminfo").read_text().splitlines())
        kib = {words[0]: int(words[1]) for words in lines}
        return KernelMemory(
            unreclaimable_bytes=kib["SUnreclaim:"] * 1024,
            reclaimable_bytes=kib["SReclaimable:"] * 1024,
            negative_names=int(Path("/proc/sys/fs/dentry-state").read_text().split()[_NEGATIVE]),
        )


def least_growth(before: KernelMemory, measure: Callable[[KernelMemory], int], bound: int) -> int:
    """By how much it has grown since `before`, once that is within the bound, else the least that was seen."""
    deadline = time.monotonic() + _PATIENCE_S
    least = measure(KernelMemory.now()) - measure(before)
    while least > bound and time.monotonic() < deadline:
        time.sleep(_BETWEEN_LOOKS_S)
        least = min(least, measure(KernelMemory.now()) - measure(before))
    return least
