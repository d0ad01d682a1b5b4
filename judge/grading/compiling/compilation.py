"""The compile step: sources in, a folder with something to run out. It runs in a jail of its own.

How it works: the sources lie in `folder/source`, mounted read-only at /program. The compiler writes to /box, a fresh
tmpfs; the one file it is to make is carried out to `folder/program`, of which the run's jail then shows a copy of its
own at /program, in memory.
A language without a compile step gets its syntax checked there, and `folder/source` is what is run.

What was compiled before comes from `judge.grading.compiling.compile_cache`. Else the compiler is first started with two
short cuts, where the host has them: a precompiled header (`judge.grading.compiling.precompiled_header`) and the linker
mold. Neither may decide anything: what is refused, and what gets messages that a short cut words in its own way, is
compiled once more without them, and that counts, unless the first took a third of the time that a student waits at
most: both together have no more. The program comes out the same.
"""

import errno
import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.compile_problem import CompileProblem, CompileStop, compile_words
from judge.grading.compiling import compile_cache, precompiled_header
from judge.grading.compiling.compile_cache import CACHE, KeptResult
from judge.grading.languages import PROGRAM_FOLDER, Language
from judge.grading.languages.runtime import Product, Runtime, Start
from problems.languages import language_of
from problems.package import ProblemLimits, SubmittedFile
from problems.translation import Sentence
from sandbox.errors import WorkdirError
from sandbox.types import (
    MIB,
    Collect,
    Command,
    Ending,
    Image,
    Jail,
    JailSpec,
    Limits,
    Mount,
    Outcome,
    Sandbox,
    signal_name,
)

