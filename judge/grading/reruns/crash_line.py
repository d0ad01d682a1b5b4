"""Crash lines: the line of the student's source where a signal ended a compiled program.

How it works: the program is compiled once more with line information, so that its code is that of the judged run, and
runs the case once more within its own limits. A preload (`sandbox/native/preloads/ending.c`) notes the calls in which a
signal ends it, and `judge.grading.reading.binaries` finds the innermost of them that lies in the student's file. After
an exception that nothing catches, that is the line of the throw, or of the call into the library that threw.

A line is told only if the run ended by the same signal as the table says. The table is the program's to write into: it
can name a line of its own source, and nothing else.
"""

from dataclasses import replace
from pathlib import Path

from judge.grading.bounded import reader_in
from judge.grading.events import GradingJob
from judge.grading.languages import language_by_id
from judge.grading.reruns.again import (
    NO_PROGRAM_WITH_LINES,
    NothingToShow,
    compiled,
    is_linked_statically,
    of_a_case,
    run_as_judged,
)
from judge.grading.reruns.line_costs import read_table
from judge.grading.reruns.reasons import is_locatable
from judge.grading.running.cases import open_program
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.errors import CommandError
from sandbox.meter.tables import END
from sandbox.types import MIB, Sandbox

_MORE_MEMORY_BYTES = 32 * MIB  # for the information on unwinding

_NO_LINE = gettext_noop("The line where the program ended is not known: no call of your source was found there.")
_OTHERWISE = gettext_noop("The line where the program ended is not known: it ended in another way when it ran again.")
_STATIC = gettext_noop("The program is linked statically, so the line where it ended is not known.")


@of_a_case
def locate_crash(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> int:
    """Run one case again and find the line of the source where it ends."""
    if not is_locatable(language_by_id(job.language)):
        raise NothingToShow(_NO_LINE)
    with compiled(job, sandbox, work_root, problem=NO_PROGRAM_WITH_LINES, with_lines=True) as (executable, folder):
        if is_linked_statically(executable.started_file):
            raise NothingToShow(_STATIC)
        with open_program(job, executable, sandbox, folder) as program:
            limits = replace(program.limits, memory_bytes=program.limits.memory_bytes + _MORE_MEMORY_BYTES)
            traced = replace(program, limits=limits, traces_end=True)
            try:
                outcome = run_as_judged(job, case, traced, sandbox, work_root)
            except CommandError as error:
                raise NothingToShow(_OTHERWISE) from error
        if END not in outcome.collected:
            raise NothingToShow(_OTHERWISE)
        reader = reader_in(sandbox, work_root, job.cpu)
        place = read_table("crash_line", job, program.ending_table, executable, reader, without=_OTHERWISE)
    if place["signal"] != outcome.signal:
        raise NothingToShow(_OTHERWISE)
    if not 0 < place["line"] <= job.source.count(b"\n") + 1:
        raise NothingToShow(_NO_LINE)
    return int(place["line"])
