"""A package's own output validator: compiled, in an open jail, asked about one test case after the other.

How it works: it is compiled once (and kept by content), and its jail stays open for all test cases of a submission.
Input and answer of a case are copied to a folder that this jail shows at /stage; the feedback folder is made in the
scratch and its message carried out afterwards. A checker reads the submission's output from stdin; an interactor's
stdin and stdout are the pipes to the submission.

Source: "Output validators" in the ICPC/Kattis problem package format: `validator INPUT ANSWER FEEDBACKDIR/ [args]`,
exit 42 accepts, 43 rejects, anything else is the setter's fault.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from judge.compilation import Compiler, Executable, Sources, compile_limits, readable
from judge.execution import read_excerpt
from judge.languages import BOX, LANGUAGES, language_of_file
from judge.verdicts import Judgement
from problems.package import Package, PackageError, PackageProgram, ProblemLimits, TestCase
from sandbox.types import MIB, Collect, Command, Ending, Jail, JailSpec, Limits, Mount, Outcome, Sandbox
from sandbox.workdir import fresh_folder

_ACCEPTED, _REJECTED = 42, 43
_STAGE = "/stage"
_FEEDBACK = "feedback"
_MESSAGE = f"{_FEEDBACK}/judgemessage.txt"
_MESSAGE_BYTES = 16 * 1024


class OpenValidator:
    """The validator of one package in its open jail."""

    def __init__(self, package: Package, executable: Executable, jail: Jail, folder: Path) -> None:
        self.jail = jail
        self.limits = validation_limits(package.limits)
        self._package = package
        self._executable = executable
        self._folder = folder

    def command(self, case: TestCase, stdin: Path | None = None) -> Command:
        """The command of one run on this case, which lies ready for it."""
        for name, source in (("input", case.input), ("answer", case.answer)):
            staged = self._folder / "stage" / name
            shutil.copyfile(source, staged)
            staged.chmod(0o644)
        for path in (self._message, self._stderr):
            path.unlink(missing_ok=True)
        return Command(
            argv=(
                *self._executable.argv,
                *(f"{_STAGE}/input", f"{_STAGE}/answer", f"{BOX}/{_FEEDBACK}/"),
                *case.validator_args,
            ),
            stdin=stdin,
            stderr=self._stderr,
            directories=(_FEEDBACK,),
            collect=(Collect(name=_MESSAGE, target=self._message, max_bytes=1 * MIB),),
        )

    def judgement(self, outcome: Outcome) -> Judgement | None:
        """Its word at the end of a run; None when it gave none."""
        if outcome.ending is Ending.EXITED and outcome.exit_code in (_ACCEPTED, _REJECTED):
            return Judgement(is_accepted=outcome.exit_code == _ACCEPTED, message=self.message())
        return None

    def failure(self, case: TestCase, outcome: Outcome, circumstance: str = "") -> PackageError:
        """What to tell the setter of a run at the end of which it gave no word."""
        how = f"exited with {outcome.exit_code}" if outcome.ending is Ending.EXITED else f"failed: {outcome.detail}"
        words = [
            f"the output validator {how} on {case.name}{circumstance}; it must exit with 42 (accept) or 43 (reject)"
        ]
        words += [text for text in (self.message(), self.stderr()) if text]
        validator = self._package.output_validator
        return PackageError(validator.path.name if validator else "", "", "\n".join(words))

    def message(self) -> str:
        """What the last run left for staff."""
        return _read(self._message)

    def stderr(self) -> str:
        """What the last run wrote to stderr."""
        return _read(self._stderr)

    @property
    def _message(self) -> Path:
        return self._folder / "judgemessage"

    @property
    def _stderr(self) -> Path:
        return self._folder / "validator.err"


@contextmanager
def open_validator(
    package: Package, sandbox: Sandbox, work_root: Path, cpu: int | None = None
) -> Iterator[OpenValidator]:
    """The package's output validator, ready for use on the core `cpu`.

    Raises PackageError when it does not compile, SandboxError.
    """
    if package.output_validator is None:
        raise ValueError("the package has no output validator")
    with fresh_folder(work_root, "check-") as folder:
        compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=cpu)
        executable = build_program(package.output_validator, "output validator", package.limits, compiler, folder)
        stage = folder / "stage"
        stage.mkdir()
        stage.chmod(0o755)
        spec = JailSpec(mounts=(executable.mount, Mount(source=stage, target=_STAGE)), cpu=cpu)
        with sandbox.open_jail(spec) as jail:
            yield OpenValidator(package, executable, jail, folder)


def validation_limits(limits: ProblemLimits) -> Limits:
    """The limits of one run of an output validator."""
    return Limits(
        cpu_time_ms=limits.validation_time_ms,
        wall_time_ms=limits.validation_time_ms * 3 // 2,
        memory_bytes=limits.validation_memory_bytes,
        output_bytes=limits.validation_output_bytes,
        stderr_bytes=limits.validation_output_bytes,
        processes=limits.processes,
    )


def build_program(
    program: PackageProgram, kind: str, limits: ProblemLimits, compiler: Compiler, folder: Path
) -> Executable:
    """Compile a program of the package in `folder`/validator; `kind` is "output validator", for the message.

    Raises PackageError when it does not compile, SandboxError.
    """
    build = folder / "validator"
    build.mkdir()
    build.chmod(0o711)
    compilation = compiler.compile(_sources(program), compile_limits(limits), build)
    if compilation.executable is None:
        name = program.name or program.path.name
        raise PackageError(name, "", f"the {kind} does not compile:\n{compilation.message}")
    return compilation.executable


def _sources(validator: PackageProgram) -> Sources:
    """All its files; of a C++ one every .cpp is given to the compiler, with the entry first."""
    root = validator.path if validator.path.is_dir() else validator.path.parent
    paths = sorted(path for path in root.rglob("*") if path.is_file()) if validator.path.is_dir() else [validator.path]
    files = {path.relative_to(root).as_posix(): path.read_bytes() for path in paths}
    language = LANGUAGES[validator.language]
    others = (name for name in files if name != validator.entry and language_of_file(name) is language)
    units = (validator.entry, *others) if language.program_name is not None else (validator.entry,)
    return Sources(language=language, files=files, units=units)


def _read(path: Path) -> str:
    return readable(read_excerpt(path, _MESSAGE_BYTES)).strip() if path.exists() else ""
