"""Run a package's own output validator: compiled, in an open jail, on one test case after the other.

How it works: it is compiled once (and kept by content), and its jail stays open for all test cases of a submission.
Input and answer of a case are copied to a folder that this jail shows at /stage; the feedback folder is made in the
scratch, and what counts of it is carried out afterwards (`judge.grading.checkers.feedback`). The scratch goes on from
pass to pass of a multi-pass problem. A checker reads the submission's output from stdin; an interactor's stdin and
stdout are the pipes to the submission.

A program with an original testlib.h is asked in its own way: `judge.grading.checkers.testlib`. It finds the output in a
file.

Source: "Output validators" in the ICPC/Kattis problem package format: `validator INPUT ANSWER FEEDBACKDIR/ [args]`,
exit 42 accepts, 43 rejects, anything else is the setter's fault.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.case_ending import end_of
from judge.grading.checkers import testlib
from judge.grading.checkers.feedback import FEEDBACK, NEXT_INPUT, Feedback, FeedbackError, read_words
from judge.grading.checkers.scripts import build_script
from judge.grading.compiling.compilation import Compilation, Compiler, Executable, compile_limits, several_files
from judge.grading.ending_words import brief
from judge.grading.languages import BOX, LANGUAGES
from judge.grading.verdicts import Judgement
from problems.format.constants import replaced
from problems.format.programs import MOST_BYTES
from problems.package import Package, PackageError, PackageProgram, ProblemLimits, TestCase
from problems.translation import Sentence, joined
from sandbox.types import MIB, Command, Ending, Image, Jail, Limits, Mount, Outcome, Sandbox
from sandbox.workdir import fresh_folder

_ACCEPTED, _REJECTED = 42, 43
_STAGE = "/stage"
_SCRATCH_BYTES = 64 * MIB  # it may keep notes there from pass to pass
_GO_ON = f'rm -f {FEEDBACK}/{NEXT_INPUT} && exec "$0" "$@"'  # that of the pass before must not be taken for a new one


@dataclass(frozen=True, kw_only=True, slots=True)
class BuiltProgram:
    """A program of the package, ready to run. `is_testlib`: it uses an original testlib.h with its exit codes."""

    executable: Executable
    is_testlib: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class OtherSide:
    """The submission that an interactor talked to when it ended without a judgement.

    `ended` is how the submission had ended before; None: it was running.
    """

    ended: str | None


SILENT = OtherSide(ended="")  # none: its side of the conversation was closed at once


class OpenValidator:
    """The validator of one package in its open jail."""

    def __init__(self, package: Package, built: BuiltProgram, jail: Jail, folder: Path) -> None:
        self.jail = jail
        self.limits = built.executable.within(validation_limits(package.limits))
        self._package = package
        self._argv = built.executable.argv(package.limits.validation_memory_bytes)
        self._is_testlib = built.is_testlib
        self._folder = folder
        self._feedback = Feedback(package, folder / FEEDBACK)
        self.next_input: Path | None = None  # of the next pass, as the last word had it; None: there is none

    def command(self, case: TestCase, stdin: Path | None = None, *, goes_on: bool = False) -> Command:
        """Return the command of one run on this prepared case; `stdin` is the output to check.

        `goes_on`: it is a further pass over the case of the last run.
        """
        self._stage("input", case.input)
        self._stage("answer", case.answer)
        if self._is_testlib and stdin is not None:
            self._stage("output", stdin)
        self._stderr.unlink(missing_ok=True)
        self.next_input = None
        arguments = f"{_STAGE}/input", f"{_STAGE}/answer", f"{BOX}/{FEEDBACK}/"
        if self._is_testlib:
            output = f"{BOX}/{FEEDBACK}/tout" if self._package.is_interactive else f"{_STAGE}/output"
            arguments = f"{_STAGE}/input", output, f"{_STAGE}/answer"
        argv = (*self._argv, *arguments, *case.validator_args)
        return Command(
            argv=("/bin/sh", "-c", _GO_ON, *argv) if goes_on else argv,
            stdin=None if self._is_testlib else stdin,
            stderr=self._stderr,
            directories=(FEEDBACK,),
            collect=self._feedback.collect(self.limits),
            keeps_scratch=self._package.most_passes > 1,
            goes_on=goes_on,
        )

    def judgement(self, case: TestCase, outcome: Outcome) -> Judgement | None:
        """Return its judgement after a run; None if it gave none. Raises PackageError when it contradicts itself."""
        code, word = outcome.exit_code, None
        if outcome.ending is not Ending.EXITED or code is None:
            return None
        if self._is_testlib:
            word = testlib.judgement_of(code, self.stderr(), is_scoring=self._package.groups is not None)
        elif code in (_ACCEPTED, _REJECTED):
            word = Judgement(is_accepted=code == _ACCEPTED)
        if word is None:
            return None
        try:
            self.next_input = self._feedback.next_input(is_accepted=word.is_accepted)
            score, multiplier = self._feedback.points(is_accepted=word.is_accepted, is_sample=case.is_sample)
        except FeedbackError as error:
            what = Sentence("the checker %(what)s on %(case)s", what=error.why, case=case.name)
            raise self._blame(what) from error
        return replace(
            word,
            message=self._feedback.judge_message() or word.message,
            team_message=self._feedback.team_message(),
            score=word.score if score is None else score,
            multiplier=multiplier,
        )

    def failure(self, case: TestCase, outcome: Outcome, other: OtherSide | None = None) -> PackageError:
        """Explain to the setter a run without a judgement."""
        rule = Sentence("it must exit with 42 (accept) or 43 (reject)")
        if self._is_testlib:
            rule = Sentence(
                "by its testlib.h it must exit with 0 (accept), 1 or 2 (reject), or 7 for points of a scoring problem"
            )
        return self._blame(joined([_what_failed(case, outcome, other), rule]))

    def stderr(self) -> str:
        """Return the stderr of the last run."""
        return read_words(self._stderr)

    def _blame(self, why: Sentence) -> PackageError:
        words = [text for text in (self._feedback.judge_message(), self.stderr()) if text]
        validator = self._package.output_validator
        return PackageError(validator.path.name if validator else "", "", joined([why, *words], "\n"))

    def _stage(self, name: str, source: Path) -> None:
        staged = self._folder / "stage" / name
        shutil.copyfile(source, staged)
        staged.chmod(0o644)

    @property
    def _stderr(self) -> Path:
        return self._folder / "validator.err"


def _what_failed(case: TestCase, outcome: Outcome, other: OtherSide | None) -> Sentence:
    """Return how the validator ended without a judgement, as half a sentence."""
    if outcome.ending is not Ending.EXITED:
        return _failed(case, brief(end_of(outcome)) or outcome.ending.value, other)
    words = {"code": str(outcome.exit_code), "case": case.name}
    if other is None:
        return Sentence("the checker exited with %(code)s on %(case)s", **words)
    if other is SILENT:
        return Sentence(
            "the checker exited with %(code)s on %(case)s with a submission that ends without a word", **words
        )
    if other.ended is None:
        return Sentence("the checker exited with %(code)s on %(case)s while the submission was running", **words)
    words["ended"] = other.ended
    return Sentence("the checker exited with %(code)s on %(case)s after the submission had ended (%(ended)s)", **words)


def _failed(case: TestCase, detail: str, other: OtherSide | None) -> Sentence:
    words = {"detail": detail, "case": case.name}
    if other is None:
        return Sentence("the checker failed: %(detail)s on %(case)s", **words)
    if other is SILENT:
        return Sentence(
            "the checker failed: %(detail)s on %(case)s with a submission that ends without a word", **words
        )
    if other.ended is None:
        return Sentence("the checker failed: %(detail)s on %(case)s while the submission was running", **words)
    words["ended"] = other.ended
    return Sentence("the checker failed: %(detail)s on %(case)s after the submission had ended (%(ended)s)", **words)


@contextmanager
def open_validator(
    package: Package, sandbox: Sandbox, work_root: Path, cpu: int | None = None
) -> Iterator[OpenValidator]:
    """Prepare the package's output validator on the core `cpu`.

    Raises PackageError when it does not compile, SandboxError.
    """
    if package.output_validator is None:
        raise ValueError("the package has no output validator")
    with fresh_folder(work_root, "check-") as folder:
        compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=cpu)
        headers = dict(package.included.get("cpp", ()))
        built = build_program(package.output_validator, package.limits, compiler, folder, headers, is_output=True)
        stage = folder / "stage"
        stage.mkdir()
        stage.chmod(0o755)
        spec = built.executable.jail(Mount(source=stage, target=_STAGE, is_live=True), cpu=cpu)
        if package.most_passes > 1:
            spec = replace(spec, image=Image.TOOLS)  # for the shell of _GO_ON
        with sandbox.open_jail(spec) as jail:
            yield OpenValidator(package, built, jail, folder)


def validation_limits(limits: ProblemLimits) -> Limits:
    """Return the limits of one run of an output validator."""
    return Limits(
        cpu_time_ms=limits.validation_time_ms,
        wall_time_ms=limits.validation_time_ms * 3 // 2,
        memory_bytes=limits.validation_memory_bytes,
        output_bytes=limits.validation_output_bytes,
        stderr_bytes=limits.validation_output_bytes,
        processes=limits.processes,
        scratch_bytes=_SCRATCH_BYTES,
    )


def build_program(
    program: PackageProgram,
    limits: ProblemLimits,
    compiler: Compiler,
    folder: Path,
    headers: Mapping[str, Path] | None = None,
    *,
    is_output: bool,
) -> BuiltProgram:
    """Compile a program of the package in `folder`/validator; `is_output` tells messages which validator it is.

    Raises PackageError when it does not compile, SandboxError.
    """
    build = folder / "validator"
    build.mkdir()
    build.chmod(0o711)
    files = files_of(program, headers)
    compilation = compile_files(program, files, compiler, compile_limits(limits), build)
    if compilation.executable is None:
        name = program.name or program.path.name
        why = Sentence("the input validator does not compile:\n%(message)s", message=compilation.words)
        if is_output:
            why = Sentence("the checker does not compile:\n%(message)s", message=compilation.words)
        raise PackageError(name, "", why)
    is_testlib = program.language == "cpp" and testlib.is_original(files)
    return BuiltProgram(executable=compilation.executable, is_testlib=is_testlib)


def files_of(program: PackageProgram, headers: Mapping[str, Path] | None = None) -> dict[str, bytes]:
    """Return all files of a program by name, the entry first, with the package's constants replaced.

    One that includes testlib.h and does not bring it gets the one that lies beside it, or else that of `headers`.
    Raises PackageError when they are more than memory should hold.
    """
    root = program.path if program.path.is_dir() else program.path.parent
    paths = sorted(path for path in root.rglob("*") if path.is_file()) if program.path.is_dir() else [program.path]
    named = {path.relative_to(root).as_posix(): path for path in paths}
    order = sorted(named, key=lambda name: name != program.entry)
    files: dict[str, bytes] = {}
    for name in order:
        _add(files, name, named[name], program)
    if testlib.HEADER not in files and testlib.includes_header(files):
        beside = root / testlib.HEADER
        header = beside if beside.is_file() else (headers or {}).get(testlib.HEADER)
        if header is not None:
            _add(files, testlib.HEADER, header, replace(program, constants={}))
    return files


def _add(files: dict[str, bytes], name: str, path: Path, program: PackageProgram) -> None:
    room = MOST_BYTES - sum(map(len, files.values()))
    content = replaced(path.read_bytes(), program.constants) if path.stat().st_size <= room else None
    if content is None or len(content) > room:
        why = Sentence("has more than %(most)s MiB in its files", most=MOST_BYTES // MIB)
        raise PackageError(program.name or program.path.name, "", why)
    files[name] = content


def compile_files(
    program: PackageProgram, files: dict[str, bytes], compiler: Compiler, limits: Limits, folder: Path
) -> Compilation:
    """Compile the files of a program of the package (`files_of`) in the folder. Raises SandboxError."""
    if program.language == "script":
        return build_script(files, compiler, limits, folder)
    return compiler.compile(several_files(LANGUAGES[program.language], files), limits, folder)
