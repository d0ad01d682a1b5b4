"""The compile step: sources in, a folder with something to run out. It runs in a jail of its own.

How it works: the sources lie in `folder/source`, mounted read-only at /program. The compiler writes to /box, a fresh
tmpfs; the one file it is to make is carried out to `folder/program`, which the run's jail then shows at /program.
A language without a compile step gets its syntax checked there, and `folder/source` is what is run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from judge.languages import PROGRAM_FOLDER, Language
from problems.package import ProblemLimits
from sandbox.types import MIB, Collect, Command, Ending, JailSpec, Limits, Mount, Outcome, Sandbox

MESSAGE_BYTES = 64 * 1024
PROGRAM_BYTES = 64 * MIB
_ELF = b"\x7fELF"


@dataclass(frozen=True, kw_only=True, slots=True)
class Executable:
    """Something to run: `argv` inside a jail that shows `mount`."""

    argv: tuple[str, ...]
    mount: Mount
    is_compiled: bool  # argv[0] is a file that the compiler made, not an interpreter of ours


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """What to compile: files by name relative to the program's folder, and which of them are given to the compiler."""

    language: Language
    files: Mapping[str, bytes]
    units: tuple[str, ...]  # the first one is the entry


@dataclass(frozen=True, kw_only=True, slots=True)
class Compilation:
    """How the compile step ended. `executable` is None when there is nothing to run; `message` then says why."""

    executable: Executable | None
    message: str
    wall_time_us: int


def single_file(language: Language, source: bytes) -> Sources:
    """A submission: one file, under the language's name for it."""
    return Sources(language=language, files={language.source_name: source}, units=(language.source_name,))


def compile_limits(limits: ProblemLimits) -> Limits:
    """The limits of a compile step. Much more wall than CPU time: a busy machine must not make a compile error."""
    return Limits(
        cpu_time_ms=limits.compile_time_ms,
        wall_time_ms=3 * limits.compile_time_ms,
        memory_bytes=limits.compile_memory_bytes,
        output_bytes=8 * MIB,
        stderr_bytes=8 * MIB,
        open_files=1_024,
        scratch_bytes=256 * MIB,
    )


def compile_program(
    sources: Sources, limits: Limits, sandbox: Sandbox, folder: Path, cpu: int | None = None
) -> Compilation:
    """Compile in a jail, with an empty `folder` that everybody can search. Raises SandboxError."""
    source_mount = Mount(source=_stage(sources.files, folder / "source"), target=PROGRAM_FOLDER)
    language = sources.language
    program = _make_folder(folder / "program")
    command = Command(
        argv=language.compile_argv(sources.units),
        stdout=folder / "compiler.out",
        stderr=folder / "compiler.err",
        collect=_wanted(language, program),
    )
    with sandbox.open_jail(JailSpec(mounts=(source_mount,), cpu=cpu)) as jail:
        outcome = jail.run(command, limits)
    problem = _problem(outcome, limits, program, language)
    message = "\n".join(part for part in (problem, _read_message(folder)) if part)
    if problem or outcome.exit_code != 0:
        return _finished(outcome, None, message or "The compiler refused the program without a word.")
    is_compiled = language.program_name is not None
    mount = Mount(source=program, target=PROGRAM_FOLDER) if is_compiled else source_mount
    argv = language.run_argv(sources.units[0])
    return _finished(outcome, Executable(argv=argv, mount=mount, is_compiled=is_compiled), message)


def _finished(outcome: Outcome, executable: Executable | None, message: str) -> Compilation:
    return Compilation(executable=executable, message=message, wall_time_us=outcome.usage.wall_time_us)


def _make_folder(folder: Path) -> Path:
    """A new folder that the jail's user can search and list, whatever our umask is."""
    folder.mkdir()
    folder.chmod(0o755)
    return folder


def _stage(files: Mapping[str, bytes], folder: Path) -> Path:
    _make_folder(folder)
    for name, content in files.items():
        path = folder / name
        for parent in reversed(path.relative_to(folder).parents[:-1]):
            if not (folder / parent).exists():
                _make_folder(folder / parent)
        path.write_bytes(content)
        path.chmod(0o644)
    return folder


def _wanted(language: Language, program: Path) -> tuple[Collect, ...]:
    if language.program_name is None:
        return ()
    name = language.program_name
    return (Collect(name=name, target=program / name, max_bytes=PROGRAM_BYTES),)


_STOPPED = {
    Ending.CPU_LIMIT: "The compiler was stopped: it used more than {cpu:g} s of CPU time.",
    Ending.WALL_LIMIT: "The compiler was stopped: it took more than {wall:g} s.",
    Ending.MEMORY_LIMIT: "The compiler was stopped: it needed more than {memory:g} MiB of memory.",
    Ending.OUTPUT_LIMIT: "The compiler was stopped: it wrote more than {messages:g} MiB of messages.",
}


def _problem(outcome: Outcome, limits: Limits, program: Path, language: Language) -> str:
    """What the compiler itself could not say, as one sentence; nothing when its own messages say all."""
    if outcome.ending in _STOPPED:
        return _STOPPED[outcome.ending].format(
            cpu=limits.cpu_time_ms / 1_000,
            wall=limits.wall_time_ms / 1_000,
            memory=limits.memory_bytes / MIB,
            messages=limits.stderr_bytes / MIB,
        )
    if outcome.ending is not Ending.EXITED:
        return f"The compiler crashed ({outcome.detail})."
    if outcome.exit_code != 0 or language.program_name is None:
        return ""
    return _program_problem(program / language.program_name, outcome)


def _program_problem(path: Path, outcome: Outcome) -> str:
    if path.name not in outcome.collected:
        return f"The compiler left no program, or one of more than {PROGRAM_BYTES // MIB} MiB."
    path.chmod(0o755)
    with path.open("rb") as file:
        return "" if file.read(len(_ELF)) == _ELF else "The compiler left a file that is not a program."


def _read_message(folder: Path) -> str:
    """The compiler's words on both streams, capped, without the folder's name."""
    parts = []
    for name in ("compiler.err", "compiler.out"):
        path = folder / name
        if path.exists():
            with path.open("rb") as file:
                parts.append(file.read(MESSAGE_BYTES + 1))
    text = readable(b"".join(parts)).replace(f"{PROGRAM_FOLDER}/", "").strip()
    return text[:MESSAGE_BYTES] + "\n[the rest is cut off]" if len(text) > MESSAGE_BYTES else text


def readable(content: bytes) -> str:
    """Text that any database and page takes: undecodable bytes as \\xNN, NUL as a visible sign."""
    return content.decode("utf-8", "backslashreplace").replace("\0", "\N{SYMBOL FOR NULL}")
