"""Whether a program never ends: run a case again and look whether its whole state repeats.

How it works: the program runs for half as long as it took when it was judged, or half of its time limit. Then a
compiled one is traced from outside of the jail (`sandbox.meter.states`): registers and memory are noted, and compared
each time that it comes to the same instruction. It is compiled once more with line information, so that its code is
that of the judged run, and the bounded reader finds the line. A Python program runs under `endless_runner.py`, which
compares its variables at each visit of a line. Whatever could make a difference later and is not compared (threads,
clocks, chance, input that is still to come) ends the search, and nothing is claimed.
"""

import struct
from pathlib import Path

from judge.grading.bounded import reader_in
from judge.grading.compiling.compilation import Executable
from judge.grading.events import GradingJob, StatesSeen
from judge.grading.languages import PROGRAM_FOLDER
from judge.grading.reruns.again import NO_PROGRAM_WITH_LINES, UNREADABLE, NothingToShow, compiled, of_a_case, starting
from judge.grading.reruns.line_costs import READER_LIMITS, read_table
from judge.grading.reruns.patient import run_patiently
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.errors import MeterUnavailable
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.types import Collect, Ending, Frames, Sandbox, StateRepeated, StateSearch, StatesUnknown

_RUNNER = Path(__file__).parent / "endless_runner.py"
_ANSWER, _MAGIC, _SEEN = ".tally-states", b"tstates1", struct.Struct("=8s4Q")  # endless_runner.py has the same
_MOST_COUNTED = 1 << 32
_SHORTEST_MS, _LONGEST_MS = 20, 2_000  # that the program runs before it is looked at
MOST_SEARCHED_MS = 2_500  # in each of two tries

SEVERAL_PASSES = gettext_noop("A case of several passes is not looked at: each pass is a run of its own.")
ENDED = gettext_noop("It came to its end this time, so it does end.")
OTHERS_TAKE_PART = gettext_noop(
    "Whether it ever ends is not known: a clock, chance, a signal, or another thread or process may take part."
)
NOT_REPEATED = gettext_noop(
    "Its state did not repeat as long as it was looked at. It may still never end: a number that grows does not repeat."
)
NOT_LOOKED_AT = gettext_noop("This judge cannot look at the state of this program.")
_NO_START = gettext_noop("The program does not start, so there is nothing to look at.")
_REASONS: dict[StatesUnknown | None, str] = {
    StatesUnknown.ENDED: ENDED,
    StatesUnknown.TIME: NOT_REPEATED,
    **dict.fromkeys(
        (
            StatesUnknown.CALLS,
            StatesUnknown.CLOCK,
            StatesUnknown.TIMER,
            StatesUnknown.SIGNAL,
            StatesUnknown.PROCESSES,
            StatesUnknown.SHARED,
        ),
        OTHERS_TAKE_PART,
    ),
}


@of_a_case
def search_states(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> StatesSeen:
    """Rerun one case and look whether its state repeats."""
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    with compiled(job, sandbox, work_root, problem=NO_PROGRAM_WITH_LINES, with_lines=True) as (executable, folder):
        if executable.runtime.line_times is Frames.PYTHON:
            return _of_python(job, case, executable, sandbox, folder)
        with open_program(job, executable, sandbox, folder) as program, starting(executable, _NO_START):
            reader = reader_in(sandbox, work_root, job.cpu)
            return _traced(job, case, program, reader)


def _half_ms(job: GradingJob) -> int:
    half_ms = (job.judged_wall_us // 1_000 or job.package.limits.time_limit_ms) // 2
    return min(max(half_ms, _SHORTEST_MS), _LONGEST_MS)


def _of_python(job: GradingJob, case: TestCase, executable: Executable, sandbox: Sandbox, folder: Path) -> StatesSeen:
    place = executable.mount.source / f".{_RUNNER.name}"
    place.write_bytes(_RUNNER.read_bytes())
    place.chmod(0o644)
    students_file = f"{PROGRAM_FOLDER}/{job.students_file}"
    flags = (f"{PROGRAM_FOLDER}/{place.name}", students_file, str(_half_ms(job)), str(2 * MOST_SEARCHED_MS))
    answer = folder / "states"
    collect = (Collect(name=_ANSWER, target=answer, max_bytes=_SEEN.size),)
    with open_program(job, executable.with_flags(*flags), sandbox, folder) as program:
        outcome = run_patiently(job, program, case, collect=collect).outcome
    content = answer.read_bytes() if _ANSWER in outcome.collected else b""
    if len(content) != _SEEN.size:
        raise NothingToShow(NOT_REPEATED)
    magic, line, visits, reads, writes = _SEEN.unpack(content)
    if magic != _MAGIC or not 0 < line <= job.source.count(b"\n") + 1 or max(visits, reads, writes) > _MOST_COUNTED:
        raise NothingToShow(NOT_LOOKED_AT)
    return StatesSeen(line=line, visits=visits, reads=reads, writes=writes)


def _traced(job: GradingJob, case: TestCase, program: Program, reader: Reader) -> StatesSeen:
    executable, place = program.executable, program.folder / "place"
    search = StateSearch(
        after_ms=_half_ms(job),
        most_ms=MOST_SEARCHED_MS,
        file=executable.product_path or PROGRAM_FOLDER,
        target=place,
    )
    try:
        outcome = run_patiently(job, program, case, state_search=search).outcome
    except MeterUnavailable as error:
        raise NothingToShow(NOT_LOOKED_AT) from error
    states = outcome.states
    if not isinstance(states, StateRepeated):
        is_stopped = states is StatesUnknown.ENDED and outcome.ending is not Ending.EXITED
        raise NothingToShow(NOT_REPEATED if is_stopped else _REASONS.get(states, NOT_LOOKED_AT))
    line = _line_of(job, place, executable, reader)
    return StatesSeen(line=line, visits=states.visits, reads=states.reads, writes=states.writes)


def _line_of(job: GradingJob, place: Path, executable: Executable, reader: Reader) -> int:
    chain = place.with_name("chain")
    unwinding = Reading(
        module="sandbox.unwinding",
        arguments=(executable.product_path or "-",),
        stdin=place,
        mounts=(executable.mount,),
        limits=READER_LIMITS,
    )
    try:
        reader.read_to(chain, unwinding)
    except CannotBeRead as error:
        raise NothingToShow(UNREADABLE) from error
    return int(read_table("state_line", job, chain, executable, reader)["line"])
