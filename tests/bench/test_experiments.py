"""The command that runs the experiments: what it writes, what it keeps, and when it fails."""

import json
from dataclasses import replace

import pytest

from bench.experiment.page import with_figures
from bench.experiment.report import Measured, outcome_lines, rate, report_of
from bench.experiments import PAGE, REPORT, is_reversed, main
from judge.grading.experiment.library import ready_experiments
from judge.grading.experiment.results import RunMeasured, summarise
from judge.grading.experiment.spec import METRICS, Claim, ExperimentSpec, Variant
from sandbox.types import TimelinePoint

MACHINE: dict[str, object] = {
    "cores": 2,
    "cpu_model": "a processor",
    "kernel": "Linux 6.1",
    "cgroup_version": 2,
    "compilers": {"g++": "g++ 12"},
    "load_at_start": 0.0,
}
SPEC = ExperimentSpec(
    title="Flushing",
    question="What does it cost?",
    variants=(
        Variant(name="endl", language="cpp", source="int main() {}"),
        Variant(name="newline", language="cpp", source="int main() {}"),
    ),
    rounds=4,
    claims=(Claim(text="More writes", metric="write_calls", more="endl", less="newline", published="a lot"),),
)
TIMELINE = tuple(
    TimelinePoint(at_us=at_us, cpu_time_us=0, voluntary_switches=switches, involuntary_switches=0)
    for at_us, switches in ((0, 0), (100_000, 50), (200_000, 100), (300_000, 100))
)


def run(variant: str, number: int, writes: int) -> RunMeasured:
    numbers = {**dict.fromkeys(METRICS, 1_000 + number), "write_calls": writes, "write_bytes": 8_000}
    return RunMeasured(
        variant=variant,
        destination="file",
        round=number,
        ending="exited",
        verdict="",
        numbers=numbers,
        timeline=TIMELINE,
    )


def measured(endl: int, newline: int, key: str = "e1-leftover-print") -> Measured:
    """Four runs of each, of so many writes."""
    runs = [run(name, number, writes) for number in range(4) for name, writes in (("endl", endl), ("newline", newline))]
    results = summarise(SPEC, runs, ())
    return Measured(key=key, spec=SPEC, machine=MACHINE, took_s=7, results=results, latencies={})


@pytest.mark.parametrize(
    ("endl", "newline", "key", "fails"),
    [
        (1_000, 2, "e1-leftover-print", False),
        (2, 2, "e1-leftover-print", False),
        (2, 1_000, "e1-leftover-print", True),
        (2, 1_000, "e2-line-buffered-stdout", True),
        (2, 1_000, "e4-threads-processes-loop", True),
        (2, 1_000, "e3-logging", False),
    ],
)
def test_a_reversed_claim_fails_where_it_must_hold(endl: int, newline: int, key: str, fails: bool) -> None:
    assert is_reversed(measured(endl, newline, key)) is fails


def test_a_claim_that_was_not_measured_fails_too() -> None:
    found = measured(1_000, 2)
    nothing = summarise(SPEC, [], ())
    assert is_reversed(replace(found, results=nothing))
    assert "not measured: More writes" in outcome_lines(replace(found, results=nothing))


def test_report_has_every_claim_with_its_outcome_and_every_number() -> None:
    report = json.loads(json.dumps(report_of(measured(1_000, 2))))
    (claim,) = report["claims"]
    assert (claim["outcome"], claim["ratio"], claim["is_exact"]) == ("reproduced", 500, True)
    assert [cell["variant"] for cell in report["cells"]] == ["endl", "newline"]
    assert report["cells"][0]["estimates"].keys() == set(METRICS)
    assert report["cells"][0]["voluntary_switches_per_s"] == 500
    assert (report["machine"], report["rounds"]) == (MACHINE, 4)


def test_what_was_not_sampled_has_no_rate() -> None:
    assert rate(()) is None
    assert rate(TIMELINE[:1]) is None


def test_figures_go_between_their_marks_and_nowhere_else() -> None:
    begin, end = "<!-- figures of e1: written by bench/experiments.py -->", "<!-- end of figures -->"
    page = f"before\n\n{begin}\nold\n{end}\n\nafter {end}\n"
    new = with_figures(page, {"e1": report_of(measured(1_000, 2))})
    assert new.startswith(f"before\n\n{begin}\n\n| claim |")
    assert new.endswith(f"{end}\n\nafter {end}\n")
    assert "old" not in new
    assert "| More writes | a lot | write calls: 500, exact | reproduced |" in new
    assert "| endl | file | 0.001 s | 0.001 s | 0.001 s | 1,000 | about 1,002 | 8 | 500 |" in new
    assert "4 rounds in 7 s; 2 cores, a processor" in new
    assert with_figures(new, {"e1": report_of(measured(1_000, 2))}) == new


def test_a_page_without_a_place_for_an_experiment_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for the figures of e1"):
        with_figures("nothing here", {"e1": report_of(measured(1_000, 2))})


def test_the_page_quotes_the_report_of_every_ready_experiment() -> None:
    reports = json.loads(REPORT.read_text("utf-8"))
    page = PAGE.read_text("utf-8")
    assert with_figures(page, reports) == page
    for key, spec in ready_experiments().items():
        assert [claim["text"] for claim in reports[key]["claims"]] == [claim.text for claim in spec.claims]


@pytest.mark.parametrize("arguments", [["--only", "e9"], ["--rounds", "0"]])
def test_what_makes_no_sense_is_refused_before_anything_runs(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
