"""CPU time by line: each line has the share that the program gives it, in three languages."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import GradingJob, LineTimes, RerunEnded
from judge.grading.languages import CPP
from judge.grading.reruns.line_times import SEVERAL_PASSES, measure_line_times, period_us
from problems.package import Package
from sandbox.errors import MeterUnavailable
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Limits
from tests.judge.grading.reruns.line_programs import code_of
from tests.judge.grading.reruns.timed_programs import PROGRAMS, own_shares, total_shares
from tests.judge.packages import LIMITS, make_package, with_included

Sample = Callable[..., RerunEnded[LineTimes]]
TOLERANCE = 6  # per cent of all


@pytest.fixture
def package(tmp_path: Path) -> Package:
    roomy = replace(LIMITS, time_limit_ms=10_000)
    return replace(make_package(tmp_path, {"secret/1": ("1\n", "1\n")}), limits=roomy)


@pytest.fixture
def sampled(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Sample:
    """A function that samples a program on the case of the package, or of another one."""

    def run(language: str, source: str, given: Package = package) -> RerunEnded[LineTimes]:
        job = GradingJob(package=given, language=language, source=code_of(source), cpu=0, judged_wall_us=400_000)
        return measure_line_times(job, "secret/1", sandbox, work_root)

    return run


def times_of(sampled: RerunEnded[LineTimes]) -> LineTimes:
    assert sampled.result is not None, sampled.problem
    assert not sampled.problem
    return sampled.result


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_line_has_its_share(name: str, sampled: Sample) -> None:
    language, source = PROGRAMS[name]
    times = times_of(sampled(language, source))
    own = {time.line: 100 * time.own / times.samples for time in times.lines}
    total = {time.line: 100 * time.total / times.samples for time in times.lines}
    source = code_of(source).decode()
    for line, share in own_shares(source).items():
        assert own.get(line, 0) == pytest.approx(share, abs=_room(share)), own
    for line, share in total_shares(source).items():
        assert total.get(line, 0) == pytest.approx(share, abs=_room(share)), total
    assert sum(time.own for time in times.lines) + times.elsewhere == times.samples
    assert all(time.own <= time.total <= times.samples for time in times.lines)
    assert times.elsewhere < 0.15 * times.samples
    assert times.is_whole
    assert times.lost == 0


def _room(share: int) -> float:
    """A share of nearly all may be exceeded: what is left is the start of the process."""
    return max(TOLERANCE, 100 - share)


def test_the_lines_are_in_the_order_of_their_own_time(sampled: Sample) -> None:
    times = times_of(sampled(*PROGRAMS["cpp: inlined functions"]))
    assert [time.own for time in times.lines] == sorted((time.own for time in times.lines), reverse=True)
    assert sum(stack.samples for stack in times.stacks) == times.samples - times.elsewhere
    assert [stack.samples for stack in times.stacks] == sorted((s.samples for s in times.stacks), reverse=True)


ENDLESS = {
    "cpp": "#include <cstdio>\nvolatile int x;\nint main() {\n    for (;;) x++;\n}",
    "rust": "fn main() {\n    let mut x = 0u64;\n    loop { x = std::hint::black_box(x + 1); }\n}",
    "python": "def main():\n    while True:\n        pass\nmain()",
}


@pytest.mark.parametrize("language", ENDLESS)
def test_a_run_over_its_limit_is_told_until_then(language: str, sampled: Sample, package: Package) -> None:
    times = times_of(sampled(language, ENDLESS[language], replace(package, limits=replace(LIMITS, time_limit_ms=300))))
    assert not times.is_whole
    assert 290_000 < times.cpu_time_us < 500_000
    assert sum(time.own for time in times.lines) > 0.8 * times.samples


def test_a_conversation_is_sampled_too(sampled: Sample, tmp_path: Path) -> None:
    interactor = "import sys\nprint(7, flush=True)\nsys.exit(42 if input() == 'done' else 43)\n"
    source = """
        #include <iostream>
        int main() {
            int word;
            std::cin >> word;
            unsigned x = word;
            for (long i = 0; i < 100'000'000; i++) x = x * 1664525u + 1013904223u; // the hot one
            if (x != 1) std::cout << "done" << std::endl;
        }"""
    package = make_package(
        tmp_path, {"secret/1": ("1\n", "1\n")}, validator=("talk.py", interactor), is_interactive=True
    )
    times = times_of(sampled("cpp", source, package))
    assert times.lines[0].line == 1 + code_of(source).decode().split("// the hot one")[0].count("\n")
    assert times.lines[0].own > 0.9 * times.samples


def test_several_passes_are_not_sampled(sampled: Sample, package: Package) -> None:
    tried = sampled("python", "print(1)", replace(package, most_passes=2))
    assert (tried.result, tried.problem) == (None, SEVERAL_PASSES)


def test_a_short_run_gets_a_sentence(sampled: Sample) -> None:
    assert "too little CPU time" in sampled("cpp", "int main() {}").problem


def test_a_program_that_does_not_compile_gets_a_sentence(sampled: Sample) -> None:
    assert "could not be compiled once more" in sampled("cpp", "int main() {").problem


def test_a_host_that_cannot_sample_gets_a_sentence(sampled: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise MeterUnavailable("CPU time cannot be sampled")

    monkeypatch.setattr("sandbox.meter.cpu_samples.CpuSampler.start", refuse)
    assert "This judge cannot sample CPU time" in sampled("cpp", "int main() {}").problem


def test_the_packages_own_file_has_no_lines_of_the_students(sampled: Sample, package: Package, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print(sum(range(5_000_000)))\n")
    given = with_included(package, "python", tmp_path / "main.py")
    times = times_of(sampled("python", "print(2)", given))
    assert times.lines == ()
    assert times.elsewhere == times.samples


def test_lines_that_the_source_does_not_have_are_nobodys(sampled: Sample) -> None:
    source = "#line 7000\nint main() { for (volatile int i = 0; i < 100000000; i = i + 1) {} }"
    times = times_of(sampled("cpp", source))
    assert (times.lines, times.elsewhere) == ((), times.samples)


def test_the_program_is_the_judged_one() -> None:
    """Only information is added: no flag that changes the code."""
    added = set(CPP.with_lines().compile_flags) - set(CPP.compile_flags)
    assert added == {"-g1"}


@pytest.mark.parametrize(
    ("limit_ms", "judged_us", "period"),
    [(100, 0, 997), (1_000, 0, 997), (10_000, 0, 2_400), (10_000, 300_000, 997), (100_000, 300_000, 6_666)],
)
def test_a_long_run_is_sampled_less_often(limit_ms: int, judged_us: int, period: int) -> None:
    assert period_us(Limits(cpu_time_ms=limit_ms), judged_us) == period
