"""Build and run programs of a package that bring their own `build` or `run` script.

How it works: the program's folder is shown at /program. With a `build`, a compile jail copies it to its scratch folder
and runs that there, in the copy; what lies there afterwards comes out as an archive, which is unpacked on the host.
Then `run` is what is executed. The archive is kept by `judge.grading.compiling.compile_cache` like any program, named
by the folder's content and by what is installed here.

Source: "Other programs" in the ICPC/Kattis problem package format.
"""

import os
import signal
from dataclasses import replace
from pathlib import Path

from judge.grading.checkers.builtfiles import PACK, BadArchiveError, unpack
from judge.grading.compile_problem import CompileProblem, CompileStop
from judge.grading.compiling import compile_cache
from judge.grading.compiling.compilation import (
    Compilation,
    Compiler,
    Executable,
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
