"""Build and run programs of a package that bring their own `build` or `run` script.

How it works: the program's folder is shown at /program. With a `build`, a compile jail copies it to its scratch folder
and runs that there, in the copy; what lies there afterwards comes out as an archive, which is unpacked on the host.
Then `run` is what is executed. The archive is kept by `judge.grading.compiling.compile_cache` like any program, named
by the folder's content and by what is installed here.

The archive is untrusted, and root reads it here: tar writes the plain format of 1988 (ustar), and nothing else is read:
no extensions, no sparse files, no hard links. Each entry is checked before anything is written: its parent must be a
folder of the archive, its name must be new, and a link must be relative and stay inside. Links are made last, so
nothing here ever follows one.

Source: "Other programs" in the ICPC/Kattis problem package format; "ustar Interchange Format" in POSIX pax(1).
"""

import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.compile_problem import CompileProblem, CompileStop
from judge.grading.compiling import compile_cache
from judge.grading.compiling.compilation import (
    Compilation,
    Compiler,
    Executable,
    make_folder,
    read_message,
    stage_files,
    stop_problem,
)
from judge.grading.compiling.compile_cache import KeptResult
from judge.grading.languages import PROGRAM_FOLDER, host_fingerprint
from judge.grading.languages.cpython import CPYTHON
from judge.grading.languages.runtime import Start
from sandbox.types import MIB, Collect, Command, Ending, Image, JailSpec, Limits, Mount, Outcome

BUILD, RUN = "build", "run"
PACK = "tar --format=ustar --hard-dereference --numeric-owner --owner=0 --group=0"
_MOST_ENTRIES = 4_000
_BLOCK = 512
_FILE_KIND, _FOLDER_KIND, _LINK_KIND = b"0", b"5", b"2"
_MAGIC = slice(257, 262)
Parts = tuple[str, ...]  # of a name below the program's folder; none: that folder itself
_FOLDER, _ARCHIVE = "program", "program.tar"
_ARCHIVE_BYTES = 64 * MIB
_STEPS = f"cp -R {PROGRAM_FOLDER}/. {_FOLDER} && cd {_FOLDER} && ./{BUILD} && exec {PACK} -cf ../{_ARCHIVE} ."

_START = Start(tool="/bin/sh", flags=("-c", 'exec "$0" "$@"'), source=f"{PROGRAM_FOLDER}/{RUN}")
SCRIPT = replace(  # the shell also takes one without a #! line; it may need any tool
    CPYTHON,
    name="script",
    stack_bytes=0,
    frames_bytes=0,
    image=Image.TOOLS,
    buffered_flags=None,
    unbuffered_flags=None,
    line_costs=None,
    line_times=None,
)


def build_script(files: dict[str, bytes], compiler: Compiler, limits: Limits, folder: Path) -> Compilation:
    """Build a program of these files in the empty `folder`. Raises SandboxError."""
    sources = stage_files(files, folder / "source")
    for name, content in files.items():
        if name in (BUILD, RUN) or content.startswith(b"#!"):
            (sources / name).chmod(0o755)  # the package's archive, or the store, may have lost that
    if BUILD not in files:
        return _result(sources, "", None)
    key = compile_cache.key_of_parts(["script", host_fingerprint(), repr(limits), _STEPS, "#! may be run"], files)
    cached = compile_cache.look_up(compiler.cache, key)
    if cached is not None:
        return _unpacked(bytes(cached.program), cached.message, None, folder)
    outcome, problem = _run_build(sources, compiler, limits, folder)
    archive, message = folder / _ARCHIVE, read_message(folder)
    if outcome.exit_code != 0 or not archive.is_file():
        took_us = outcome.usage.wall_time_us
        return Compilation(executable=None, message=message, problem=problem, wall_time_us=took_us)
    content = archive.read_bytes()
    archive.unlink()
    compile_cache.keep(compiler.cache, key, KeptResult(is_ok=True, message=message, program=content), folder)
    return _unpacked(content, message, outcome.usage.wall_time_us, folder)


def _run_build(
    sources: Path, compiler: Compiler, limits: Limits, folder: Path
) -> tuple[Outcome, CompileProblem | None]:
    archive = Collect(name=_ARCHIVE, target=folder / _ARCHIVE, max_bytes=_ARCHIVE_BYTES)
    command = Command(
        argv=("/bin/sh", "-c", _STEPS),
        stdout=folder / "compiler.out",
        stderr=folder / "compiler.err",
        directories=(_FOLDER,),
        collect=(archive,),
    )
    mounts = (Mount(source=sources, target=PROGRAM_FOLDER),)
    spec = JailSpec(mounts=mounts, image=Image.TOOLS, cpu=compiler.cpu)
    with compiler.sandbox.open_jail(spec) as jail:
        outcome = jail.run(command, limits)
    is_built = outcome.ending is Ending.EXITED and outcome.exit_code == 0
    if outcome.signal == signal.SIGXFSZ or (is_built and not outcome.collected):
        return outcome, CompileProblem(code=CompileStop.BUILD_TOO_LARGE, limit=_ARCHIVE_BYTES)
    if outcome.exit_code:
        return outcome, CompileProblem(code=CompileStop.BUILD_FAILED, exit_code=outcome.exit_code)
    return outcome, stop_problem(outcome, limits)


