"""Measure a core's speed: a small program of fixed work, in a jail, against the reference.

How it works: the program multiplies and adds, and reads and writes here and there in 2 MiB, so that both the core and
its caches count. The median CPU time of RUNS runs is compared with REFERENCE_US: about what a core of the machine takes
that Tally was written on (an Intel Xeon at 2.7 GHz under a hypervisor; g++ 12, CPython 3.11). 2.0 is twice as fast. In
C++ where there is g++, else in Python, each with a figure of its own: between versions of CPython it means less.
"""

import statistics
from collections.abc import Iterable
from pathlib import Path

from judge.grading.compiling.compilation import Compiler, compile_limits, single_file
from judge.grading.languages import language_by_id
from problems.package import ProblemLimits
from sandbox.types import Command, Ending, JailSpec, Limits, Sandbox
from sandbox.workdir import fresh_folder

RUNS = 5
REFERENCE_US = {"cpp": 50_000, "python": 180_000}
_LIMITS = Limits(cpu_time_ms=10_000, wall_time_ms=20_000)
_SOURCES = {
    "cpp": b"""
#include <cstdint>
#include <cstdio>
#include <vector>
int main() {
    std::vector<std::uint32_t> cells(1 << 19);
    std::uint64_t x = 1;
    for (int i = 0; i < 25'000'000; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        cells[x >> 45] += static_cast<std::uint32_t>(x >> 33);
    }
    std::printf("%u\\n", cells[x >> 45]);
}
""",
    "python": b"""
cells, x = [0] * (1 << 16), 1
for i in range(700_000):
    x = (x * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
    cells[x >> 48] += x >> 33
print(cells[x >> 48])
""",
}


def measure(languages: Iterable[str], sandbox: Sandbox, work_root: Path, cpu: int | None) -> float | None:
    """Return the speed of a core, 1.0 is the reference's; None when nothing could run. Raises SandboxError."""
    language = next((each for each in REFERENCE_US if each in set(languages)), None)
    if language is None:
        return None
    times = _cpu_times_us(language, sandbox, work_root, cpu)
    return round(REFERENCE_US[language] / statistics.median(times), 3) if times else None


def _cpu_times_us(language: str, sandbox: Sandbox, work_root: Path, cpu: int | None) -> list[int]:
    with fresh_folder(work_root, "speed-") as folder:
        compiler = Compiler(sandbox=sandbox, work_root=work_root, cpu=cpu)
        sources = single_file(language_by_id(language), _SOURCES[language])
        executable = compiler.compile(sources, compile_limits(ProblemLimits()), folder).executable
        if executable is None:
            return []
        with sandbox.open_jail(JailSpec(mounts=(executable.mount,), cpu=cpu)) as jail:
            outcomes = [jail.run(Command(argv=executable.argv), _LIMITS) for _ in range(RUNS)]
    if any(outcome.ending is not Ending.EXITED or outcome.exit_code for outcome in outcomes):
        return []
    return [outcome.usage.cpu_time_us for outcome in outcomes]
