"""Precompile the standard C++ header: reading <bits/stdc++.h> takes most of a small program's compilation.

How it works: `python -m judge.grading.compiling.precompiled_header WORK_ROOT` builds what is missing, for each language
that names a header. The maintenance of a worker starts it; of several at once one builds and the others go. The
compiler reads the system's header in a compile jail with the flags of a submission, a program is tried with the result,
and only then it gets its name: `cache/headers/<key>/include/bits/stdc++.h.gch`. The key holds toolchain and flags, so
another compiler finds nothing and works without, until a worker starts again. A compile jail shows `include` at
/headers; only the precompiled file lies in it, so that the compiler goes on to the ordinary header when it cannot use
this one: after another include, behind a macro or a pragma that changes the header, and so on.
`judge.grading.compiling.compilation` sees to it that this file never makes a compile error.
"""

import ctypes
import hashlib
import logging
import os
import shutil
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from judge.grading.compiling.compile_cache import CACHE
from judge.grading.languages import BOX, LANGUAGES, PROGRAM_FOLDER, Language
from judge.grading.languages.language import Header
from problems.format.files import content_digest
from problems.store.fsync import try_lock
from sandbox.errors import JailError, SandboxError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Collect, Command, Ending, Image, Jail, JailSpec, Limits, Mount, Sandbox
from sandbox.workdir import fresh_folder

HEADERS = "/headers"
FLAGS = (f"-I{HEADERS}",)
_DIGEST = "sha256"
_MOST_KEPT = 3  # of about 120 MiB each: the one in use, and those that another version of Tally may use
_PR_SET_PDEATHSIG = 1  # prctl(2)
_LIMITS = Limits(
    cpu_time_ms=60_000,
    wall_time_ms=60_000,  # a profile pass that waits for it holds off all graded runs
    memory_bytes=1_024 * MIB,
    output_bytes=1 * MIB,
    open_files=1_024,
    scratch_bytes=512 * MIB,
    file_bytes=512 * MIB,
)
_logger = logging.getLogger(__name__)


def find(language: Language, files: Mapping[str, bytes], cache: Path) -> Mount | None:
    """Return the mount for these sources' compile jail; None if they do not name the header, or it is not built."""
    header = language.header
    if header is None or not any(header.name.encode() in content for content in files.values()):
        return None
    folder = _place(language, cache)
    return Mount(source=folder / "include", target=HEADERS) if _is_whole(folder, header) else None


def build_missing(sandbox: Sandbox, work_root: Path, cpu: int | None = None) -> list[str]:
    """Build missing headers and return them; nothing when another process builds. Raises SandboxError."""
    cache = work_root / CACHE
    named = [(language, language.header) for language in LANGUAGES.values() if language.header is not None]
    usable = [(language, header) for language, header in named if not language.detect().problem]
    missing = [(language, header) for language, header in usable if not _is_whole(_place(language, cache), header)]
    if not missing:
        return []
    headers = cache / "headers"
    headers.mkdir(parents=True, exist_ok=True, mode=0o755)
    with (headers / ".lock").open("wb") as lock:
        if not try_lock(lock.fileno()):  # somebody else on this host builds
            return []
        for language, header in missing:
            with fresh_folder(work_root, "header-") as folder:
                _install(_build(language, header, sandbox, folder, cpu), _place(language, cache))
        _remove_old(headers)
    return [header.name for _, header in missing]


def _place(language: Language, cache: Path) -> Path:
    name = language.header.name if language.header else ""
    parts = [language.fingerprint(), *language.compile_flags, name]
    return cache / "headers" / hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _is_whole(folder: Path, header: Header) -> bool:
    """Return whether the header is as it was built. Each process reads it once and later only compares its stamp."""
    path = _built_file(folder, header)
    try:
        status, noted = path.stat(), (folder / _DIGEST).read_text("ascii")
    except FileNotFoundError:
        return False
    return _digest(path, status.st_ino, status.st_size, status.st_mtime_ns) == noted


def _built_file(folder: Path, header: Header) -> Path:
    return folder / "include" / f"{header.name}.gch"


@lru_cache(maxsize=8)
def _digest(path: Path, *_of_this_file: int) -> str:
    return content_digest(path).hex()


def _build(language: Language, header: Header, sandbox: Sandbox, folder: Path, cpu: int | None) -> Path:
    """Return a new folder with the precompiled header and its digest, tried out. Raises SandboxError."""
    built = folder / "built"
    target = _built_file(built, header)
    target.parent.mkdir(parents=True)
    probe = folder / "probe"
    probe.mkdir()
    (probe / language.source_name).write_text(header.probe)
    for place in (built, built / "include", target.parent, probe):
        place.chmod(0o755)
    mounts = (Mount(source=probe, target=PROGRAM_FOLDER), Mount(source=built / "include", target=HEADERS))
    with sandbox.open_jail(JailSpec(mounts=mounts[:1], image=Image.TOOLS, cpu=cpu)) as jail:
        argv = (*language.compile_argv((language.source_name,)), "-M", "-MF", "/dev/stdout")
        _run(jail, Command(argv=argv, stdout=folder / "needs"), folder)
        needs = (folder / "needs").read_text("utf-8", "surrogateescape").split()
        # the toolchain's own path: messages name it, so it must be the source of the precompiled header
        original = next((name for name in needs if name.endswith(f"/{header.name}")), None)
        if original is None:
            raise JailError(f"{language.name} does not say where <{header.name}> lies")
        flags = (*language.compile_flags, "-c", "-x", header.kind, original, "-o", f"{BOX}/header")
        argv = (language.toolchain().path, *flags)
        collect = Collect(name="header", target=target, max_bytes=_LIMITS.file_bytes)
        _run(jail, Command(argv=argv, collect=(collect,)), folder)
    target.chmod(0o644)
    with sandbox.open_jail(JailSpec(mounts=mounts, image=Image.TOOLS, cpu=cpu)) as jail:
        argv = language.compile_argv((language.source_name,), (*FLAGS, "-Werror=invalid-pch"))
        _run(jail, Command(argv=argv), folder)
    (built / _DIGEST).write_text(_digest(target, 0), "ascii")
    return built


def _run(jail: Jail, command: Command, folder: Path) -> None:
    """Run the compiler, which must succeed silently."""
    said_in = folder / "said"
    outcome = jail.run(replace(command, stderr=said_in), _LIMITS)
    output = said_in.read_text("utf-8", "replace")[:2_000]
    said_in.unlink()
    if outcome.ending is not Ending.EXITED or outcome.exit_code != 0 or output:
        raise JailError(f"the standard header cannot be precompiled: {outcome.detail} {output}")


def _install(built: Path, place: Path) -> None:
    """Move the folder to its final name, replacing a damaged one."""
    damaged = built.with_name("damaged")
    if place.exists():
        place.rename(damaged)
    built.rename(place)
    shutil.rmtree(damaged, ignore_errors=True)


def _remove_old(headers: Path) -> None:
    folders = [path for path in headers.iterdir() if path.is_dir()]
    for old in sorted(folders, key=lambda path: path.stat().st_mtime, reverse=True)[_MOST_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def main() -> None:
    """Build below the given work root, on the first core; ends with the process that started it."""
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    work_root = Path(sys.argv[1])
    try:
        built = build_missing(NsjailSandbox(work_root), work_root, min(os.sched_getaffinity(0)))
    except (SandboxError, OSError) as error:
        sys.exit(str(error))
    if built:
        _logger.info("precompiled %s", ", ".join(built))


if __name__ == "__main__":
    main()
