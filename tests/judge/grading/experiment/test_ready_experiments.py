"""Every ready experiment compiles, runs and shows what it claims, here with a fraction of its work."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.experiment.engine import run_experiment
from judge.grading.experiment.library import ready_experiments
from judge.grading.experiment.results import Outcome, Results, RunMeasured, VariantFailed, summarise
from judge.grading.experiment.spec import COUNTS, ExperimentSpec
from sandbox.jail.nsjail import NsjailSandbox

KEYS = ["e1-leftover-print", "e2-line-buffered-stdout", "e3-logging", "e4-threads-processes-loop"]
LESS_WORK = {
    "500_000": "20_000",
    "500'000": "20'000",
    "REQUESTS = 200\n": "REQUESTS = 60\n",
    "REQUESTS = 3_000": "REQUESTS = 200",
    "TASKS = 20_000": "TASKS = 200",
    'b"salt", 20_000': 'b"salt", 200',
}
Found = dict[tuple[str, str], list[RunMeasured]]
Show = Callable[[str], tuple[Results, Found]]


def made_small(spec: ExperimentSpec) -> ExperimentSpec:
    """The same with two rounds and less work in each run."""

    def small(source: str) -> str:
        for much, little in LESS_WORK.items():
            source = source.replace(much, little)
        return source

    variants = tuple(replace(variant, source=small(variant.source)) for variant in spec.variants)
    assert spec.input or all(new.source != old.source for new, old in zip(variants, spec.variants, strict=True))
    return replace(spec, variants=variants, rounds=2, input=with_three_antennas(spec.input) if spec.input else "")


def with_three_antennas(text: str) -> str:
    first, stations, reaches = text.splitlines()
    flats, count, _ = first.split()
    return f"{flats} {count} 3\n{stations}\n{' '.join(reaches.split()[:3])}\n"


@pytest.fixture
def show(sandbox: NsjailSandbox, work_root: Path) -> Show:
    """A function that runs a small form of the experiment, every run of which must end well."""

    def run(key: str) -> tuple[Results, Found]:
        spec = made_small(ready_experiments()[key])
        found: Found = {}
        for told in run_experiment(spec, sandbox, work_root):
            assert not isinstance(told, VariantFailed), told.message
            assert (told.ending, told.verdict, told.detail) == ("exited", "", ""), told
            found.setdefault((told.variant, told.destination), []).append(told)
        results = summarise(spec, [each for runs in found.values() for each in runs], ())
        assert_counts_are_reproduced(results)
        return results, found

    return run


def assert_counts_are_reproduced(results: Results) -> None:
    for tested in results.claims:
        if tested.claim.metric in COUNTS:
            assert tested.difference is not None
            assert (tested.outcome, tested.difference.is_exact) == (Outcome.REPRODUCED, True), tested


def least(found: Found, metric: str, variant: str, destination: str = "file") -> int:
    return min(run.numbers[metric] for run in found[variant, destination])


@pytest.mark.parametrize("key", KEYS)
def test_an_experiment_says_what_it_shows_and_whose_figures_stand_beside_ours(key: str) -> None:
    spec = ready_experiments()[key]
    assert len(re.findall(r"[.!?](?=\s|$)", spec.mechanism)) == 3
    assert spec.question.endswith("?")
    assert all(variant.note.endswith(".") for variant in spec.variants)
    assert spec.claims
    assert spec.published
    assert spec.published_source


@pytest.mark.thorough
def test_leftover_prints_show_in_writes_and_cpu_time_in_each_language(show: Show) -> None:
    _, found = show(KEYS[0])
    gaps = 6_000 * 3
    for variant, calls in {"python-flush": 2 * gaps, "cpp-endl": 2 * gaps, "rust-println": 2 * gaps}.items():
        assert calls < least(found, "write_calls", variant) <= calls + 2
    answers = {least(found, "write_bytes", variant) for variant in ("python", "cpp", "rust")}
    assert len(answers) == 1
    for clean, *others in (("cpp", "cpp-endl", "cpp-cerr"), ("rust", "rust-println", "rust-eprintln")):
        for other in others:
            assert least(found, "cpu_time_us", other) > 1.5 * least(found, "cpu_time_us", clean)


@pytest.mark.thorough
def test_who_writes_line_by_line_shows_in_writes_under_each_destination(show: Show) -> None:
    _, found = show(KEYS[1])
    for destination in ("file", "pipe", "terminal"):
        calls = {variant: runs[0].numbers for (variant, where), runs in found.items() if where == destination}
        assert {numbers["write_bytes"] for numbers in calls.values()} == {108_890}
        for variant in ("rust-println", "rust-locked", "cpp-endl", "python-flush"):
            assert calls[variant]["write_calls"] == 20_000
        for variant in ("rust-bufwriter", "cpp-newline"):
            assert calls[variant]["write_calls"] < 20
    for more, less in (("rust-println", "rust-bufwriter"), ("cpp-endl", "cpp-newline")):
        assert least(found, "cpu_time_us", more) > 1.5 * least(found, "cpu_time_us", less)


def test_synchronous_logging_shows_in_voluntary_switches(show: Show) -> None:
    results, found = show(KEYS[2])
    assert least(found, "voluntary_switches", "synchronous") >= 200
    assert least(found, "voluntary_switches", "synchronous") > 2 * least(found, "voluntary_switches", "asynchronous")
    assert all(cell.timeline for cell in results.cells)


@pytest.mark.thorough
def test_threads_take_turns_and_waits_go_on_side_by_side(show: Show) -> None:
    _, found = show(KEYS[3])
    assert least(found, "voluntary_switches", "threads-4") > least(found, "voluntary_switches", "sequential")
    one_by_one = least(found, "wall_time_us", "waits-1-thread")
    assert one_by_one >= 60 * 12_000
    assert least(found, "wall_time_us", "waits-10-threads") < one_by_one
    assert least(found, "wall_time_us", "loop") < one_by_one
    assert least(found, "waiting_time_us", "waits-1-thread") > least(found, "waiting_time_us", "sequential")
