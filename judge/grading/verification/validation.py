"""Check inputs with the package's input validators.

How it works: all of them are compiled first, each in a folder of its own below one folder of the work root. Then one
after the other gets a jail, which stays open for all inputs; the input is its stdin, exit 42 accepts. In its working
folder it finds its own files and those that the case gives the program; they are copied to a folder that the jail shows
at /stage. The tool for the grammars of checktestdata (.ctd) is a Python package of ours: its files and the grammar are
staged as one Python program, so that a grammar that never ends meets the same limits as any other program.

Source: "Input validators" in the ICPC/Kattis problem package format; `checktestdata` exits with 0 for a right input,
1 for a wrong one, 2 for a wrong grammar; a validator with an original testlib.h exits with 0 for a right one.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path, PurePosixPath

from judge.grading.case_ending import end_of
from judge.grading.checkers.feedback import read_excerpt
from judge.grading.checkers.validators import build_program, validation_limits
from judge.grading.compiling.compilation import Compiler, Executable, Sources, compile_limits, readable
from judge.grading.ending_words import brief
from judge.grading.languages import PROGRAM_FOLDER, PYTHON
from problems.format.constants import replaced
from problems.package import PackageError, PackageProgram, ProblemLimits, TestCase
from problems.translation import Sentence, joined
from sandbox.errors import LimitsError
from sandbox.types import Command, Ending, Jail, Mount, Sandbox

CHECKTESTDATA, VIVA = "checktestdata", "viva"
_TOOL = "checktestdata"  # the Python package
_GRAMMAR = "grammar.ctd"
_STAGE = "/stage"
_WORDS_BYTES = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Opinion:
    """An input validator's judgement of an input. Without `is_certain` there is none: a limit may have ended it."""

    is_accepted: bool
    is_certain: bool
    words: Sentence  # how it ended and what it wrote, for the setter


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltValidator:
    """An input validator that is ready to run; `folder` is its own."""

    program: PackageProgram
    executable: Executable
    folder: Path
    accepts_with: int = 42  # its exit code for a right input

    @property
    def name(self) -> str:
        """Its file or folder below the package."""
        return name_of(self.program)


def name_of(program: PackageProgram) -> str:
    """Return a program's name for people: its file or folder below the package."""
    return program.name or program.path.name


def build_validator(
    program: PackageProgram, limits: ProblemLimits, compiler: Compiler, folder: Path
) -> BuiltValidator | None:
    """Build the validator in the new `folder`; None for VIVA, which no maintained tool runs.

    Raises PackageError when it does not compile, SandboxError.
    """
    if program.language == VIVA:
        return None
    folder.mkdir()
    folder.chmod(0o711)
    if program.language == CHECKTESTDATA:
        # build the tool with the grammar beside it
        files = {**_tool_files(), _GRAMMAR: replaced(program.path.read_bytes(), program.constants)}
        build = folder / "validator"
        build.mkdir()
        build.chmod(0o711)
        sources = Sources(language=PYTHON, files=files, units=("main.py",))
        compilation = compiler.compile(sources, compile_limits(limits), build)
        if compilation.executable is None:
            raise PackageError(name_of(program), "", Sentence("cannot be read: %(words)s", words=compilation.words))
        return BuiltValidator(program=program, executable=compilation.executable, folder=folder, accepts_with=0)
    built = build_program(program, limits, compiler, folder, is_output=False)
    accepts_with = 0 if built.is_testlib else 42
    return BuiltValidator(program=program, executable=built.executable, folder=folder, accepts_with=accepts_with)


@contextmanager
def open_input_validator(
    built: BuiltValidator, limits: ProblemLimits, sandbox: Sandbox, cpu: int | None = None
) -> Iterator["OpenInputValidator"]:
    """Open the validator in its own jail on the core `cpu`, for many inputs. Raises SandboxError."""
    for folder in (built.folder / "stage", built.folder / "stage" / "own"):
        folder.mkdir()
        folder.chmod(0o755)
    stage = Mount(source=built.folder / "stage", target=_STAGE, is_live=True)
    with sandbox.open_jail(built.executable.jail(stage, cpu=cpu)) as jail:
        yield OpenInputValidator(built, jail, limits)


