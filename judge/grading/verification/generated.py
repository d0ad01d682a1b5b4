"""Generate inputs by size with the package's generator, and let its input validators judge each of them.

How it works: generator and validators are compiled first (and kept by content); each gets a jail, which stays open for
all sizes. The generator's argument is the size, its stdout the input; there is one file, which each size replaces. An
input counts only if every validator accepts it, with the arguments that it has for the problem's largest input.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.case_ending import end_of
from judge.grading.checkers.feedback import read_excerpt
from judge.grading.checkers.validators import compile_files, files_of, validation_limits
from judge.grading.compiling.compilation import Compiler, compile_limits
from judge.grading.ending_words import brief
from judge.grading.explain.evidence.shapes import Shapes, numbers_of, shape_of
from judge.grading.verification.validation import OpenInputValidator, build_validator, name_of, open_input_validator
from problems.package import Package, PackageError, TestCase
from problems.translation import Sentence
from sandbox.types import Command, Ending, Jail, Limits, Sandbox

OCTAVE = 4  # steps of the ladder of sizes, from a power of two to the next
WHOLE_STEPS = range(0, 24 * OCTAVE + 1, OCTAVE)  # the powers of two, up to 16 million
LONGEST_MS = 10_000  # of CPU time, for generating one input and for each validator: somebody waits
_WORDS_BYTES = 400


def size_at(step: int) -> int:
    """Return the size at a step of the ladder."""
    return round(2 ** (step / OCTAVE))


@dataclass(frozen=True, kw_only=True, slots=True)
class Generated:
    """The result for one size: a case without an answer, or None and the reason, for the setter.

    `size`: of the input, as growth counts it (`judge.grading.explain.evidence.shapes.numbers_of`).
    """

    case: TestCase | None
    size: int = 0
    why: str = ""


def largest_case(package: Package) -> TestCase:
    """Return the test case with the largest input, a secret one if there is a choice."""
    return max(package.test_cases, key=lambda case: (case.input.stat().st_size, not case.is_sample))


class InputGenerator:
    """The generator and the validators of one package in their open jails."""

    def __init__(self, package: Package, argv: tuple[str, ...], jail: Jail, limits: Limits, folder: Path) -> None:
        self._argv = argv
        self._jail = jail
        self._limits = limits
        self._folder = folder
        self._model = largest_case(package)
        inputs = {case.name: case.input for case in package.test_cases}
        sizes = {name: path.stat().st_size for name, path in inputs.items()}
        self._are_numbers = numbers_of(sizes, Shapes(inputs)) is not None
        self.validators: list[OpenInputValidator] = []

    def make(self, size: int) -> Generated:
        """Return the input of this size, which lies there until the next one. Raises SandboxError."""
        out, err = self._folder / "input", self._folder / "stderr"
        for path in (out, err):
            path.unlink(missing_ok=True)
        outcome = self._jail.run(Command(argv=(*self._argv, str(size)), stdout=out, stderr=err), self._limits)
        if outcome.ending is not Ending.EXITED:
            return Generated(case=None, why=brief(end_of(outcome)) or outcome.ending.value)
        if outcome.exit_code != 0:
            words = read_excerpt(err, _WORDS_BYTES).decode("utf-8", "replace").strip()
            why = Sentence("exit code %(code)s %(words)s", code=str(outcome.exit_code), words=words)
            return Generated(case=None, why=why)
        case = replace(self._model, name=f"size/{size}", input=out, is_sample=False, digest="")
        for validator in self.validators:
            opinion = validator.ask(case)
            if not opinion.is_accepted:
                words = Sentence("%(validator)s: %(words)s", validator=validator.name, words=opinion.words)
                return Generated(case=None, why=words)
        number = shape_of(out).number if self._are_numbers else out.stat().st_size
        if number is None:
            return Generated(case=None, why=Sentence("is not one line of numbers, as the test cases are"))
        return Generated(case=case, size=number)


@contextmanager
def open_generator(
    package: Package, sandbox: Sandbox, work_root: Path, folder: Path, cpu: int | None = None
) -> Iterator[InputGenerator]:
    """Open the package's generator on the core `cpu`; `folder` is new, and private to the caller.

    Raises PackageError when a program does not compile, SandboxError.
    """
    program = package.growth_generator
    if program is None:
        raise ValueError("the package has no generator of inputs by size")
    compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=cpu)
    limits = replace(package.limits, validation_time_ms=min(package.limits.validation_time_ms, LONGEST_MS))
    for directory in (folder, folder / "program"):
        directory.mkdir()
        directory.chmod(0o711)
    headers = dict(package.included.get("cpp", ()))
    compilation = compile_files(
        program, files_of(program, headers), compiler, compile_limits(package.limits), folder / "program"
    )
    if compilation.executable is None:
        why = Sentence("does not compile:\n%(message)s", message=compilation.words)
        raise PackageError(name_of(program), "", why)
    executable = compilation.executable
    built = [
        build_validator(validator, limits, compiler, folder / f"validator{number}")
        for number, validator in enumerate(package.input_validators)
    ]
    run_limits = validation_limits(limits)
    with ExitStack() as stack:
        jail = stack.enter_context(sandbox.open_jail(executable.jail(cpu=cpu)))
        argv = executable.argv(run_limits.memory_bytes)
        generator = InputGenerator(package, argv, jail, executable.within(run_limits), folder)
        for validator in built:
            if validator is not None:
                opened = open_input_validator(validator, limits, sandbox, cpu)
                generator.validators.append(stack.enter_context(opened))
        yield generator
