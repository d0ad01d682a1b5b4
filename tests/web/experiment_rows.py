"""Experiments and runs as rows for the pages' tests: numbers are made up, no program runs."""

from dataclasses import replace
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from judge.grading.experiment.results import RunMeasured, VariantFailed
from judge.grading.experiment.spec import METRICS, Claim, ExperimentSpec, PublishedRow, RunSettings, Variant
from judge.models import Experiment, ExperimentRun, Status
from problems.jsonvalues import to_json
from sandbox.types import TimelinePoint

SPEC = ExperimentSpec(
    title="Flushing",
    question="What does `endl` cost?",
    mechanism="Each `endl` is a write of its own.",
    variants=(
        Variant(name="newline", language="cpp", source="int main() {\n  put('\\n');\n}\n"),
        Variant(
            name="endl",
            language="cpp",
            source="int main() {\n  put(endl);\n}\n",
            args=("-n", "20 000"),
            note="It flushes.",
        ),
    ),
    destinations=("file", "pipe"),
    rounds=4,
    settings=RunSettings(cpu_time_ms=1_000, sample_ms=50),
    claims=(
        Claim(
            text="`endl` writes more often", metric="write_calls", more="endl", less="newline", published="4.7 times"
        ),
        Claim(text="`endl` needs more memory", metric="peak_memory_bytes", more="endl", less="newline"),
    ),
    published=(
        PublishedRow(variant="newline", figures={"time": "3.7 s", "writes": "421"}),
        PublishedRow(variant="endl", figures={"time": "17.6 s"}),
    ),
    published_source="Somebody, on a laptop.",
)


def make_own(owner: User, spec: ExperimentSpec = SPEC, **columns: Any) -> Experiment:
    """Somebody's own experiment."""
    return Experiment.objects.create(owner=owner, spec=spec, **columns)


def make_run(user: User, key: str = "own-1", spec: ExperimentSpec = SPEC, **columns: Any) -> ExperimentRun:
    """A run of it that is done, unless the columns say otherwise."""
    runs = columns.pop("runs", measured(spec))
    given = {
        "status": Status.DONE,
        "total_runs": spec.total_runs,
        "toolchains": {"cpp": "g++ 12.2"},
        "machine": {"cores": 2, "cpu_model": "A Processor"},
        "started_at": timezone.now(),
        "finished_at": timezone.now(),
        **columns,
    }
    return ExperimentRun.objects.create(user=user, key=key, spec=spec, runs=tuple(runs), **given)


def measured(spec: ExperimentSpec = SPEC, writes: int = 20_001) -> list[RunMeasured]:
    """Every run of the spec: the second variant writes more often, and takes about ten times the time."""
    found = []
    for number in range(spec.rounds):
        for place, variant in enumerate(spec.variants):
            for destination in spec.destinations:
                run = _run(variant.name, destination, number, 10**place)
                run = replace(run, numbers={**run.numbers, "write_calls": writes if place else 17})
                found.append(run)
    return found


def _run(variant: str, destination: str, number: int, times: int) -> RunMeasured:
    numbers = dict.fromkeys(METRICS, 0)
    cpu = 12_345 * times + 100 * number
    numbers |= {"cpu_time_us": cpu, "user_time_us": cpu // 3, "system_time_us": cpu - cpu // 3}
    numbers |= {"wall_time_us": 2 * cpu, "waiting_time_us": cpu, "peak_memory_bytes": 3_000_000 + 4_096 * (number % 2)}
    numbers |= {"write_bytes": 108_890, "voluntary_switches": 3 * times, "involuntary_switches": number}
    looks = [
        TimelinePoint(at_us=at, cpu_time_us=at // 2, voluntary_switches=at // 10_000, involuntary_switches=at // 40_000)
        for at in range(0, 2 * cpu, 50_000)
    ]
    return RunMeasured(
        variant=variant,
        destination=destination,
        round=number,
        ending="exited",
        verdict="",
        numbers=numbers,
        timeline=tuple(looks),
    )


FAILED = to_json(VariantFailed(variant="endl", message="main.cpp:2:7: error: 'endl' <b>was not declared"))