MESSAGE_BYTES = 64 * 1024
PROGRAM_BYTES = 64 * MIB
_INCLUDE_STACK = "In file included from"
_LINKERS_WORDS = ("collect2", "linker", "linking")
_DEATHS_BY_FILE_SIZE = tuple(  # of what g++ starts, in the words of gcc and of collect2
    words.format(signal.strsignal(signal.SIGXFSZ)) for words in ("{} signal terminated program", "[{}]")
)
_TROUBLES = tuple(
    os.strerror(code)
    for code in (errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.ENFILE, errno.EMFILE, errno.EFBIG, errno.ENOSPC)
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Executable:
    """Something to run inside a jail that shows `mount`: by its runtime, from its start."""

    runtime: Runtime
    start: Start
    mount: Mount

    def argv(self, memory_bytes: int) -> tuple[str, ...]:
        """Return the command line of a run within this memory limit, in which the runtime's headroom is not."""
        return self.runtime.run_argv(self.start, memory_bytes)

    def within(self, limits: Limits) -> Limits:
        """Return the limits of a run, with the headroom of the runtime and its stack."""
        return replace(
            limits,
            memory_bytes=limits.memory_bytes + self.runtime.memory_headroom_bytes,
            processes=limits.processes + self.runtime.process_headroom,
            stack_bytes=self.runtime.stack_bytes,
        )

    def with_flags(self, *flags: str) -> "Executable":
        """Return the program started with further flags of the tool, the last ones before the source."""
        return replace(self, start=replace(self.start, flags=(*self.start.flags, *flags)))

    def jail(self, *mounts: Mount, cpu: int | None, cores: int = 1) -> JailSpec:
        """Return a jail for it that shows these mounts too."""
        runtime = self.runtime
        mounts = (self.mount, *mounts)
        return JailSpec(mounts=mounts, image=runtime.image, runtime=runtime.host, cpu=cpu, cores=cores)

    @property
    def started_file(self) -> Path:
        """The file that the kernel executes, on the host."""
        product = self.runtime.product
        if product is None or not self.runtime.starts_product:
            return Path(self.start.tool)
        return self.mount.source / product.name

    @property
    def product_path(self) -> str:
        """The path of what the compiler made, in the jail; "" if it made nothing."""
        return f"{PROGRAM_FOLDER}/{self.runtime.product.name}" if self.runtime.product else ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sources:
    """The files to compile, by name relative to the program's folder, and which of them the compiler gets."""

    language: Language
    files: Mapping[str, bytes]
    units: tuple[str, ...]  # the first one is the entry


@dataclass(frozen=True, kw_only=True, slots=True)
class Compilation:
    """The result of the compile step. `executable` is None when there is nothing to run.

    The compiler's `message` then says why, or `problem`.
    """

    executable: Executable | None
    message: str
    wall_time_us: int | None  # None: the result was kept from an earlier time, and no compiler ran
    problem: CompileProblem | None = None

    @property
    def words(self) -> Sentence:
        """The problem and the compiler's message, one below the other."""
        return compile_words(self.problem, self.message)


def single_file(language: Language, source: bytes, name: str = "") -> Sources:
    """Return a submission of one file, under its name or else the language's name for it."""
    name = name or language.source_name
    return Sources(language=language, files={name: source}, units=(name,))


def several_files(language: Language, files: Mapping[str, bytes]) -> Sources:
    """Return a program that is a folder: its first file is the entry; a compiler gets all files of the language.

    rustc gets only the entry, which names the others itself.
    """
    entry, *others = files
    units = [name for name in others if language.compiles_each_file and language_of(name) == language.id]
    return Sources(language=language, files=files, units=(entry, *units))


def with_included(sources: Sources, included: Mapping[str, bytes], expected: SubmittedFile) -> Sources:
    """Return a submission with the package's files added, each replacing one of the same name.

    Where one of them is the program, it is the entry; a file that it includes by its name is not compiled by itself.
    """
    if not included:
        return sources
    entry = expected.entry or sources.units[0]
    files = {**sources.files, **included}
    others = [name for name in files if name != entry]
    whole = several_files(sources.language, {name: files[name] for name in (entry, *others)})
    return replace(whole, units=tuple(unit for unit in whole.units if unit == entry or unit != expected.name))


def compile_limits(limits: ProblemLimits) -> Limits:
    """Return the limits of a compile step. A stopped compiler shows no time, so the CPU limit ends it at once.

    Less than half as much wall time again, since the student waits for it: the verdict is there within 15 s. A machine
    that gives the compiler less than 5/7 of a core can stop it only when it needs nearly all of its CPU time; the usual
    second may take fourteen.
    """
    return Limits(
        cpu_time_ms=limits.compile_time_ms,
        wall_time_ms=limits.compile_time_ms * 7 // 5,
        memory_bytes=limits.compile_memory_bytes,
        output_bytes=8 * MIB,
        stderr_bytes=8 * MIB,
        open_files=1_024,
        scratch_bytes=256 * MIB,
        file_bytes=PROGRAM_BYTES,
        overrun_percent=0,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class Compiler:
    """Compiles in jails of their own, on the core `cpu` (None: any). Keeps results in `work_root`/cache, by author."""

    sandbox: Sandbox
    work_root: Path
    cpu: int | None = None

    @property
    def cache(self) -> Path:
        """The folder of `judge.grading.compiling.compile_cache` and `judge.grading.compiling.precompiled_header`."""
        return self.work_root / CACHE

    def compile(self, sources: Sources, limits: Limits, folder: Path, author: int = 0) -> Compilation:
        """Compile in an empty `folder` that everybody can search. Raises SandboxError.

        `author`: as in GradingJob.
        """
        language, product = sources.language, sources.language.runtime.product
        try:
            source = Mount(source=stage_files(sources.files, folder / "source"), target=PROGRAM_FOLDER)
            program = make_folder(folder / "program") / (product.name if product else "")
            key = compile_cache.key_of(language, sources.files, sources.units, limits, author)
            kept = None if language.notes else compile_cache.look_up(self.cache, key)  # which keeps one file
            result, wall_time_us, problem = kept, None, None
            if result is not None and result.program:
                program.write_bytes(result.program)
            if result is None:
                attempts = self._attempts(sources, source, limits, folder)
                last = attempts[-1]
                result, problem = KeptResult(is_ok=last.is_ok, message=last.message), last.problem
                wall_time_us = sum(attempt.outcome.usage.wall_time_us for attempt in attempts)
                if last.is_lasting(language) and not language.notes:
                    content = program.read_bytes() if result.is_ok and program.is_file() else b""
                    compile_cache.keep(self.cache, key, replace(result, program=content), folder)
            executable = None
            if result.is_ok:
                if product:
                    program.chmod(0o755)
                mount = Mount(source=program.parent, target=PROGRAM_FOLDER) if product else source
                start = language.start(sources.units[0])
                executable = Executable(runtime=language.runtime, start=start, mount=mount)
        except OSError as error:
            raise WorkdirError(f"cannot compile in {folder}: {error.strerror}") from error
        return Compilation(executable=executable, message=result.message, problem=problem, wall_time_us=wall_time_us)

    def _attempts(self, sources: Sources, source: Mount, limits: Limits, folder: Path) -> list["_Attempt"]:
        """Return one or two runs of the compiler; the last one counts."""
        language = sources.language
        header = precompiled_header.find(language, sources.files, self.cache)
        flags = ((precompiled_header.FLAGS if header else ()), language.fast_link_flags())
        mounts = (source, header) if header else (source,)
        spec = JailSpec(mounts=mounts, image=Image.TOOLS, runtime=language.runtime.host, cpu=self.cpu)
        with self.sandbox.open_jail(spec) as jail:
            first = _run(jail, sources, limits, folder, flags[0] + flags[1])
            took_ms = first.outcome.usage.wall_time_us // 1_000
            is_slow = took_ms > limits.wall_time_ms // 3
            if not any(flags) or is_slow or first.decides(with_header=header is not None):
                return [first]
            rest = replace(limits, wall_time_ms=limits.wall_time_ms - took_ms)
            return [first, _run(jail, sources, rest, folder, ())]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Attempt:
    """One run of the compiler. `problem` is what its own words, `message`, do not tell."""

    outcome: Outcome
    problem: CompileProblem | None
    message: str

    @property
    def is_ok(self) -> bool:
        return self.outcome.exit_code == 0 and not self.problem

    def decides(self, *, with_header: bool) -> bool:
        """Return whether this attempt would have ended the same without short cuts, with the same messages."""
        if self.outcome.ending is not Ending.EXITED:
            return self.outcome.ending in _STOPPED  # without them it would only have taken longer
        if self.is_ok:
            return not (with_header and _INCLUDE_STACK in self.message)  # its last line is missing with the header
        return not with_header and not any(word in self.message for word in _LINKERS_WORDS)

    def is_lasting(self, language: Language) -> bool:
        """Return whether every attempt would end like this: no limit of ours and no trouble of this host had a part."""
        if self.is_ok or self.outcome.ending is not Ending.EXITED or self.problem:
            return self.is_ok
        is_complaint = self.outcome.exit_code == 1 and language.complaint.search(self.message) is not None
        return is_complaint and not any(trouble in self.message for trouble in _TROUBLES)


def _run(jail: Jail, sources: Sources, limits: Limits, folder: Path, flags: tuple[str, ...]) -> _Attempt:
    product, program = sources.language.runtime.product, folder / "program"
    streams = folder / "compiler.out", folder / "compiler.err"
    targets = [program / name for name in (product.name, sources.language.notes) if name] if product else []
    files = tuple(Collect(name=target.name, target=target, max_bytes=PROGRAM_BYTES) for target in targets)
    for path in (*streams, *targets):
        path.unlink(missing_ok=True)
    argv = sources.language.compile_argv(sources.units, flags)
    outcome = jail.run(Command(argv=argv, stdout=streams[0], stderr=streams[1], collect=files), limits)
    message = read_message(folder)
    problem = _problem(outcome, limits, message, product, program)
    return _Attempt(outcome=outcome, problem=problem, message=message)


def make_folder(folder: Path) -> Path:
    """Make and return a new folder that the jail's user can search and list, whatever our umask is."""
    folder.mkdir()
    folder.chmod(0o755)
    return folder


def stage_files(files: Mapping[str, bytes], folder: Path) -> Path:
    """Write files by their names below a new folder, for every jail to read, and return the folder."""
    make_folder(folder)
    for name, content in files.items():
        path = folder / name
        for parent in reversed(path.relative_to(folder).parents[:-1]):
            if not (folder / parent).exists():
                make_folder(folder / parent)
        path.write_bytes(content)
        path.chmod(0o644)
    return folder


_STOPPED = {
    Ending.CPU_LIMIT: CompileStop.CPU_TIME,
    Ending.WALL_LIMIT: CompileStop.WALL_TIME,
    Ending.MEMORY_LIMIT: CompileStop.MEMORY,
    Ending.OUTPUT_LIMIT: CompileStop.MESSAGES,
}


def stop_problem(outcome: Outcome, limits: Limits) -> CompileProblem | None:
    """Return why a compiler was stopped or crashed; None if it ended by itself."""
    if outcome.ending in _STOPPED:
        exceeded = {
            Ending.CPU_LIMIT: limits.cpu_time_ms,
            Ending.WALL_LIMIT: round(limits.wall_time_ms, -2),
            Ending.MEMORY_LIMIT: limits.memory_bytes,
            Ending.OUTPUT_LIMIT: limits.stderr_bytes,
        }
        return CompileProblem(code=_STOPPED[outcome.ending], limit=exceeded[outcome.ending])
    if outcome.signal == signal.SIGXFSZ:
        return CompileProblem(code=CompileStop.FILE_SIZE, limit=limits.file_bytes)
    if outcome.signal is not None:
        return CompileProblem(code=CompileStop.CRASHED, signal=signal_name(outcome.signal))
    return None


def _problem(
    outcome: Outcome, limits: Limits, words: str, product: Product | None, folder: Path
) -> CompileProblem | None:
    """Return what the compiler's own words do not tell: why it ended, or what is wrong with what it made; None if they
    tell all.
    """
    if outcome.ending is not Ending.EXITED:
        return stop_problem(outcome, limits)
    if outcome.exit_code != 0:
        if any(death in words for death in _DEATHS_BY_FILE_SIZE):
            return CompileProblem(code=CompileStop.FILE_SIZE, limit=limits.file_bytes)
        return None if words else CompileProblem(code=CompileStop.SILENT)
    if product is None:
        return None
    if product.name not in outcome.collected:
        return CompileProblem(code=CompileStop.NO_PROGRAM, limit=PROGRAM_BYTES)
    with (folder / product.name).open("rb") as file:
        is_product = file.read(len(product.magic)) == product.magic
    return None if is_product else CompileProblem(code=CompileStop.NOT_A_PROGRAM)


def read_message(folder: Path) -> str:
    """Return the compiler's messages on both streams, capped, without the folder's name."""
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
