"""A package's own output validator: its sources made into something to run, compiled ones kept by content.

The cache holds plain program files named by a digest of toolchain, command line and sources; a job copies what it uses,
so an entry may be removed at any time.
"""

import hashlib
import os
import shutil
from contextlib import suppress
from pathlib import Path

from judge.compilation import Executable, Sources, compile_limits, compile_program
from judge.languages import LANGUAGES, PROGRAM_FOLDER, Language, language_of_file
from problems.package import OutputValidator, Package, PackageError
from sandbox.types import Mount, Sandbox

_CACHE_ENTRIES = 200


def build_validator(package: Package, sandbox: Sandbox, work_root: Path, folder: Path, cpu: int | None) -> Executable:
    """The package's output validator, ready to run; its files lie in `folder`.

    Raises PackageError when it does not compile, SandboxError.
    """
    validator = package.output_validator
    if validator is None:
        raise ValueError("the package has no output validator")
    sources = _sources(validator)
    build = folder / "validator"
    build.mkdir()
    build.chmod(0o711)
    cached = work_root / "cache" / "validators" / _digest(sources)
    if sources.language.program_name is not None and (found := _from_cache(cached, sources.language, build)):
        return found
    compilation = compile_program(sources, compile_limits(package.limits), sandbox, build, cpu)
    if compilation.executable is None:
        raise PackageError(validator.path.name, "", f"the output validator does not compile:\n{compilation.message}")
    if sources.language.program_name is not None:
        _keep(compilation.executable, cached)
    return compilation.executable


def _sources(validator: OutputValidator) -> Sources:
    """All its files; of a C++ one every .cpp is given to the compiler, with the entry first."""
    root = validator.path if validator.path.is_dir() else validator.path.parent
    paths = sorted(path for path in root.rglob("*") if path.is_file()) if validator.path.is_dir() else [validator.path]
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    language = LANGUAGES[validator.language]
    others = (name for name in files if name != validator.entry and language_of_file(name) is language)
    units = (validator.entry, *others) if language.program_name is not None else (validator.entry,)
    return Sources(language=language, files=files, units=units)


def _digest(sources: Sources) -> str:
    digest = hashlib.sha256()
    toolchain = sources.language.toolchain()
    for part in (toolchain.path, toolchain.version, *sources.language.compile_argv(sources.units)):
        digest.update(f"{len(part)}:{part}".encode())
    for name, content in sorted(sources.files.items()):
        digest.update(f"{len(name)}:{name}:{len(content)}:".encode())
        digest.update(content)
    return digest.hexdigest()


def _from_cache(cached: Path, language: Language, build: Path) -> Executable | None:
    """A copy of the entry, ready to run; None when there is no such entry."""
    argv = language.run_argv(language.source_name)
    program = build / "program"
    target = program / Path(argv[0]).name
    try:
        source = cached.open("rb")
    except FileNotFoundError:
        return None
    with source:
        os.utime(source.fileno())  # the oldest entries by this time are dropped first
        program.mkdir()
        program.chmod(0o755)
        with target.open("wb") as file:
            shutil.copyfileobj(source, file)
        target.chmod(0o755)
    return Executable(argv=argv, mount=Mount(source=program, target=PROGRAM_FOLDER), is_compiled=True)


def _keep(executable: Executable, cached: Path) -> None:
    """Put a program into the cache: complete or not at all, however many workers do it at once."""
    cached.parent.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError):  # another worker was faster
        cached.hardlink_to(executable.mount.source / Path(executable.argv[0]).name)
    for old in sorted(cached.parent.iterdir(), key=_last_use, reverse=True)[_CACHE_ENTRIES:]:
        old.unlink(missing_ok=True)


def _last_use(entry: Path) -> float:
    """When the entry was used last, in seconds since 1970; 0 for one that another worker just removed."""
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:
        return 0.0