class OpenInputValidator:
    """An input validator in its open jail."""

    def __init__(self, built: BuiltValidator, jail: Jail, limits: ProblemLimits) -> None:
        self.name = built.name
        self._built = built
        self._jail = jail
        self._argv = built.executable.argv(limits.validation_memory_bytes)
        self._limits = built.executable.within(validation_limits(limits))
        folder = built.program.path  # of a program that is a folder: its files, without subfolders
        beside = sorted(path for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []
        self._own_files = _staged(tuple((path.name, path) for path in beside), built.folder, "own")

    def args_of(self, case: TestCase) -> tuple[str, ...]:
        """Return its arguments: its own for the case, then the program's."""
        if self._built.program.language == CHECKTESTDATA:
            return ()  # a grammar has none
        arguments, name = case.input_validator_args, PurePosixPath(self.name)
        own = next((arguments[key] for key in (name.name, name.stem, "") if key in arguments), ())
        return (*own, *case.args)

    def ask(self, case: TestCase) -> Opinion:
        """Return its opinion of a case's input: none if it cannot take the arguments and files. Raises SandboxError."""
        out, err = self._built.folder / "stdout", self._built.folder / "stderr"
        for path in (out, err):
            path.unlink(missing_ok=True)
        argv = (*self._argv, *self.args_of(case))
        if self._built.program.language == CHECKTESTDATA:
            argv = (*argv, f"{PROGRAM_FOLDER}/{_GRAMMAR}")
        stage = self._built.folder / "stage" / "case"
        shutil.rmtree(stage, ignore_errors=True)
        files = self._own_files
        if case.files:
            stage.mkdir()
            stage.chmod(0o755)
            files = {**files, **_staged(case.files, self._built.folder, "case")}
        command = Command(argv=argv, stdin=case.input, stdout=out, stderr=err, files=tuple(files.items()))
        try:
            outcome = self._jail.run(command, self._limits)
        except LimitsError as error:
            why = Sentence("cannot be started: %(error)s", error=str(error))
            return Opinion(is_accepted=False, is_certain=False, words=why)
        messages = [text for text in (_excerpt(err), _excerpt(out)) if text]
        has_exited = outcome.ending is Ending.EXITED
        code = Sentence("exit code %(code)s", code=str(outcome.exit_code))
        how = code if has_exited else brief(end_of(outcome)) or outcome.ending.value
        has_reason = bool(messages) or not has_exited
        words = joined([how, *messages]) if has_reason else Sentence("%(how)s, without saying why", how=how)
        is_accepted = has_exited and outcome.exit_code == self._built.accepts_with
        # a crash rejects, but a limit or a wrong grammar decides nothing
        is_certain = has_exited or outcome.ending is Ending.SIGNALLED
        if self._built.program.language == CHECKTESTDATA:
            is_certain = has_exited and outcome.exit_code in (0, 1)
        return Opinion(is_accepted=is_accepted, is_certain=is_certain, words=words)


def _staged(files: tuple[tuple[str, Path], ...], folder: Path, room: str) -> dict[str, str]:
    """Copy the files to where the jail shows them; return name -> path in the jail."""
    for name, source in files:
        copy = folder / "stage" / room / name
        shutil.copyfile(source, copy)
        copy.chmod(0o644)
    return {name: f"{_STAGE}/{room}/{name}" for name, _ in files}


@cache
def _tool_files() -> dict[str, bytes]:
    """Return the Python package `checktestdata` and a main file that starts it."""
    spec = find_spec(_TOOL)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the Python package {_TOOL} is not installed: run make setup")
    root = Path(spec.submodule_search_locations[0])
    files = {f"{_TOOL}/{path.name}": path.read_bytes() for path in sorted(root.glob("*.py"))}
    return {"main.py": b"from checktestdata.pyctd import main\n\nmain()\n", **files}


def _excerpt(path: Path) -> str:
    return readable(read_excerpt(path, _WORDS_BYTES)).strip() if path.exists() else ""
