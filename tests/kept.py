"""What a test run keeps for the next one, below var/test-cache: compile results and precompiled headers.

How it works: each run has work folders of its own. `lent` puts hard links to what is kept into a work folder's cache,
and keeps afterwards what was added there. What is kept has a digest of all that it depends on as its name
(`judge.grading.compiling.compile_cache`, `judge.grading.compiling.precompiled_header`), so nothing of it grows stale. A
file that lies on another disk is copied. Each is made under another name first, so several runs at once do no harm.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from django.conf import settings

from judge.grading.compiling import precompiled_header
from judge.grading.compiling.compile_cache import CACHE, make_room
from sandbox.jail.nsjail import NsjailSandbox

KEPT: Path = settings.BASE_DIR / "var" / "test-cache"
Take = Callable[[str | Path, str | Path], object]
RESULTS, HEADERS = "compiled", "headers"  # below a work folder's cache, and below KEPT


def _link(source: str | Path, target: str | Path) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


@contextmanager
def lent(work_root: Path, *what: str, take: Take = _link) -> Iterator[None]:
    """Within it the work folder has what earlier runs kept, of RESULTS and HEADERS; what it adds is kept at the end.

    With `take=shutil.copy2` it shares no file with other runs, whose links change the times of a shared one.
    """
    for name in what:
        _take_all(KEPT / name, work_root / CACHE / name, take)
    if HEADERS in what:
        _build_headers(work_root, take)
    try:
        yield
    finally:
        for name in what:
            _take_all(work_root / CACHE / name, KEPT / name, take)
        if (KEPT / RESULTS).exists():
            make_room(KEPT / RESULTS)


def _build_headers(work_root: Path, take: Take) -> None:
    """Precompile what is missing, in one process at a time: the others take what it made."""
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / "lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _take_all(KEPT / HEADERS, work_root / CACHE / HEADERS, take)
        precompiled_header.build_missing(NsjailSandbox(work_root), work_root)
        _take_all(work_root / CACHE / HEADERS, KEPT / HEADERS, take)


def _take_all(source: Path, target: Path, take: Take) -> None:
    """Every file and folder of `source` that `target` lacks. One that vanishes meanwhile is passed over."""
    if not source.is_dir():
        return
    target.mkdir(parents=True, exist_ok=True)
    target.parent.chmod(0o711)
    shutil.copystat(source, target)
    for entry in source.iterdir():
        if entry.name.startswith(".") or (target / entry.name).exists():
            continue
        with suppress(FileNotFoundError), tempfile.TemporaryDirectory(dir=target, prefix=".") as draft:
            copy = Path(draft) / entry.name
            if entry.is_dir():
                shutil.copytree(entry, copy, copy_function=take)
            else:
                take(entry, copy)
            with suppress(OSError):  # somebody else was quicker
                copy.rename(target / entry.name)
