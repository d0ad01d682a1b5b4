"""Line times: rerun a case as it was judged, and tell on which lines of the source its CPU time went.

How it works: `sandbox.meter.cpu_samples` samples the run from outside of its jail, about once a millisecond of CPU
time, over all its processes and threads, the kernel's work for them included. A C++ or Rust program is compiled once
more with line information and the same optimisation, so its code is the same. The bounded reader finds the call chains
(`sandbox.unwinding`) and the lines of their addresses, also in inlined functions, after it has evened out what samples
cannot tell apart, and moved the cost of wrongly predicted branches back to them (`judge.grading.reading.binaries`). A
Python program runs unchanged; the sampler reads its lines.

A sample belongs to the innermost line of the student's own file in its call chain: the work of a library or of the
kernel counts for the line that called it. It also counts in the total of each line further out in the chain, once per
line. Samples without a line of the student's file are counted apart: the start and end of the process, and chains that
could not be followed. Where the optimiser turned a function's last call into a jump, that function is missing in the
chain, as it is in the judged run.
"""

from dataclasses import replace
from pathlib import Path

from judge.grading.bounded import reader_in
from judge.grading.compiling.compilation import Executable
from judge.grading.events import GradingJob, LineStack, LineTime, LineTimes
from judge.grading.languages import PROGRAM_FOLDER
from judge.grading.reruns.again import (
    NO_PROGRAM_WITH_LINES,
    UNREADABLE,
    NothingToShow,
    compiled,
    of_a_case,
    run_as_judged,
    starting,
)
from judge.grading.reruns.line_costs import read_table
from judge.grading.running.cases import open_program
from problems.package import TestCase
from problems.translation import gettext_noop
from sandbox.errors import MeterUnavailable
from sandbox.image.reading import CannotBeRead, Reader, Reading
from sandbox.types import MIB, CpuSampling, Ending, Frames, Limits, Sandbox

_PERIOD_US = 997  # no divisor of a scheduler's tick, so that no program keeps in step with it
_USUAL_SAMPLES, _MOST_SAMPLES = 5_000, 18_000  # each of a compiled program keeps 8 KiB of its stack until the end
_LONGER = 2  # than the judged run the sampled one may take
_LEAST_SAMPLES = 10
_READER_LIMITS = Limits(  # 18,000 deep stacks take about 5 s
    cpu_time_ms=20_000, wall_time_ms=40_000, memory_bytes=1_024 * MIB, output_bytes=32 * MIB, overrun_percent=0
)

SEVERAL_PASSES = gettext_noop("The CPU time of a case of several passes is not sampled: each pass is a run of its own.")
_NO_START = gettext_noop("The program does not start, so there is nothing to sample.")
_NO_SAMPLES = gettext_noop("This judge cannot sample CPU time: its kernel or its container does not allow it.")
_TOO_SHORT = gettext_noop("The run used too little CPU time to tell on which lines it went.")


def period_us(limits: Limits, judged_us: int) -> int:
    """Return the CPU time between two samples of a run within these limits.

    `judged_us`: so much time all its cores together had when it was judged; 0: it is not known.
    """
    longest_us = limits.cpu_time_ms * 10 * (100 + limits.overrun_percent)
    expected_us = min(longest_us, _LONGER * judged_us or longest_us)
    return max(_PERIOD_US, expected_us // _USUAL_SAMPLES, longest_us // _MOST_SAMPLES)


@of_a_case
def measure_line_times(job: GradingJob, case: TestCase, sandbox: Sandbox, work_root: Path) -> LineTimes:
    """Rerun one case and sample its CPU time by line."""
    if job.package.most_passes > 1:
        raise NothingToShow(SEVERAL_PASSES)
    with compiled(job, sandbox, work_root, problem=NO_PROGRAM_WITH_LINES, with_lines=True) as (executable, folder):
        frames = executable.runtime.line_times
        if frames is None:
            raise NothingToShow(_NO_SAMPLES)
        with open_program(job, executable, sandbox, folder) as program:
            judged_us = job.judged_wall_us * job.package.limits.cores
            sampling = CpuSampling(
                period_us=period_us(program.run_limits, judged_us),
                frames=frames,
                file=executable.product_path or f"{PROGRAM_FOLDER}/{job.students_file}",
                target=folder / "samples",
            )
            try:
                with starting(executable, _NO_START):
                    outcome = run_as_judged(job, case, replace(program, cpu_sampling=sampling), sandbox, work_root)
            except MeterUnavailable as error:
                raise NothingToShow(_NO_SAMPLES) from error
        if outcome.cpu_samples is None:
            raise NothingToShow(_TOO_SHORT)
        reader = reader_in(sandbox, work_root, job.cpu)
        chains = _chains(sampling, executable, reader)
        answer = read_table("line_times", job, chains, executable, reader, limits=_READER_LIMITS)
        if answer["samples"] < _LEAST_SAMPLES:
            raise NothingToShow(_TOO_SHORT)
        return LineTimes(
            lines=tuple(LineTime(line=line, own=own, total=total) for line, own, total in answer["lines"]),
            stacks=tuple(LineStack(lines=tuple(lines), samples=number) for lines, number in answer["stacks"]),
            samples=answer["samples"],
            elsewhere=answer["elsewhere"],
            lost=outcome.cpu_samples.lost,
            cut=answer["cut"],
            period_us=outcome.cpu_samples.period_us,
            cpu_time_us=outcome.usage.cpu_time_us,
            is_whole=outcome.ending is Ending.EXITED,
        )


def _chains(sampling: CpuSampling, executable: Executable, reader: Reader) -> Path:
    """Return the file of the samples' call chains, which are found first where only stacks were kept. Raises
    NothingToShow.
    """
    if sampling.frames is not Frames.NATIVE:
        return sampling.target
    chains = sampling.target.with_name("chains")
    unwinding = Reading(
        module="sandbox.unwinding",
        arguments=(sampling.file,),
        stdin=sampling.target,
        mounts=(executable.mount,),
        limits=_READER_LIMITS,
    )
    try:
        reader.read_to(chains, unwinding)
    except CannotBeRead as error:
        raise NothingToShow(UNREADABLE) from error
    return chains