def _unpacked(archive: bytes, message: str, wall_time_us: int | None, folder: Path) -> Compilation:
    program = folder / "program"
    try:
        unpack(archive, program)
    except BadArchiveError as error:
        problem = CompileProblem(code=CompileStop.BUILD_UNUSABLE, reason=str(error))
        return Compilation(executable=None, message="", problem=problem, wall_time_us=None)
    return _result(program, message, wall_time_us)


def _result(program: Path, message: str, wall_time_us: int | None) -> Compilation:
    if not os.path.lexists(program / RUN):  # it may be a link, which only the jail follows
        is_built = os.path.lexists(program / BUILD)
        problem = CompileProblem(code=CompileStop.NOTHING_BUILT if is_built else CompileStop.NOTHING_TO_RUN)
        return Compilation(executable=None, message="", problem=problem, wall_time_us=wall_time_us)
    mount = Mount(source=program, target=PROGRAM_FOLDER)
    executable = Executable(runtime=SCRIPT, start=_START, mount=mount)
    return Compilation(executable=executable, message=message, wall_time_us=wall_time_us)


class BadArchiveError(Exception):
    """Our tar would not make such an archive of a folder: the package's fault."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Entry:
    parts: Parts
    kind: bytes
    mode: int
    target: str  # of a link
    content: memoryview


def unpack(archive: bytes, program: Path) -> None:
    """Create the archive's files, folders and links in the new folder `program`. Raises BadArchiveError, OSError."""
    entries = _checked(archive)
    make_folder(program)
    for entry in entries:
        path = program.joinpath(*entry.parts)
        if entry.kind == _FOLDER_KIND and entry.parts:
            make_folder(path)
        elif entry.kind == _FILE_KIND:
            with path.open("xb") as file:
                file.write(entry.content)
            path.chmod(0o755 if entry.mode & 0o100 else 0o644)
    for entry in entries:
        if entry.kind == _LINK_KIND:
            program.joinpath(*entry.parts).symlink_to(entry.target)


def _checked(archive: bytes) -> list[_Entry]:
    """Return the entries after checking that none leads out of the folder and no parent is a link."""
    kinds: dict[Parts, bytes] = {(): _FOLDER_KIND}
    entries = []
    for entry in _entries(archive):
        if entry.parts in kinds and entry.parts:
            raise BadArchiveError(f"{_shown(entry)} is there twice")
        if kinds.get(entry.parts[:-1]) != _FOLDER_KIND:
            raise BadArchiveError(f"{_shown(entry)} does not lie in a folder of the archive")
        if entry.parts == () and entry.kind != _FOLDER_KIND:
            raise BadArchiveError("the program's folder is no folder")
        if entry.kind == _LINK_KIND and not _stays_inside(entry):
            raise BadArchiveError(f"the link {_shown(entry)} leads out of the program's folder")
        kinds[entry.parts] = entry.kind
        entries.append(entry)
        if len(entries) > _MOST_ENTRIES:
            raise BadArchiveError(f"it has more than {_MOST_ENTRIES:,} files")
    return entries


def _entries(archive: bytes) -> Iterator[_Entry]:
    rest = memoryview(archive)
    while len(rest) >= _BLOCK and any(rest[:_BLOCK]):
        header = bytes(rest[:_BLOCK])
        kind = header[156:157].replace(b"\0", _FILE_KIND)
        if header[_MAGIC] != b"ustar" or kind not in (_FILE_KIND, _FOLDER_KIND, _LINK_KIND):
            raise BadArchiveError("it holds something besides files, folders and links")
        size = _number(header[124:136]) if kind == _FILE_KIND else 0
        end = _BLOCK + size
        if end > len(rest):
            raise BadArchiveError("it is cut short")
        name = "/".join(text for text in (_text(header[345:500]), _text(header[:100])) if text)
        parts = tuple(part for part in name.split("/") if part not in ("", "."))
        if name.startswith("/") or ".." in parts:
            raise BadArchiveError(f"{name[:80]!r} leads out of the program's folder")
        mode, target = _number(header[100:108]), _text(header[157:257])
        yield _Entry(parts=parts, kind=kind, mode=mode, target=target, content=rest[_BLOCK:end])
        rest = rest[-(-end // _BLOCK) * _BLOCK :]


def _number(field: bytes) -> int:
    digits = field.rstrip(b" \0")
    if not digits.isdigit() or set(digits) & set(b"89"):
        raise BadArchiveError("it has a size or mode that is no octal number")
    return int(digits, 8)


def _text(field: bytes) -> str:
    return os.fsdecode(field.partition(b"\0")[0])


def _stays_inside(link: _Entry) -> bool:
    """Return whether the link's target lies in the program's folder, whatever other links it passes."""
    ups = [part == ".." for part in link.target.split("/") if part not in ("", ".")]
    climbs = sum(ups) if ups == sorted(ups, reverse=True) else len(link.parts)  # after a name it may leave another link
    return link.target != "" and not link.target.startswith("/") and climbs < len(link.parts)


def _shown(entry: _Entry) -> str:
    return repr("/".join(entry.parts)[:80])
