"""Programs of a package that bring their own `build` or `run` script.

How it works: the program's folder is shown at /program. With a `build`, a compile jail copies it to its scratch folder
and runs that there, in the copy; what lies there afterwards comes out as an archive, which is unpacked on the host.
Then `run` is what is executed. The archive is kept by `judge.compile_cache` like any program, named by the folder's
content and by what is installed here.

Source: "Other programs" in the ICPC/Kattis problem package format.
"""

import io
import shutil
import signal
import tarfile
from pathlib import Path, PurePosixPath

from judge import compile_cache
from judge.compilation import (
    Compilation,
    Compiler,
    Executable,
    make_folder,
    read_message,
    stage_files,
    stop_problem,
)
from judge.compile_cache import KeptResult
from judge.languages import PROGRAM_FOLDER, host_fingerprint
from sandbox.types import MIB, Collect, Command, Ending, JailSpec, Limits, Mount, Outcome

BUILD, RUN = "build", "run"
_FOLDER, _ARCHIVE = "program", "program.tar"
_ARCHIVE_BYTES = 64 * MIB
_MOST_ENTRIES = 4_000
_STEPS = f"cp -R {PROGRAM_FOLDER}/. {_FOLDER} && cd {_FOLDER} && ./{BUILD} && exec tar -cf ../{_ARCHIVE} ."

_START = ("/bin/sh", "-c", 'exec "$0" "$@"', f"{PROGRAM_FOLDER}/{RUN}")  # the shell also takes one without a #! line


def build_script(files: dict[str, bytes], compiler: Compiler, limits: Limits, folder: Path) -> Compilation:
    """Build a program of these files in the empty `folder`. Raises SandboxError."""
    sources = stage_files(files, folder / "source")
    for script in (BUILD, RUN):
        if script in files:
            (sources / script).chmod(0o755)  # an archive may have lost that
    if BUILD not in files:
        return _result(sources, "", None)
    key = compile_cache.key_of_parts(["script", host_fingerprint(), repr(limits), _STEPS], files)
    kept = compile_cache.look_up(compiler.cache, key)
    if kept is not None:
        return _unpacked(bytes(kept.program), kept.message, None, folder)
    outcome, message = _run_build(sources, compiler, limits, folder)
    archive = folder / _ARCHIVE
    if outcome.exit_code != 0 or not archive.is_file():
        return Compilation(executable=None, message=message, wall_time_us=outcome.usage.wall_time_us)
    content = archive.read_bytes()
    archive.unlink()
    compile_cache.keep(compiler.cache, key, KeptResult(is_ok=True, message=message, program=content), folder)
    return _unpacked(content, message, outcome.usage.wall_time_us, folder)


def _run_build(sources: Path, compiler: Compiler, limits: Limits, folder: Path) -> tuple[Outcome, str]:
    archive = Collect(name=_ARCHIVE, target=folder / _ARCHIVE, max_bytes=_ARCHIVE_BYTES)
    command = Command(
        argv=("/bin/sh", "-c", _STEPS),
        stdout=folder / "compiler.out",
        stderr=folder / "compiler.err",
        directories=(_FOLDER,),
        collect=(archive,),
    )
    spec = JailSpec(mounts=(Mount(source=sources, target=PROGRAM_FOLDER),), cpu=compiler.cpu)
    with compiler.sandbox.open_jail(spec) as jail:
        outcome = jail.run(command, limits)
    problem = stop_problem(outcome, limits)
    is_built = outcome.ending is Ending.EXITED and outcome.exit_code == 0
    if outcome.signal == signal.SIGXFSZ or (is_built and not outcome.collected):
        problem = f"{BUILD} left more than {_ARCHIVE_BYTES // MIB} MiB."
    elif outcome.ending is Ending.EXITED and outcome.exit_code != 0:
        problem = f"{BUILD} failed with exit code {outcome.exit_code}."
    return outcome, "\n".join(part for part in (problem, read_message(folder)) if part)


def _unpacked(archive: bytes, message: str, wall_time_us: int | None, folder: Path) -> Compilation:
    program = make_folder(folder / "program")
    try:
        _unpack(archive, program)
    except (tarfile.TarError, OSError, ValueError) as error:
        return Compilation(executable=None, message=f"what {BUILD} left cannot be used: {error}", wall_time_us=None)
    return _result(program, message, wall_time_us)


def _unpack(archive: bytes, program: Path) -> None:
    """Unpack what a jail made: bounded, nothing outside, no devices. Raises TarError, OSError, ValueError."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as packed:
        entries = packed.getmembers()
        if len(entries) > _MOST_ENTRIES or sum(entry.size for entry in entries) > _ARCHIVE_BYTES:
            raise ValueError(f"it has more than {_MOST_ENTRIES:,} files or {_ARCHIVE_BYTES // MIB} MiB")
        for entry in entries:
            if entry.isdir():
                _inside(program, entry.name).mkdir(parents=True, exist_ok=True)
        for entry in entries:
            content = packed.extractfile(entry) if entry.isreg() or entry.islnk() else None
            if content is not None:
                path = _inside(program, entry.name)
                with path.open("xb") as file:
                    shutil.copyfileobj(content, file)
                path.chmod(0o755 if entry.mode & 0o100 else 0o644)
        for entry in entries:
            if entry.issym():  # last, so that nothing was written through one; only the jail ever follows it
                _inside(program, entry.name).symlink_to(entry.linkname)
    for folder in (path for path in program.rglob("*") if path.is_dir() and not path.is_symlink()):
        folder.chmod(0o755)


def _inside(program: Path, name: str) -> Path:
    if name.startswith("/") or ".." in PurePosixPath(name).parts:
        raise ValueError(f"{name[:80]!r} leads out of the folder")
    return program / name


def _result(program: Path, message: str, wall_time_us: int | None) -> Compilation:
    executable = None
    if not (program / RUN).exists():
        message = f"there is no file {RUN} after {BUILD}" if (program / BUILD).exists() else f"there is no file {RUN}"
    else:
        mount = Mount(source=program, target=PROGRAM_FOLDER)
        executable = Executable(argv=_START, mount=mount, is_compiled=False)
    return Compilation(executable=executable, message=message, wall_time_us=wall_time_us)
