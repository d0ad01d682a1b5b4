"""Counted work: how often each line of a program runs at inputs of many sizes, and the laws that these counts follow.

How it works: the program is compiled once more so that it counts its lines (`Language.counting`): by gcc's and rustc's
own coverage with the judged optimisation, a Python program by `judge.grading.reruns.count_runner`. It runs on inputs
of the package's generator by size, if there is one, else on the problem's cases from the smallest on, and at last on
the case itself, with more time than the limit. A run counts if it ends by itself without an error; the bounded reader
(`judge.grading.reading.counting`) reads what it left. The largest of these runs are made once more by the program as it
was judged, for the time that its steps take.

Counts of a program that starts threads or processes are not exact, so there are none. A program can write into the
table of its own run: it can tell untrue numbers of its own lines, and nothing else.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from judge.grading.bounded import reader_in
from judge.grading.compiling.compilation import Executable
from judge.grading.counted_work import CountedLine, CountedRun, CountedWork
from judge.grading.events import GradingJob
from judge.grading.explain.evidence.laws import LawSearch
from judge.grading.explain.evidence.sizes import NAMES, sizes_of
from judge.grading.languages import PROGRAM_FOLDER, Counting, language_by_id
from judge.grading.reruns.again import NothingToShow, compiled, of_a_case, starting
from judge.grading.reruns.growth_runs import MOST_OWN
from judge.grading.reruns.patient import run_within
from judge.grading.running.cases import open_program
from judge.grading.running.execution import Program, patient_time_ms
from judge.grading.verification import generated
from judge.grading.verification.pace import OutOfTime, Pace
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.errors import GaveWay
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.types import MIB, Ending, Limits, Outcome, Sandbox

MOST_S = 60.0  # of all runs, the generator's too
_MOST_LAWS_S = 3.0  # that laws are looked for
LONGEST_MS = 5_000  # of CPU time of one run, or half more than the limit
_MOST_STOPPED = 2
_MOST_GENERATED = 16
_MOST_LINES = 40  # that are kept
_TIMED = 2  # of the largest runs
_READER_LIMITS = Limits(
    cpu_time_ms=5_000, wall_time_ms=15_000, memory_bytes=1_024 * MIB, output_bytes=4 * MIB, overrun_percent=0
)
_SEVERAL = re.compile(rb"\b(?:j?thread|async|p?fork|vfork|clone3?|rayon|omp|execution)\b")  # in C++ and Rust
_SEVERAL_IN_PYTHON = re.compile(rb"\b(?:multiprocessing|fork|ProcessPoolExecutor)\b")

ONE_RUN_ONLY = gettext_noop("Lines are counted on cases of one run, without an interactor.")
_NOT_COUNTED = gettext_noop("The lines of this program cannot be counted: it could not be compiled with counters.")
_PARALLEL = gettext_noop("The lines are not counted: the program may start threads or processes, which share counters.")
_NO_COUNTS = gettext_noop("Nothing was counted: no run came to its end by itself and left its counts.")
_NO_START = gettext_noop("The program does not start, so there is nothing to count.")


@of_a_case
def count_work(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> CountedWork:
    """Count a program's lines at many sizes, for one case."""
    package, language = job.package, language_by_id(job.language)
    if package.is_interactive or package.most_passes > 1:
        raise NothingToShow(ONE_RUN_ONLY)
    if language.counting is None or len(job.files) > 1 or package.included.get(job.language):
        raise NothingToShow(_NOT_COUNTED)
    several = _SEVERAL_IN_PYTHON if language.counting.runner else _SEVERAL
    if several.search(job.source):
        raise NothingToShow(_PARALLEL)
    with ExitStack() as stack:
        opened = []
        for with_counts in (True, False):
            work = compiled(job, sandbox, work_root, problem=_NOT_COUNTED, with_counts=with_counts)
            executable, folder = stack.enter_context(work)
            started = _with_runner(executable, language.counting) if with_counts else executable
            program = stack.enter_context(open_program(job, started, sandbox, folder))
            opened.append(replace(program, counting=language.counting if with_counts else None))
        runs = _Runs(
            job=job,
            case=case,
            counted=opened[0],
            plain=opened[1],
            reader=reader_in(sandbox, work_root, job.cpu),
            pace=Pace(job.between, MOST_S),
        )
        with starting(opened[0].executable, _NO_START), suppress(OutOfTime):
            try:
                runs.make(sandbox, work_root, folder)
            except GaveWay:
                if not runs.ended:
                    raise
    return runs.work()


def _with_runner(executable: Executable, counting: Counting) -> Executable:
    if counting.runner is None:
        return executable
    place = executable.mount.source / f".{counting.runner.name}"
    place.write_bytes(counting.runner.read_bytes())
    place.chmod(0o644)
    return executable.with_flags(f"{PROGRAM_FOLDER}/{place.name}")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Run:
    """One run that came to its end, with its counts by line."""

    case: str
    sizes: Mapping[str, int]
    counts: Counter[int]
    cpu_time_us: int = 0


