"""What the reruns of a case have in common: running it once more, and why there is nothing to show."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TypeVar

from judge.grading.checkers.checking import blaming_package
from judge.grading.checkers.validators import open_validator
from judge.grading.compiling.compilation import Executable
from judge.grading.events import GradingJob, RerunEnded
from judge.grading.running.execution import Program, doubt_about_measurement
from judge.grading.running.interaction import Conversation
from problems.package import PackageError, TestCase
from problems.translation import gettext_noop
from sandbox.errors import CommandError
from sandbox.jail.doubt import repeated
from sandbox.types import Outcome, Sandbox

Result = TypeVar("Result")

PACKAGE_IS_BROKEN = gettext_noop("The problem's package is broken.")
NO_TOOL = gettext_noop("The lines cannot be named: addr2line is missing on this judge.")
UNREADABLE = gettext_noop("The lines cannot be named: what the program or its compiler left cannot be read.")


class NothingToShow(Exception):
    """Why a rerun shows nothing: the message is a sentence for the student, in English until it is shown."""


def of_a_case(
    rerun: Callable[[GradingJob, TestCase, Sandbox, Path], Result],
) -> Callable[[GradingJob, str, Sandbox, Path], RerunEnded[Result]]:
    """Turn a function of a test case into one of its name, which tells why there is nothing to show.

    That raises SandboxError, and KeyError for an unknown case.
    """

    @wraps(rerun)
    def by_name(job: GradingJob, case_name: str, sandbox: Sandbox, work_root: Path) -> RerunEnded[Result]:
        case = {case.name: case for case in job.package.test_cases}[case_name]
        try:
            return RerunEnded(name=case_name, result=rerun(job, case, sandbox, work_root))
        except NothingToShow as reason:
            return RerunEnded(name=case_name, result=None, problem=str(reason))
        except PackageError:
            return RerunEnded(name=case_name, result=None, problem=PACKAGE_IS_BROKEN)

    return by_name


@contextmanager
def starting(executable: Executable, problem: str) -> Iterator[None]:
    """Wrap runs of a program. Raises NothingToShow with this problem when the kernel cannot execute what its compiler
    made; CommandError, which is ours, when the runtime itself does not start.
    """
    try:
        yield
    except CommandError as error:
        if executable.runtime.starts_product:
            raise NothingToShow(problem) from error
        raise


def run_as_judged(job: GradingJob, case: TestCase, program: Program, sandbox: Sandbox, work_root: Path) -> Outcome:
    """Run a case within its own limits, in a conversation with its interactor; check nothing.

    Raises CommandError when the program does not start, PackageError, SandboxError.
    """
    if job.package.is_interactive:
        with open_validator(job.package, sandbox, work_root, job.cpu) as interactor:
            talks = Conversation(program, interactor)
            return repeated(lambda: talks.run(case).outcome, doubt_about_measurement)
    with blaming_package(case):
        return repeated(
            lambda: program.jail.run(program.command(case, is_batch=True), program.run_limits), doubt_about_measurement
        )
