"""Line costs: attribute the writes of one case to the source lines that caused them.

How it works: the program is compiled once more with line information and runs the case once more, with more time than
the limit. A preload (`sandbox/native/preloads/lines.c`) notes for each write of a C++ or Rust program the calls that
led to it, and the bounded reader finds the innermost of them that lies in the student's file; what the compiler inlined
counts as if it had not. A Python program is run by `judge.grading.reruns.line_runner`, which notes the line itself.
`Runtime.line_costs` has the way of each runtime. A write counts for the statement that made the buffer full or flushed
it, in the innermost function of the student's own. Where the optimiser turned a function's last call into a jump, that
function is gone, and its caller's line is named: g++ is told not to (`Language.call_flags`), rustc cannot be;
`println!` and a flush whose result is looked at are no such calls.

What no line can be named for is told as such: above all what is written out when the program ends. Together they are
what the kernel counted of this run. A program can write into the table of its own run; a table that says more than the
kernel is not shown.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.grading.bounded import reader_in
from judge.grading.checkers.validators import open_validator
from judge.grading.compiling.compilation import Executable
from judge.grading.events import GradingJob, LineCost, LineCosts
from judge.grading.languages import PROGRAM_FOLDER
from judge.grading.reruns.again import (
    NO_PROGRAM_WITH_LINES,
    NO_TOOL,
    UNREADABLE,
    NothingToShow,
    compiled,
    is_linked_statically,
    of_a_case,
    starting,
)
from judge.grading.reruns.patient import run_patiently
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from judge.grading.running.interaction import Conversation
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.meter.tables import WRITES
from sandbox.types import MIB, Ending, Limits, Outcome, Sandbox

_MORE_MEMORY_BYTES = 32 * MIB  # for the table and the information on unwinding
READER_LIMITS = Limits(
    cpu_time_ms=10_000, wall_time_ms=20_000, memory_bytes=1_024 * MIB, output_bytes=4 * MIB, overrun_percent=0
)
_TALKING_OVERRUN_PERCENT = 200  # in a conversation the wall limit stays: the interactor waits too

SEVERAL_PASSES = gettext_noop("A case of several passes is not counted by line: each pass is a run of its own.")
_NO_START = gettext_noop("The program does not start, so there is nothing to count.")
_STATIC = gettext_noop("The program is linked statically, so its writes cannot be followed.")
_NO_TRACE = gettext_noop(
    "The run left no table of its writes that can be trusted. A program causes this if it removes files of its working "
    "folder, or starts as no other program of this judge does."
)
_MORE_THAN_THERE_WERE = gettext_noop(
    "The table of its writes says more than the kernel counted, so it is not shown. A program causes this if it leaves "
    "processes behind without waiting for them."
)


@of_a_case
def measure_line_costs(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> LineCosts:
    """Run one case again and count its writes by line."""
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    with compiled(job, sandbox, work_root, problem=NO_PROGRAM_WITH_LINES, with_lines=True, keeps_calls=True) as (
        executable,
        folder,
    ):
        trace = executable.runtime.line_costs
        if trace is None:
            raise NothingToShow(_NO_TRACE)
        if trace.runner is None and is_linked_statically(executable.started_file):
            raise NothingToShow(_STATIC)
        traced = executable
        if trace.runner:  # lines are the student's: the program may be the package's `__main__.py` that imports them
            place = executable.mount.source / f".{trace.runner.name}"
            place.write_bytes(trace.runner.read_bytes())
            place.chmod(0o644)
            traced = executable.with_flags(f"{PROGRAM_FOLDER}/{place.name}", f"{PROGRAM_FOLDER}/{job.students_file}")
        with open_program(job, traced, sandbox, folder) as program:
            outcome = _run(job, case, program, sandbox, work_root)
        if WRITES not in outcome.collected:
            raise NothingToShow(_NO_TRACE)
        reader = reader_in(sandbox, work_root, job.cpu)
        answer = read_table("line_costs", job, program.writes_table, executable, reader, without=_NO_TRACE)
    lines, io = answer["lines"], outcome.io
    if sum(writes for _, writes, _ in lines) > io.write_calls or sum(size for _, _, size in lines) > io.write_bytes:
        raise NothingToShow(_MORE_THAN_THERE_WERE)
    costs = [LineCost(line=line, writes=writes, bytes=size) for line, writes, size in lines if line and writes]
    return LineCosts(
        lines=tuple(sorted(costs, key=lambda cost: (-cost.writes, -cost.bytes, cost.line))),
        elsewhere=io.write_calls - sum(cost.writes for cost in costs),
        sampled_every=answer["sampled_every"],
        is_whole=outcome.ending is Ending.EXITED,
    )


def _run(job: GradingJob, case: TestCase, program: Program, sandbox: Sandbox, work_root: Path) -> Outcome:
    limits = replace(program.limits, memory_bytes=program.limits.memory_bytes + _MORE_MEMORY_BYTES)
    traced = replace(program, limits=limits, traces_writes=True)
    with starting(program.executable, _NO_START):
        if job.package.is_interactive:
            patient = replace(traced, overrun_percent=_TALKING_OVERRUN_PERCENT)
            with open_validator(job.package, sandbox, work_root, job.cpu) as interactor:
                return Conversation(patient, interactor).run(case).outcome
        return run_patiently(job, traced, case).outcome


def read_table(
    part: str,
    job: GradingJob,
    table: Path,
    executable: Executable,
    reader: Reader,
    *,
    without: str = UNREADABLE,
    limits: Limits = READER_LIMITS,
) -> dict[str, Any]:
    """Return that part of what `judge.grading.reading.binaries` says. Raises NothingToShow, `without` of no table."""
    last = job.source.count(b"\n") + 1
    reading = Reading(
        module="judge.grading.reading.binaries",
        arguments=(part, executable.product_path or "-", f"{PROGRAM_FOLDER}/{job.students_file}", str(last)),
        stdin=table,
        mounts=(executable.mount,) if executable.product_path else (),
        limits=limits,
    )
    try:
        answer: Any = reader.read(reading)
    except CannotBeRead as error:
        raise NothingToShow(UNREADABLE) from error
    match answer.get("problem"):
        case None:
            return dict(answer)
        case "no table":
            raise NothingToShow(without)
        case "no tool":
            raise NothingToShow(NO_TOOL)
        case _:
            raise NothingToShow(UNREADABLE)
