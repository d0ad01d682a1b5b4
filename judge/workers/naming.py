"""A name for a worker that no other living worker has.

How it works: the name of a worker is its row's, its queue's and the beginning of the names of its processes, so two of
one name would speak for each other. On one work folder a lock (flock) holds a name as long as the worker lives; between
folders and hosts its row does, which says who holds it. Without `--name` a worker takes `tally@HOST`, or the next free
one of `tally-2@HOST`, `tally-3@HOST`; one that is asked for by name and is taken ends the start.
"""

import os
import re
import socket
from itertools import count
from pathlib import Path

from django.conf import settings

from judge.models import WorkerNode
from problems.store.fsync import try_lock

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_FORM = re.compile(r"[A-Za-z0-9@._-]{1,100}")
_held: list[int] = []  # locks of this process, until its end


class NameTaken(Exception):
    """Why a worker cannot have the name that it is to have: a sentence."""


def default_name() -> str:
    """Return the name of a host's first worker."""
    return f"tally@{socket.gethostname()}"


def holder() -> str:
    """Return what tells the workers of this work folder from all others: its kernel's start, and the folder."""
    folder = settings.WORK_DIR.stat()
    return f"{_BOOT_ID.read_text().strip()}:{folder.st_dev}:{folder.st_ino}"


def take_name(chosen: str = "") -> str:
    """Return the name, or without one the first that is free, and hold it until this process ends.

    Raises NameTaken, OSError, django.db.Error.
    """
    if chosen and not _FORM.fullmatch(chosen):
        raise NameTaken(f"{chosen!r} is no name for a worker: use letters, digits, @, dots, hyphens and underscores.")
    settings.WORK_DIR.mkdir(parents=True, exist_ok=True, mode=0o711)
    for number in count(1):
        name = chosen or (default_name() if number == 1 else default_name().replace("@", f"-{number}@", 1))
        lock = os.open(settings.WORK_DIR / f"worker-{name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        living = WorkerNode.objects.heard().filter(name=name).exclude(problem=WorkerNode.TOLD_TO_STOP)
        if try_lock(lock) and not living.exclude(holder__in=["", holder()]).exists():
            _held.append(lock)
            return name
        os.close(lock)
        if chosen:
            raise NameTaken(f"{chosen} is the name of a worker that lives: give this one another --name.")
    raise AssertionError
