"""Rerun a judged case with nothing of its output left in a buffer: what does buffering change in its output?

How it works: the program runs as it is and as its twin, on the same core, within more time than the limit. The twin is
the same program with the preload `sandbox/native/preloads/unbuffered.c`, and as its runtime has it
(`Runtime.unbuffered_flags`); a buffer that the program itself makes is taken off in a copy of its source
(`Language.unbuffering`). Where the two outputs differ, both run once more. Only if each wrote the same twice, and all
runs ended in the same way, can buffering be the reason. The byte counts of the two outputs tell what it did.
"""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.bounded import reader_in
from judge.grading.checkers.checking import open_checker
from judge.grading.events import BufferChange, GradingJob, UnbufferedTwin
from judge.grading.fixes import rewrite
from judge.grading.languages import language_by_id
from judge.grading.reruns.again import NothingToShow, compiled, is_linked_statically, of_a_case, starting
from judge.grading.reruns.buffered import NOT_COMPILED
from judge.grading.reruns.patient import run_patiently, same_beginning
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program
from judge.grading.verdicts import Verdict
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.types import Ending, Outcome, Sandbox

STATIC = gettext_noop("The program is linked statically, so its output cannot be unbuffered from outside.")
_NO_START = gettext_noop("The program does not start, so there is nothing to try.")
_OTHERWISE = gettext_noop(
    "The program did not end in the same way when it ran again: nothing can be said of its buffer."
)
_UNSTEADY = gettext_noop("The output changes from run to run, so nothing can be said of its buffer.")
_CHUNK_BYTES = 1 << 20
_MOST_SHOWN = 60  # characters of what was lost


@of_a_case
def rerun_unbuffered(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> UnbufferedTwin:
    """Run one case as it is and with its output unbuffered."""
    with _opened(job, sandbox, work_root) as plain, _twin_of(plain, job, sandbox, work_root) as twin:
        with starting(plain.executable, _NO_START):
            first = _run(job, plain, case, unbuffered=False)
        other = _run(job, twin, case, unbuffered=True)
        if not _ends_alike(first.outcome, other.outcome):
            raise NothingToShow(_OTHERWISE)
        change = change_between(first.output, other.output)
        if change is not BufferChange.NONE:
            for run, program in ((first, plain), (other, twin)):
                again = _run(job, program, case, unbuffered=run is other, name="again")
                if not _ends_alike(run.outcome, again.outcome) or not same_beginning(run.output, again.output)[1]:
                    raise NothingToShow(_UNSTEADY)
        with open_checker(job.package, sandbox, work_root, job.cpu) as checker:
            is_right = checker.check(case, other.output).verdict is Verdict.AC
        return UnbufferedTwin(
            change=change,
            stdout_bytes=first.outcome.stdout_bytes,
            twin_bytes=other.outcome.stdout_bytes,
            is_right=is_right,
            lost=lost_text(first.output, other.output) if case.is_sample and change is BufferChange.LOST else "",
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Run:
    """One run, and its output on the host."""

    outcome: Outcome
    output: Path


@contextmanager
def _opened(job: GradingJob, sandbox: Sandbox, work_root: Path) -> Iterator[Program]:
    with compiled(job, sandbox, work_root, problem=NOT_COMPILED) as (executable, folder):
        if is_linked_statically(executable.started_file):
            raise NothingToShow(STATIC)
        with open_program(job, executable, sandbox, folder) as program:
            yield program


@contextmanager
def _twin_of(plain: Program, job: GradingJob, sandbox: Sandbox, work_root: Path) -> Iterator[Program]:
    """Provide the program to run unbuffered: the same one, or one without the buffers of its own."""
    language = language_by_id(job.language)
    flags = language.runtime.unbuffered_flags or ()
    rewritten = rewrite(reader_in(sandbox, work_root, job.cpu), job.source, language, language.unbuffering)
    if rewritten is None:
        yield replace(plain, executable=plain.executable.with_flags(*flags))
        return
    with _opened(replace(job, source=rewritten.source.encode()), sandbox, work_root) as program:
        yield program


def _run(job: GradingJob, program: Program, case: TestCase, *, unbuffered: bool, name: str = "first") -> _Run:
    job.between()
    outcome = run_patiently(job, program, case, unbuffered_output=unbuffered).outcome
    output = program.folder / f"{name}-{'twin' if unbuffered else 'plain'}"
    shutil.move(program.stdout, output)
    return _Run(outcome=outcome, output=output)


def _ends_alike(first: Outcome, other: Outcome) -> bool:
    ends = {(outcome.ending, outcome.exit_code, outcome.signal) for outcome in (first, other)}
    return len(ends) == 1 and first.ending in (Ending.EXITED, Ending.SIGNALLED)


def change_between(plain: Path, twin: Path) -> BufferChange:
    """Return what a program's buffers did to its output, of which the twin's is what it printed, in its order."""
    if same_beginning(plain, twin)[1]:
        return BufferChange.NONE
    written, printed = _bytes_in(plain), _bytes_in(twin)
    if written == printed:
        return BufferChange.REORDERED
    if written <= printed:
        return BufferChange.LOST
    return BufferChange.DOUBLED if written >= printed else BufferChange.OTHER


def _bytes_in(path: Path) -> Counter[int]:
    """Count the bytes of each value."""
    counts = Counter[int]()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            counts.update(chunk)
    return counts


def lost_text(plain: Path, twin: Path) -> str:
    """Return how what is missing in the first output begins, one line of it; "" if it cannot be quoted."""
    same, _ = same_beginning(plain, twin)
    with twin.open("rb") as file:
        file.seek(same)
        lines = file.read(4 * _MOST_SHOWN).decode("utf-8", "replace").split("\n")
    text = next((line.strip() for line in lines if line.strip()), "")[:_MOST_SHOWN]
    return text if text.isprintable() and "`" not in text else ""
