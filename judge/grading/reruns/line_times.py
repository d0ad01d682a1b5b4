"""Line times: rerun a case as it was judged, and tell on which lines of the source its CPU time went.

How it works: `sandbox.meter.cpu_samples` samples the run from outside of its jail, about once a millisecond of CPU
time, over all its processes and threads, the kernel's work for them included. A C++ or Rust program is compiled once
more with line information and the same optimisation, so its code is the same; `judge.grading.reruns.addresses` finds
the lines of its addresses, also in inlined functions, after `judge.grading.reruns.blocks` has evened out what samples
cannot tell apart, and moved the cost of wrongly predicted branches back to them. A Python program runs unchanged; the
sandbox itself reads its lines.

A sample belongs to the innermost line of the student's own file in its call chain: the work of a library or of the
kernel counts for the line that called it. It also counts in the total of each line further out in the chain, once per
line. Samples without a line of the student's file are counted apart: the start and end of the process, and chains that
could not be followed. Where the optimiser turned a function's last call into a jump, that function is missing in the
chain, as it is in the judged run.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from judge.grading.compiling.compilation import Compiler, Executable
from judge.grading.events import CaseLineTimes, GradingJob, LineStack, LineTime, LineTimes
from judge.grading.grading import compile_job
from judge.grading.languages import PROGRAM_FOLDER
from judge.grading.reruns.addresses import line_stacks_of
from judge.grading.reruns.again import PACKAGE_IS_BROKEN, NothingToShow, run_as_judged, students_file
from judge.grading.reruns.blocks import spread_over_blocks
from judge.grading.running.cases import open_program
from problems.package import PackageError, TestCase
from problems.translation import gettext_noop
from sandbox.errors import CommandError, MeterUnavailable
from sandbox.types import CodePlace, CpuSamples, CpuSampling, Ending, Frames, Limits, Outcome, Sandbox
from sandbox.workdir import fresh_folder

_PERIOD_US = 997  # no divisor of a scheduler's tick, so that no program keeps in step with it
_USUAL_SAMPLES, _MOST_SAMPLES = 5_000, 18_000  # each of a compiled program keeps 8 KiB of its stack until the end
_LONGER = 2  # than the judged run the sampled one may take
_LEAST_SAMPLES = 10
_MOST_STACKS = 300  # that are kept
_MOST_DEPTH = 64  # lines of one of them

SEVERAL_PASSES = gettext_noop("The CPU time of a case of several passes is not sampled: each pass is a run of its own.")
_NO_PROGRAM = gettext_noop(
    "The program could not be compiled once more, with the information that lines need. You may ask again."
)
_NO_START = gettext_noop("The program does not start, so there is nothing to sample.")
_NO_SAMPLES = gettext_noop("This judge cannot sample CPU time: its kernel or its container does not allow it.")
_TOO_SHORT = gettext_noop("The run used too little CPU time to tell on which lines it went.")


def measure_line_times(job: GradingJob, case_name: str, sandbox: Sandbox, work_root: Path) -> CaseLineTimes:
    """Rerun one case and sample its CPU time by line. Raises SandboxError, KeyError for an unknown case."""
    case = {case.name: case for case in job.package.test_cases}[case_name]
    try:
        return CaseLineTimes(name=case_name, times=_sample(job, case, sandbox, work_root))
    except NothingToShow as reason:
        return CaseLineTimes(name=case_name, times=None, problem=str(reason))
    except MeterUnavailable:
        return CaseLineTimes(name=case_name, times=None, problem=_NO_SAMPLES)
    except PackageError:
        return CaseLineTimes(name=case_name, times=None, problem=PACKAGE_IS_BROKEN)


def period_us(limits: Limits, judged_us: int) -> int:
    """Return the CPU time between two samples of a run within these limits.

    `judged_us`: so much time all its cores together had when it was judged; 0: it is not known.
    """
    longest_us = limits.cpu_time_ms * 10 * (100 + limits.overrun_percent)
    expected_us = min(longest_us, _LONGER * judged_us or longest_us)
    return max(_PERIOD_US, expected_us // _USUAL_SAMPLES, longest_us // _MOST_SAMPLES)


def _sample(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> LineTimes:
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    with fresh_folder(work_root, "cputime-") as folder:
        compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=job.cpu)
        executable = compile_job(job, compiler, folder, with_lines=True).executable
        if executable is None:
            raise NothingToShow(_NO_PROGRAM)
        with open_program(job, executable, sandbox, folder) as program:
            frames = Frames.NATIVE if executable.is_compiled else Frames.PYTHON
            judged_us = job.judged_wall_us * job.package.limits.cores
            sampling = CpuSampling(period_us=period_us(program.run_limits, judged_us), frames=frames)
            try:
                sampled = replace(program, cpu_sampling=sampling)
                outcome = run_as_judged(job, case, sampled, sandbox, work_root)
            except CommandError as error:
                if executable.is_compiled:
                    raise NothingToShow(_NO_START) from error
                raise
        samples = outcome.cpu_samples
        if samples is None or _number(samples) < _LEAST_SAMPLES:
            raise NothingToShow(_TOO_SHORT)
        if executable.is_compiled:
            samples = spread_over_blocks(samples, executable, sandbox, folder)
        return _times(outcome, samples, _lines(job, samples, executable, sandbox, folder))


def _number(samples: CpuSamples) -> int:
    return sum(stack.samples for stack in samples.stacks)


def _lines(
    job: GradingJob, samples: CpuSamples, executable: Executable, sandbox: Sandbox, folder: Path
) -> dict[CodePlace, tuple[int, ...]]:
    """Return the lines of the student's file at each place, innermost first: several where calls were inlined."""
    name, last = students_file(job), job.source.count(b"\n") + 1
    program = executable.argv[0] if executable.is_compiled else f"{PROGRAM_FOLDER}/{name}"
    places = {place for stack in samples.stacks for place in stack.frames if place.file == program}
    if executable.is_compiled:
        addresses = {place.place for place in places}
        known = line_stacks_of(addresses, executable, name, sandbox, folder) if addresses else {}
        found: Mapping[int, tuple[int, ...]] = known
    else:
        found = {place.place: (place.place,) for place in places}
    return {place: tuple(line for line in found.get(place.place, ()) if 0 < line <= last) for place in places}


def _times(outcome: Outcome, samples: CpuSamples, lines: Mapping[CodePlace, tuple[int, ...]]) -> LineTimes:
    stacks: Counter[tuple[int, ...]] = Counter()
    own: Counter[int] = Counter()
    total: Counter[int] = Counter()
    cut = 0
    for stack in samples.stacks:
        chain = tuple(line for place in stack.frames for line in lines.get(place, ()))
        stacks[chain[:_MOST_DEPTH]] += stack.samples
        if chain:
            own[chain[0]] += stack.samples
            total.update(dict.fromkeys(chain, stack.samples))
            cut += stack.samples if stack.is_cut else 0
    elsewhere = stacks.pop((), 0)
    times = [LineTime(line=line, own=own[line], total=number) for line, number in total.items()]
    return LineTimes(
        lines=tuple(sorted(times, key=lambda time: (-time.own, -time.total, time.line))),
        stacks=tuple(LineStack(lines=chain, samples=number) for chain, number in stacks.most_common(_MOST_STACKS)),
        samples=_number(samples),
        elsewhere=elsewhere,
        lost=samples.lost,
        cut=cut,
        period_us=samples.period_us,
        cpu_time_us=outcome.usage.cpu_time_us,
        is_whole=outcome.ending is Ending.EXITED,
    )
