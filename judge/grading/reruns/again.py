"""What the reruns of a case have in common: running it once more, why there is nothing to show, the student's file."""

from pathlib import Path

from judge.grading.checkers.validators import open_validator
from judge.grading.events import GradingJob
from judge.grading.languages import language_by_id
from judge.grading.running.execution import Program, blaming_package, doubt_about_measurement
from judge.grading.running.interaction import Conversation
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.jail.doubt import repeated
from sandbox.types import Outcome, Sandbox

PACKAGE_IS_BROKEN = gettext_noop("The problem's package is broken.")
NO_TOOL = gettext_noop("The lines cannot be named: addr2line is missing on this judge.")
UNREADABLE = gettext_noop("The lines cannot be named: what the program or its compiler left cannot be read.")


class NothingToShow(Exception):
    """Why a rerun shows nothing: the message is a sentence for the student, in English until it is shown."""


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
            lambda: program.jail.run(program.command(case, is_batch=True), program.run_limits),
            doubt_about_measurement,
        )


def students_file(job: GradingJob) -> str:
    """Return the file whose lines count; of several files it is the one shown."""
    return job.files[0][0] if job.files else language_by_id(job.language).source_name


def is_replaced(job: GradingJob) -> bool:
    """Return whether a file of the package's own stands in the place of the student's, so that no line is theirs."""
    return students_file(job) in dict(job.package.included.get(job.language, ()))
