"""Is the output right? The default validator decides here, a package's own output validator in a jail of its own.

How it works: the validator is compiled once (C++ is cached by content) and its jail stays open for all test cases of a
submission. Input and answer of the case are copied to a folder that this jail shows at /stage; the submission's output
is the validator's stdin; the feedback folder is made in the scratch and its message carried out afterwards.

Source: "Output validators" in the ICPC/Kattis problem package format: `validator INPUT ANSWER FEEDBACKDIR/ [args]`,
exit 42 accepts, 43 rejects, anything else is the setter's fault.
"""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from judge.compilation import Compiler, Executable, readable
from judge.default_validator import find_difference
from judge.execution import read_excerpt
from judge.languages import BOX
from judge.validators import build_validator
from problems.flags import ValidatorFlags, parse_flags
from problems.package import Package, PackageError, ProblemLimits, TestCase
from sandbox.types import MIB, Collect, Command, Ending, Jail, JailSpec, Limits, Mount, Outcome, Sandbox
from sandbox.workdir import fresh_folder

_ACCEPTED, _REJECTED = 42, 43
_STAGE = "/stage"
_FEEDBACK = "feedback"
_MESSAGE = f"{_FEEDBACK}/judgemessage.txt"
_MESSAGE_BYTES = 16 * 1024


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """A checker's word on one output. `message` is for staff: it may quote hidden data."""

    is_accepted: bool
    message: str = ""


class Checker(Protocol):
    """Judges outputs of one submission, one after the other."""

    def check(self, case: TestCase, output: Path) -> Judgement:
        """Judge one output. Raises PackageError when the package's validator failed, SandboxError when we did."""
        ...


@contextmanager
def open_checker(package: Package, sandbox: Sandbox, work_root: Path, cpu: int | None = None) -> Iterator[Checker]:
    """The package's checker, ready for use on the core `cpu`. Raises PackageError when it does not compile."""
    if package.output_validator is None:
        yield DefaultChecker(parse_flags(package.validator_flags))
        return
    with fresh_folder(work_root, "check-") as folder:
        validator = build_validator(package, Compiler(sandbox=sandbox, work_root=work_root, cpu=cpu), folder)
        stage = folder / "stage"
        stage.mkdir()
        stage.chmod(0o755)
        spec = JailSpec(mounts=(validator.mount, Mount(source=stage, target=_STAGE)), cpu=cpu)
        with sandbox.open_jail(spec) as jail:
            yield ValidatorChecker(package, validator, jail, folder)


class DefaultChecker:
    """The format's default output validator."""

    def __init__(self, flags: ValidatorFlags) -> None:
        self._flags = flags

    def check(self, case: TestCase, output: Path) -> Judgement:
        """Compare with the answer, token by token."""
        difference = find_difference(case.answer, output, self._flags)
        return Judgement(is_accepted=difference is None, message=difference or "")


class ValidatorChecker:
    """A package's own output validator, in its open jail."""

    def __init__(self, package: Package, validator: Executable, jail: Jail, folder: Path) -> None:
        self._package = package
        self._validator = validator
        self._jail = jail
        self._folder = folder

    def check(self, case: TestCase, output: Path) -> Judgement:
        """Run the validator on one output."""
        for name, source in (("input", case.input), ("answer", case.answer)):
            staged = self._folder / "stage" / name
            shutil.copyfile(source, staged)
            staged.chmod(0o644)
        command = self._command(output)
        outcome = self._jail.run(command, validation_limits(self._package.limits))
        message = self._read(command.collect[0].target)
        if outcome.ending is Ending.EXITED and outcome.exit_code in (_ACCEPTED, _REJECTED):
            return Judgement(is_accepted=outcome.exit_code == _ACCEPTED, message=message)
        raise self._failure(case, outcome, message)

    def _command(self, output: Path) -> Command:
        message, stderr = self._folder / "judgemessage", self._folder / "validator.err"
        for path in (message, stderr):
            path.unlink(missing_ok=True)
        return Command(
            argv=(
                *self._validator.argv,
                *(f"{_STAGE}/input", f"{_STAGE}/answer", f"{BOX}/{_FEEDBACK}/"),
                *self._package.validator_flags,
            ),
            stdin=output,
            stderr=stderr,
            directories=(_FEEDBACK,),
            collect=(Collect(name=_MESSAGE, target=message, max_bytes=1 * MIB),),
        )

    def _failure(self, case: TestCase, outcome: Outcome, message: str) -> PackageError:
        how = f"exited with {outcome.exit_code}" if outcome.ending is Ending.EXITED else f"failed: {outcome.detail}"
        words = [f"the output validator {how} on {case.name}; it must exit with 42 (accept) or 43 (reject)"]
        words += [text for text in (message, self._read(self._folder / "validator.err")) if text]
        validator = self._package.output_validator
        return PackageError(validator.path.name if validator else "", "", "\n".join(words))

    def _read(self, path: Path) -> str:
        return readable(read_excerpt(path, _MESSAGE_BYTES)).strip() if path.exists() else ""


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


def check_validator(package: Package, sandbox: Sandbox, work_root: Path) -> list[PackageError]:
    """What is wrong with the package's own output validator: it must compile and accept the samples' own answers.

    A package without samples is tried on its first case. Raises SandboxError.
    """
    if package.output_validator is None:
        return []
    name = package.output_validator.path.name
    cases = [case for case in package.test_cases if case.is_sample] or list(package.test_cases[:1])
    errors = []
    try:
        with open_checker(package, sandbox, work_root) as checker:
            for case in cases:
                if not checker.check(case, case.answer).is_accepted:
                    errors.append(PackageError(name, "", f"rejects the answer file of {case.name} as an output"))
    except PackageError as error:
        errors.append(error)
    return errors
