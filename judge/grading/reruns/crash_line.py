"""Crash lines: the line of the student's source where a signal ended a compiled program.

How it works: the program is compiled once more with line information, so that its code is that of the judged run, and
runs the case once more within its own limits. A preload (`sandbox/native/preloads/ending.c`) notes the calls in which a
signal ends it, and `judge.grading.reading.binaries.crash_line` finds the innermost of them that lies in the student's
file. After an exception that nothing catches, that is the line of the throw, or of the call into the library that
threw.

A line is told only if the run ended by the same signal as the table says. The table is the program's to write into: it
can name a line of its own source, and nothing else.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.grading.bounded import reader_in
from judge.grading.compiling.compilation import Compiler, Executable
from judge.grading.events import GradingJob
from judge.grading.languages import PROGRAM_FOLDER, language_by_id
from judge.grading.reruns.again import NO_TOOL, UNREADABLE, NothingToShow, of_a_case, run_as_judged
from judge.grading.reruns.line_costs import READER_LIMITS
from judge.grading.reruns.linking import is_linked_statically
from judge.grading.reruns.reasons import is_locatable
from judge.grading.running.cases import open_program
from judge.grading.students_file import students_file
from judge.grading.submission.grading import compile_job
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.errors import CommandError
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.meter.ending import TABLE
from sandbox.types import MIB, Sandbox
from sandbox.workdir import fresh_folder

_MORE_MEMORY_BYTES = 32 * MIB  # for the information on unwinding

_NO_LINE = gettext_noop("The line where the program ended is not known: no call of your source was found there.")
_OTHERWISE = gettext_noop("The line where the program ended is not known: it ended in another way when it ran again.")
_STATIC = gettext_noop("The program is linked statically, so the line where it ended is not known.")
_NO_PROGRAM = gettext_noop(
    "The program could not be compiled once more, with the information that lines need. You may ask again."
)


@of_a_case
def locate_crash(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> int:
    """Run one case again and find the line of the source where it ends."""
    if not is_locatable(language_by_id(job.language)):
        raise NothingToShow(_NO_LINE)
    with fresh_folder(work_root, "crash-") as folder:
        compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu)
        executable = compile_job(job, compiler, folder, with_lines=True).executable
        if executable is None:
            raise NothingToShow(_NO_PROGRAM)
        if is_linked_statically(executable.started_file):
            raise NothingToShow(_STATIC)
        with open_program(job, executable, sandbox, folder) as program:
            limits = replace(program.limits, memory_bytes=program.limits.memory_bytes + _MORE_MEMORY_BYTES)
            traced = replace(program, limits=limits, traces_end=True)
            try:
                outcome = run_as_judged(job, case, traced, sandbox, work_root)
            except CommandError as error:
                raise NothingToShow(_OTHERWISE) from error
        if TABLE not in outcome.collected:
            raise NothingToShow(_OTHERWISE)
        place = _read(job, program.ending_table, executable, reader_in(sandbox, work_root, job.cpu))
    if place["signal"] != outcome.signal:
        raise NothingToShow(_OTHERWISE)
    if not 0 < place["line"] <= job.source.count(b"\n") + 1:
        raise NothingToShow(_NO_LINE)
    return int(place["line"])


def _read(job: GradingJob, table: Path, executable: Executable, reader: Reader) -> dict[str, Any]:
    """Return the answer of `judge.grading.reading.binaries.crash_line`. Raises NothingToShow."""
    reading = Reading(
        module="judge.grading.reading.binaries.crash_line",
        arguments=(executable.product_path, f"{PROGRAM_FOLDER}/{students_file(job)}", str(job.source.count(b"\n") + 1)),
        stdin=table,
        mounts=(executable.mount,),
        limits=READER_LIMITS,
    )
    try:
        answer: Any = reader.read(reading)
    except CannotBeRead as error:
        raise NothingToShow(UNREADABLE) from error
    match answer.get("problem"):
        case None:
            return dict(answer)
        case "no table":
            raise NothingToShow(_OTHERWISE)
        case "no tool":
            raise NothingToShow(NO_TOOL)
        case _:
            raise NothingToShow(UNREADABLE)
