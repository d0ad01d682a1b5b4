"""Check outputs: the default validator runs here, a package's own output validator in its own jail."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from judge.checkers.default_validator import find_difference
from judge.checkers.validators import OpenValidator, open_validator
from judge.execution import blaming_package
from judge.verdicts import Judgement
from problems.flags import parse_flags
from problems.package import Package, TestCase
from sandbox.types import Sandbox


class Checker(Protocol):
    """Judges outputs of one submission, one after the other."""

    @property
    def next_input(self) -> Path | None:
        """The next pass's input from the last judgement; None if there is none."""
        ...

    def check(self, case: TestCase, output: Path, *, goes_on: bool = False) -> Judgement:
        """Judge one output; `goes_on`: it is a further pass over the last case.

        Raises PackageError when the package's validator failed, SandboxError when we did.
        """
        ...


@contextmanager
def open_checker(package: Package, sandbox: Sandbox, work_root: Path, cpu: int | None = None) -> Iterator[Checker]:
    """Prepare the package's checker on the core `cpu`. Raises PackageError when it does not compile."""
    if package.output_validator is None:
        yield DefaultChecker()
        return
    with open_validator(package, sandbox, work_root, cpu) as validator:
        yield ValidatorChecker(validator)


class DefaultChecker:
    """The format's default output validator."""

    next_input: Path | None = None

    def check(self, case: TestCase, output: Path, *, goes_on: bool = False) -> Judgement:
        """Compare with the answer, token by token."""
        difference = find_difference(case.answer, output, parse_flags(case.validator_args))
        return Judgement(is_accepted=difference is None, message=difference or "")


class ValidatorChecker:
    """A package's own output validator."""

    def __init__(self, validator: OpenValidator) -> None:
        self._validator = validator

    @property
    def next_input(self) -> Path | None:
        """The validator's input for the next pass."""
        return self._validator.next_input

    def check(self, case: TestCase, output: Path, *, goes_on: bool = False) -> Judgement:
        """Run the validator on one output."""
        validator = self._validator
        with blaming_package(case):
            outcome = validator.jail.run(validator.command(case, stdin=output, goes_on=goes_on), validator.limits)
        judgement = validator.judgement(case, outcome)
        if judgement is None:
            raise validator.failure(case, outcome)
        return judgement
