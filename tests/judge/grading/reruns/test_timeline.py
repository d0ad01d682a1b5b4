"""Timelines in the real jail: points and totals of programs with known behaviour."""

import os
import textwrap
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from judge.grading.events import GradingJob, RerunEnded, TimelineRun
from judge.grading.reruns.timeline import SEVERAL_PASSES, interval_ms, record_timeline
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package

# Six of them, 0.1 s of CPU time each.
THREADS = """
    #include <ctime>
    #include <thread>
    #include <vector>
    void spin() {
        timespec now;
        do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); while (now.tv_nsec < 100'000'000);
    }
    int main() {
        std::vector<std::thread> threads;
        for (int i = 0; i < 6; i++) threads.emplace_back(spin);
        for (auto& one : threads) one.join();
    }
"""
SLEEPS_FOR_EACH_CORE = """
    import os, time
    for _ in range(50 * len(os.sched_getaffinity(0))): time.sleep(0.002)
"""
SPINS = "import time\nwhile time.process_time() < 0.3: pass"
SLEEPS = "import time\nfor _ in range(40): time.sleep(0.005)"
INTERACTOR = "import sys, time\nfor n in range(60): print(n, flush=True); input(); time.sleep(0.003)\nsys.exit(42)"
Watch = Callable[..., RerunEnded[TimelineRun]]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return make_package(tmp_path, {"secret/1": ("1\n", "1\n")}, limits=replace(LIMITS, processes=8, cores=2))


@pytest.fixture
def watch(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Watch:
    """A function that watches a program on the case of the package, or of another one."""

    def run(language: str, source: str, given: Package = package) -> RerunEnded[TimelineRun]:
        code = textwrap.dedent(source).encode()
        job = GradingJob(package=given, language=language, source=code, cpu=0, judged_wall_us=300_000)
        return record_timeline(job, "secret/1", sandbox, work_root)

    return run


def run_of(watched: RerunEnded[TimelineRun]) -> TimelineRun:
    assert watched.result is not None, watched.problem
    assert not watched.problem
    return watched.result


def test_every_thread_counts_while_they_run(watch: Watch) -> None:
    run = run_of(watch("cpp", THREADS))
    assert run.is_whole
    assert run.usage.cpu_time_us >= 600_000
    half = next(point for point in run.points if point.cpu_time_us >= run.usage.cpu_time_us / 2)
    assert 0 < half.at_us < run.usage.wall_time_us


def test_on_one_core_threads_take_turns(watch: Watch, package: Package) -> None:
    run = run_of(watch("cpp", THREADS, replace(package, limits=replace(package.limits, cores=1))))
    assert run.usage.wall_time_us >= 600_000
    assert run.usage.involuntary_switches > 10


@pytest.mark.parametrize("cores", [1, 2])
def test_cores_are_those_of_the_judged_run(cores: int, watch: Watch, package: Package) -> None:
    # That two are used at once cannot be held to: other programs of the machine may have one of them.
    limits = replace(package.limits, cores=cores)
    run = run_of(watch("python", SLEEPS_FOR_EACH_CORE, replace(package, limits=limits)))
    assert run.cores == min(cores, len(os.sched_getaffinity(0)))
    assert 50 * run.cores <= run.usage.voluntary_switches < 50 * (run.cores + 1)


def test_sleeper_gives_up_its_core_all_along(watch: Watch) -> None:
    run = run_of(watch("python", SLEEPS))
    assert run.usage.voluntary_switches >= 40
    half = next(point for point in run.points if point.at_us >= run.usage.wall_time_us / 2)
    assert 10 <= half.voluntary_switches < run.usage.voluntary_switches
    assert run.usage.cpu_time_us < run.usage.wall_time_us / 2


def test_busy_program_uses_cpu_time_all_along(watch: Watch) -> None:
    run = run_of(watch("python", SPINS))
    assert 10 <= len(run.points) <= 200
    assert run.points[-1].cpu_time_us == run.usage.cpu_time_us >= 300_000
    cpu = [point.cpu_time_us for point in run.points]
    assert sum(before < after for before, after in pairwise(cpu)) > len(cpu) / 2


def test_limits_are_those_of_the_judged_run(watch: Watch, package: Package) -> None:
    run = run_of(
        watch("python", "while True: pass", replace(package, limits=replace(package.limits, time_limit_ms=300)))
    )
    assert not run.is_whole
    assert run.usage.cpu_time_us >= 300_000


def test_conversation_is_watched_with_its_interactor(watch: Watch, tmp_path: Path) -> None:
    package = make_package(
        tmp_path, {"secret/1": ("1\n", "1\n")}, validator=("talk.py", INTERACTOR), is_interactive=True
    )
    run = run_of(watch("python", "for _ in range(60): print(input(), flush=True)", package))
    assert run.is_whole
    assert run.usage.voluntary_switches >= 60


def test_what_cannot_be_watched_gets_a_sentence(watch: Watch, package: Package) -> None:
    assert watch("python", "print(1)", replace(package, most_passes=2)).problem == SEVERAL_PASSES
    assert "could not be compiled" in watch("cpp", "int main() {").problem
    short = watch("cpp", "int main() {}")
    assert short.result is None
    assert "before it could be looked at often enough" in short.problem


def test_interval_follows_the_judged_run() -> None:
    assert [interval_ms(wall_us) for wall_us in (0, 50_000, 1_000_000, 6_000_000, 600_000_000)] == [2, 2, 10, 60, 1_000]
