"""Check what must not grow, and what nobody may reach, during a grading."""

import os
import socket
import stat
import threading
from contextlib import suppress
from pathlib import Path

from judge.grading.compiling.compile_cache import CACHE
from tests.hostile.host.host import host_files
from tests.processes import forget_peak, peak_bytes

_LARGEST_BYTES, _MOST_FILES = 128 << 20, 10_000
_MEMORY_GROWTH_BYTES = 64 << 20
_BETWEEN_LOOKS_S = 0.05
_DECOY_PORTS = (22, 2375, 5432, 6379, 8000)
_WATCHED_PORT = 31337


class Watch:
    """Looks, while a grading goes on, at what may not grow and what nobody may reach; `problems` says what was seen."""

    def __init__(self, work_root: Path, invariants: frozenset[str]) -> None:
        self._work_root = work_root
        self._invariants = invariants
        self._done = threading.Event()
        self.problems: list[str] = []

    def __enter__(self) -> "Watch":
        self._files = host_files() if "host_intact" in self._invariants else {}
        self._decoys = _open_decoys() if "decoys_untouched" in self._invariants else []
        forget_peak()
        self._memory = peak_bytes()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
        if "mem_bounded" in self._invariants and peak_bytes() > self._memory + _MEMORY_GROWTH_BYTES:
            self.problems.append(f"the worker grew from {self._memory} to {peak_bytes()} bytes")
        for decoy in self._decoys:
            if _was_reached(decoy):
                self.problems.append(f"somebody connected to the decoy {decoy.getsockname()!r}")
            decoy.close()
        if self._files and self._files != host_files():
            self.problems.append("files in /etc or /usr/bin have changed")

    def _look(self) -> None:
        while not self._done.wait(_BETWEEN_LOOKS_S):
            if "disk_bounded" in self._invariants:
                self._look_at_disk()
            if "port_31337_closed" in self._invariants and _can_connect(_WATCHED_PORT):
                self.problems.append(f"port {_WATCHED_PORT} was open")

    def _look_at_disk(self) -> None:
        used, files = 0, 0
        for folder, folders, names in os.walk(self._work_root):  # passes over what vanishes meanwhile
            folders[:] = [name for name in folders if name != CACHE]
            for name in names:
                with suppress(FileNotFoundError):
                    used += Path(folder, name).lstat().st_blocks * 512
                    files += 1
        used += _bytes_without_a_name()
        if used > _LARGEST_BYTES or files > _MOST_FILES:
            self.problems.append(f"{used} bytes in {files} files of the work folder")


def _bytes_without_a_name() -> int:
    """Of the files that only this process has open: outputs that nobody keeps have no name."""
    used = 0
    for entry in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            status = entry.stat()
            if stat.S_ISREG(status.st_mode) and status.st_nlink == 0:
                used += status.st_blocks * 512
    return used


def _can_connect(port: int) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", port)) == 0


def _open_decoys() -> list[socket.socket]:
    """Listeners where a program would look for services. A port that is taken has a real service behind it."""
    names: list[tuple[int, tuple[str, int] | str]] = [(socket.AF_UNIX, f"\0oj-decoy-{os.getpid()}")]
    names += [(socket.AF_INET, ("127.0.0.1", port)) for port in _DECOY_PORTS]
    decoys = []
    for family, name in names:
        decoy = socket.socket(family)
        try:
            decoy.bind(name)
            decoy.listen(8)
        except OSError:
            decoy.close()
        else:
            decoy.setblocking(False)
            decoys.append(decoy)
    return decoys


def _was_reached(decoy: socket.socket) -> bool:
    try:
        decoy.accept()[0].close()
    except BlockingIOError:
        return False
    return True
