"""What the reruns of a case have in common: compiling and running it once more, and why there is nothing to show."""

import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TypeVar

from judge.grading.checkers.checking import blaming_package
from judge.grading.checkers.validators import open_validator
from judge.grading.compiling.compilation import Compiler, Executable
from judge.grading.events import GradingJob, RerunEnded
from judge.grading.running.execution import Program, doubt_about_measurement
from judge.grading.running.interaction import Conversation
from judge.grading.submission.grading import compile_job
from problems.package import PackageError, TestCase
from problems.translation import gettext_noop
from sandbox.errors import CommandError
from sandbox.jail.doubt import repeated
from sandbox.types import Outcome, Sandbox
from sandbox.workdir import fresh_folder

Result = TypeVar("Result")

_MAGIC_64_LITTLE = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT_BYTES = 56  # of a program header
_MOST_SEGMENTS = 64  # a linker makes about a dozen
_INTERPRETER = 3  # PT_INTERP: names the dynamic linker

PACKAGE_IS_BROKEN = gettext_noop("The problem's package is broken.")
NO_TOOL = gettext_noop("The lines cannot be named: addr2line is missing on this judge.")
UNREADABLE = gettext_noop("The lines cannot be named: what the program or its compiler left cannot be read.")
NO_PROGRAM = gettext_noop("The program could not be compiled once more. You may ask again.")
NO_PROGRAM_WITH_LINES = gettext_noop(
    "The program could not be compiled once more, with the information that lines need. You may ask again."
)


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
def compiled(
    job: GradingJob,
    sandbox: Sandbox,
    work_root: Path,
    *,
    problem: str = NO_PROGRAM,
    with_lines: bool = False,
    keeps_calls: bool = False,
    with_counts: bool = False,
) -> Iterator[tuple[Executable, Path]]:
    """Provide the program, compiled once more (`compile_job`), and a folder. Raises NothingToShow with this problem."""
    with fresh_folder(work_root, "rerun-") as folder:
        compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu)
        executable = compile_job(
            job, compiler, folder, with_lines=with_lines, keeps_calls=keeps_calls, with_counts=with_counts
        ).executable
        if executable is None:
            raise NothingToShow(problem)
        yield executable, folder


def is_linked_statically(path: Path) -> bool:
    """Return whether no library can be preloaded, because the file names no dynamic linker. Raises OSError.

    Reads a few KiB, whatever the file says. Source: elf(5).
    """
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(_MAGIC_64_LITTLE):
            return True
        fields = _HEADER.unpack(head)
        offset, size, number = fields[5], fields[9], fields[10]
        if size != _SEGMENT_BYTES or offset > path.stat().st_size:
            return True
        file.seek(offset)
        table = file.read(_SEGMENT_BYTES * min(number, _MOST_SEGMENTS))
    starts = range(0, len(table) - 3, _SEGMENT_BYTES)
    return all(struct.unpack_from("<I", table, start)[0] != _INTERPRETER for start in starts)


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