@dataclass(kw_only=True, slots=True)
class _Runs:
    """The runs of one program: with counters, and as it was judged."""

    job: GradingJob
    case: TestCase
    counted: Program
    plain: Program
    reader: Reader
    pace: Pace
    ended: list[_Run] = field(default_factory=list)
    is_counted: bool = False  # the case itself

    def make(self, sandbox: Sandbox, work_root: Path, folder: Path) -> None:
        """Run on generated inputs, else on the problem's own. Raises OutOfTime, PackageError, SandboxError."""
        self.is_counted = self._run(self.case, self.case.name)
        package = self.job.package
        if package.growth_generator is None:
            self._own()
            return
        with generated.open_generator(package, sandbox, work_root, folder / "generator", self.job.cpu) as generator:
            for case in self._generated(generator):
                if not self._run(case, ""):
                    break

    def _own(self) -> None:
        """Run on the problem's cases from the smallest on, until some do not end."""
        different = {case.digest or case.name: case for case in self.job.package.test_cases}
        different.pop(self.case.digest or self.case.name, None)
        cases = sorted(different.values(), key=lambda case: case.input.stat().st_size)
        if len(cases) > MOST_OWN:  # evenly chosen
            cases = [cases[round(place * (len(cases) - 1) / (MOST_OWN - 1))] for place in range(MOST_OWN)]
        stopped = 0
        for case in cases:
            stopped += not self._run(case, case.name)
            if stopped == _MOST_STOPPED:
                break

    def _generated(self, generator: generated.InputGenerator) -> Iterator[TestCase]:
        """Yield inputs of growing sizes, two for each doubling."""
        made = 0
        for step in range(0, generated.WHOLE_STEPS.stop, generated.OCTAVE // 2):
            self.pace.pause()
            case = generator.make(generated.size_at(step)).case
            if case is not None:
                yield case
            made += case is not None
            if made == _MOST_GENERATED or (case is None and made):
                break

    def _run(self, case: TestCase, name: str) -> bool:
        """Run a case with counters; return whether it ended and could be counted."""
        self.pace.pause()
        outcome = self._outcome(self.counted, case)
        if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
            return False
        counts = self._counts(outcome)
        if counts is None:
            return False
        run = _Run(case=name, sizes=sizes_of(case.input), counts=counts)
        largest = sorted((other.counts.total() for other in self.ended), reverse=True)[:_TIMED]
        if len(largest) < _TIMED or counts.total() > largest[-1]:
            plain = self._outcome(self.plain, case)
            if plain.ending is Ending.EXITED:
                run = replace(run, cpu_time_us=plain.usage.cpu_time_us)
        self.ended.append(run)
        return True

    def _outcome(self, program: Program, case: TestCase) -> Outcome:
        limits = program.run_limits
        longest_ms = patient_time_ms(limits.cpu_time_ms, LONGEST_MS)
        longer = replace(
            limits, cpu_time_ms=longest_ms, wall_time_ms=2 * longest_ms + limits.wall_time_ms, overrun_percent=0
        )
        return run_within(replace(self.job, between=self.pace.pause), program, case, longer)

    def _counts(self, outcome: Outcome) -> Counter[int] | None:
        counting, executable = self.counted.counting, self.counted.executable
        if counting is None or counting.table not in outcome.collected:
            return None
        compiled_file = f"{PROGRAM_FOLDER}/{counting.notes}" if counting.notes else executable.product_path or "-"
        last = self.job.source.count(b"\n") + 1
        reading = Reading(
            module="judge.grading.reading.counting",
            arguments=(counting.kind, compiled_file, f"{PROGRAM_FOLDER}/{self.job.students_file}", str(last)),
            stdin=self.counted.counts_table,
            mounts=(executable.mount,) if executable.product_path else (),
            limits=_READER_LIMITS,
        )
        try:
            answer = self.reader.read(reading)
        except CannotBeRead:
            return None
        pairs = answer.get("lines") if isinstance(answer, dict) else None
        return Counter({int(line): int(count) for line, count in pairs}) if pairs else None

    def work(self) -> CountedWork:
        """Return the counts with their laws. Raises NothingToShow if nothing was counted."""
        if not self.ended:
            raise NothingToShow(_NO_COUNTS)
        case = sizes_of(self.case.input)
        names = tuple(name for name in NAMES if name in case)
        own = self.ended[0] if self.is_counted else None
        runs = sorted(self.ended, key=lambda run: (run.counts.total(), [run.sizes.get(name, -1) for name in names]))
        most = max(runs, key=lambda run: run.counts.total())
        search, pace = LawSearch(runs=[run.sizes for run in runs], case=case), Pace(self.job.between, _MOST_LAWS_S)
        lines = []
        for line, _ in most.counts.most_common(_MOST_LINES):
            counts = tuple(run.counts[line] for run in runs)
            told = None
            with suppress(OutOfTime):
                pace.pause()
                told = search.law_of(counts)
            expected = own.counts[line] if own else told.expected if told else None
            lines.append(CountedLine(line=line, counts=counts, law=told.law if told else None, expected=expected))
        return CountedWork(
            names=names,
            sizes=tuple(case[name] for name in names),
            runs=tuple(
                CountedRun(
                    case=run.case,
                    sizes=tuple(run.sizes.get(name, -1) for name in names),
                    cpu_time_us=run.cpu_time_us,
                )
                for run in runs
            ),
            lines=tuple(lines),
            is_counted=own is not None,
        )
