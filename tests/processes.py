"""Processes as /proc has them: who is below whom, and what each is."""

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
