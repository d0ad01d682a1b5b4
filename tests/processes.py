"""Processes as /proc has them (proc(5)): who is below whom, what each is, and its memory."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def children(pid: int) -> list[int]:
    """The process's children; none when it is gone."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except OSError:
        return []


def descendants(pid: int) -> Iterator[int]:
    """All processes below it."""
    for child in children(pid):
        yield child
        yield from descendants(child)


def name_of(pid: int) -> str:
    """The name of its program; empty when it is gone."""
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def is_running(pid: int) -> bool:
    """Whether it is there, and not only waited for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def has_open(pid: int, ending: str) -> bool:
    """Whether it has a file open whose path ends so."""
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                if str(descriptor.readlink()).endswith(ending):
                    return True
    return False


def resident_bytes(pid: int) -> int:
    """The memory that the process has now."""
    return _memory(pid, "VmRSS")


def peak_bytes(pid: int | str = "self") -> int:
    """The most memory that the process has had, since it began or since `forget_peak`."""
    return _memory(pid, "VmHWM")


def forget_peak(pid: int | str = "self") -> None:
    """Have the peak begin anew with what is resident now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def _memory(pid: int | str, key: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    number, unit = next(line.split()[1:] for line in lines if line.startswith(f"{key}:"))
    assert unit == "kB"
    return int(number) * 1024
