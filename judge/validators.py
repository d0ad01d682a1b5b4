"""A package's own output validator: its sources made into something to run."""

from pathlib import Path

from judge.compilation import Compiler, Executable, Sources, compile_limits
from judge.languages import LANGUAGES, language_of_file
from problems.package import OutputValidator, Package, PackageError


def build_validator(package: Package, compiler: Compiler, folder: Path) -> Executable:
    """The package's output validator, ready to run; its files lie in `folder`.

    Raises PackageError when it does not compile, SandboxError.
    """
    validator = package.output_validator
    if validator is None:
        raise ValueError("the package has no output validator")
    build = folder / "validator"
    build.mkdir()
    build.chmod(0o711)
    compilation = compiler.compile(_sources(validator), compile_limits(package.limits), build)
    if compilation.executable is None:
        raise PackageError(validator.path.name, "", f"the output validator does not compile:\n{compilation.message}")
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
