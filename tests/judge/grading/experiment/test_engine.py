"""Variants in the real jail: differences are found, equal variants are not distinguished, broken ones are reported."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.compiling.compilation import Compilation, Compiler, Sources
from judge.grading.experiment.engine import limits_over, run_experiment, run_limits, samples_of
from judge.grading.experiment.results import RunMeasured, VariantFailed
from judge.grading.experiment.spec import METRICS, CaseRef, ExperimentSpec, RunSettings
from judge.grading.sameness import difference
from problems.package import Package, PackageError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Limits, TimelinePoint
from tests.judge.grading.experiment.specs import FLUSHED, GATHERED, SETTINGS, make_spec, variant
from tests.judge.packages import LIMITS, make_package

_SUM = "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b; }\n"
_ENDLESS = "int main() { for (volatile int i = 0;; ++i) {} }\n"


class Lab:
    """Runs experiments for a test."""

    def __init__(self, sandbox: NsjailSandbox, work_root: Path) -> None:
        self.sandbox = sandbox
        self.work_root = work_root
        self.pauses = 0

    def run(self, spec: ExperimentSpec, package: Package | None = None) -> list[RunMeasured | VariantFailed]:
        """All that it tells."""
        told = run_experiment(spec, self.sandbox, self.work_root, package=package, pause=self._pause)
        return list(told)

    def runs(self, spec: ExperimentSpec, package: Package | None = None) -> list[RunMeasured]:
        """Its runs, of variants that all compile."""
        told = self.run(spec, package)
        runs = [each for each in told if isinstance(each, RunMeasured)]
        assert len(runs) == len(told)
        return runs

    def _pause(self) -> None:
        self.pauses += 1


@pytest.fixture
def lab(sandbox: NsjailSandbox, work_root: Path) -> Lab:
    """The real sandbox."""
    return Lab(sandbox, work_root)


def _values(runs: list[RunMeasured], name: str, metric: str) -> list[int]:
    return [run.numbers[metric] for run in runs if run.variant == name]


def test_flushing_is_found_in_writes_and_in_time(lab: Lab) -> None:
    longer = [source.replace("20000", "100000") for source in (FLUSHED, GATHERED)]  # than what else runs here disturbs
    runs = lab.runs(make_spec(*map(variant, ("endl", "newline"), longer)))
    writes = difference("write_calls", _values(runs, "endl", "write_calls"), _values(runs, "newline", "write_calls"))
    assert set(_values(runs, "endl", "write_calls")) == {100_000}
    assert writes.is_exact
    assert writes.is_told
    time = difference("cpu_time_us", _values(runs, "endl", "cpu_time_us"), _values(runs, "newline", "cpu_time_us"))
    assert time.is_told
    assert time.ratio is not None
    assert time.ratio > 1
    assert {run.ending for run in runs} == {"exited"}
    assert {run.verdict for run in runs} == {""}
    assert all(set(run.numbers) == set(METRICS) for run in runs)


def test_same_program_twice_differs_in_nothing_exact(lab: Lab) -> None:
    runs = lab.runs(make_spec(variant("one", GATHERED), variant("other", GATHERED)))
    for metric in ("write_calls", "write_bytes", "read_calls", "read_bytes"):
        assert not difference(metric, _values(runs, "one", metric), _values(runs, "other", metric)).is_told


@pytest.mark.parametrize("on_a_case", [False, True])
def test_a_program_is_compiled_for_who_runs_it(
    on_a_case: bool, sandbox: NsjailSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    authors: list[int] = []

    def note(compiler: Compiler, sources: Sources, limits: Limits, folder: Path, author: int) -> Compilation:
        authors.append(author)
        return Compilation(executable=None, message="no", wall_time_us=1)

    monkeypatch.setattr(Compiler, "compile", note)
    spec = make_spec(variant("a", "print(1)", "python"))
    if on_a_case:
        spec = replace(spec, case=CaseRef(version=1, case="secret/1"), input="")
    list(run_experiment(spec, sandbox, tmp_path, package=make_package(tmp_path), author=7))
    assert authors == [7]


def test_order_is_turned_around_in_every_other_round(lab: Lab) -> None:
    spec = make_spec(variant("a", "pass", "python"), variant("b", "pass", "python"), destinations=("file", "pipe"))
    runs = lab.runs(replace(spec, rounds=2))
    cells = [("a", "file"), ("a", "pipe"), ("b", "file"), ("b", "pipe")]
    assert [(run.variant, run.destination) for run in runs] == [*cells, *reversed(cells)]
    assert [run.round for run in runs] == [0] * 4 + [1] * 4
    assert lab.pauses == 2 + 8  # before each compilation and each run


def test_destination_decides_how_output_is_buffered(lab: Lab) -> None:
    spec = make_spec(variant("print", "for i in range(3000): print(i)", "python"), destinations=("file", "terminal"))
    runs = lab.runs(replace(spec, rounds=1))
    writes = {run.destination: run.numbers["write_calls"] for run in runs}
    assert writes["terminal"] == 3_000
    assert writes["file"] < 30


def test_arguments_and_input_reach_the_variant(lab: Lab) -> None:
    source = "import sys\nsys.exit(sys.stdin.read() != 'six\\n' or sys.argv[1:] != ['7'])"
    right, wrong = variant("right", source, "python", args=("7",)), variant("wrong", source, "python")
    runs = lab.runs(make_spec(right, wrong, input="six\n", rounds=1))
    assert [(run.variant, run.verdict) for run in runs] == [("right", ""), ("wrong", "RE")]


def test_variant_that_does_not_compile_takes_no_part(lab: Lab) -> None:
    told = lab.run(make_spec(variant("broken", "int main() { return }"), variant("whole", GATHERED), rounds=2))
    assert isinstance(told[0], VariantFailed)
    assert told[0].variant == "broken"
    assert "error:" in told[0].message
    assert [run.variant for run in told[1:]] == ["whole", "whole"]


def test_endless_variant_is_stopped_and_told(lab: Lab) -> None:
    settings = RunSettings(cpu_time_ms=200, memory_mib=64)
    runs = lab.runs(make_spec(variant("endless", _ENDLESS), rounds=1, settings=settings))
    assert [(run.ending, run.verdict) for run in runs] == [("cpu_limit", "TLE")]


def test_several_processes_may_use_several_cores(lab: Lab) -> None:
    source = (
        "import multiprocessing\nif __name__ == '__main__': multiprocessing.Process(target=sum, args=([1],)).start()"
    )
    settings = RunSettings(cpu_time_ms=2_000, cores=2)
    runs = lab.runs(make_spec(variant("two", source, "python"), rounds=1, settings=settings))
    assert [(run.ending, run.verdict) for run in runs] == [("exited", "")]


def test_outputs_are_checked_where_the_input_is_a_test_case(lab: Lab, tmp_path: Path) -> None:
    package = make_package(tmp_path, limits=replace(LIMITS, stdout="pipe"))
    names = variant("sum", _SUM), variant("wrong", "print(1)", "python"), variant("exits", "exit(3)", "python")
    spec = make_spec(*names, case=CaseRef(version=1, case="secret/1"), rounds=2, destinations=("file", "pipe"))
    runs = lab.runs(spec, package)
    assert {(run.variant, run.verdict) for run in runs} == {("sum", "AC"), ("wrong", "WA"), ("exits", "RE")}
    assert len(runs) == spec.total_runs
    # Of a hidden case an exit code would carry a byte each time.
    assert {run.detail for run in runs if run.variant == "exits"} == {"non-zero exit code"}


def test_budget_of_calls_holds_in_checked_runs(lab: Lab, tmp_path: Path) -> None:
    package = make_package(tmp_path, limits=replace(LIMITS, write_calls=1))
    chatty = "import sys\nfor each in '4', '\\n': print(each, end='', flush=True)"
    spec = make_spec(variant("chatty", chatty, "python"), case=CaseRef(version=1, case="secret/1"), rounds=1)
    assert [run.verdict for run in lab.runs(spec, package)] == ["SLE"]


def test_case_that_is_not_there_is_the_package_s_fault(lab: Lab, tmp_path: Path) -> None:
    spec = make_spec(case=CaseRef(version=1, case="secret/9"))
    with pytest.raises(PackageError, match="secret/9"):
        lab.run(spec, make_package(tmp_path))


def test_problem_s_limits_hold_but_for_what_the_settings_say() -> None:
    usual = limits_over(LIMITS, RunSettings(), "pipe")
    assert usual == replace(LIMITS, stdout="pipe")
    chosen = limits_over(LIMITS, RunSettings(cpu_time_ms=3_000, output_mib=2), "file")
    assert chosen == replace(LIMITS, time_limit_ms=3_000, output_bytes=2 * MIB)


_SPINS = """#include <cstdio>
#include <ctime>
int main() {{ int a, b; if (scanf("%d %d", &a, &b)) while (clock() < {ms} * (CLOCKS_PER_SEC / 1000)) {{}}
printf("%d\\n", a + b); }}
"""


@pytest.mark.thorough
def test_program_over_the_limit_is_compared_under_a_longer_one(lab: Lab, tmp_path: Path) -> None:
    """The slow one takes about ten times the time of the other, and the limit lies between them."""
    package = make_package(tmp_path, limits=replace(LIMITS, time_limit_ms=200))
    programs = variant("slow", _SPINS.format(ms=600)), variant("quick", _SPINS.format(ms=60))
    ratios = {}
    for cpu_time_ms in (0, 5_000):
        case = CaseRef(version=1, case="secret/1", cpu_time_ms=cpu_time_ms)
        runs = lab.runs(make_spec(*programs, case=case, rounds=4, settings=RunSettings()), package)
        verdicts = {(run.variant, run.verdict) for run in runs}
        assert verdicts == {("slow", "AC" if cpu_time_ms else "TLE"), ("quick", "AC")}
        found = difference("cpu_time_us", *(_values(runs, name, "cpu_time_us") for name in ("slow", "quick")))
        assert found.is_told
        assert found.ratio is not None
        ratios[cpu_time_ms] = found.ratio
    assert ratios[5_000] > 1.5 * ratios[0]  # of a stopped run it is too small


def test_program_without_an_end_is_stopped_at_the_longer_limit(lab: Lab, tmp_path: Path) -> None:
    package = make_package(tmp_path, limits=replace(LIMITS, time_limit_ms=200))
    case = CaseRef(version=1, case="secret/1", cpu_time_ms=600)
    run, *_ = lab.runs(make_spec(variant("endless", _ENDLESS), case=case, rounds=1, settings=RunSettings()), package)
    assert (run.ending, run.verdict) == ("cpu_limit", "TLE")
    assert run.numbers["cpu_time_us"] >= 600_000


@pytest.mark.parametrize(("cpu_ms", "wall_ms"), [(100, 2_100), (1_500, 4_500), (4_000, 9_000), (10_000, 15_000)])
def test_run_may_wait_for_some_seconds_only(cpu_ms: int, wall_ms: int) -> None:
    assert run_limits(RunSettings(cpu_time_ms=cpu_ms)).wall_time_ms == wall_ms


def test_timeline_is_kept_when_it_is_asked_for(lab: Lab) -> None:
    source = "import time\nfor _ in range(30): time.sleep(0.01)"
    settings = replace(SETTINGS, sample_ms=20)
    runs = lab.runs(make_spec(variant("waits", source, "python"), rounds=1, settings=settings))
    timeline = runs[0].timeline
    assert len(timeline) > 5
    assert timeline[-1].voluntary_switches >= 25
    assert [point.at_us for point in timeline] == sorted(point.at_us for point in timeline)
    assert timeline[-1].cpu_time_us < timeline[-1].at_us / 2


@pytest.mark.parametrize(("count", "kept"), [(0, 0), (60, 60), (61, 60), (5_000, 60)])
def test_long_timeline_is_thinned_out(count: int, kept: int) -> None:
    points = tuple(
        TimelinePoint(at_us=n, cpu_time_us=n, voluntary_switches=0, involuntary_switches=0) for n in range(count)
    )
    samples = samples_of(points)
    assert len(samples) == kept
    if count:
        assert (samples[0].at_us, samples[-1].at_us) == (0, count - 1)


def test_interactive_problem_is_run_with_its_interactor(lab: Lab, tmp_path: Path) -> None:
    interactor = (
        "import sys\nprint(open(sys.argv[1]).read().strip(), flush=True)\n"
        "sys.exit(42 if sys.stdin.readline().strip() == '10' else 43)\n"
    )
    package = make_package(tmp_path, {"secret/1": ("5\n", "")}, validator=("talk.py", interactor), is_interactive=True)
    programs = variant("double", "print(2 * int(input()))", "python"), variant("same", "print(input())", "python")
    runs = lab.runs(make_spec(*programs, case=CaseRef(version=1, case="secret/1"), rounds=1), package)
    assert [(run.variant, run.verdict) for run in runs] == [("double", "AC"), ("same", "WA")]
    assert runs[0].numbers["cpu_time_us"] > 0
