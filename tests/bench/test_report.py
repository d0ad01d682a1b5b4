"""The report has every figure with its bar, and says of each whether it is met."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bench.jail.contest import Bout, Pair
from bench.jail.fidelity import fidelity_of, spread_ratio
from bench.jail.figures import Figure, figures_of, table_rows
from bench.jail.measuring import Samples
from bench.jail.page import cost_figures
from bench.jail.statistic import interval, quantile, spread
from bench.sandbox import report_as_json

ROOT = Path(__file__).resolve().parents[2]
BARS = {
    "per_case_over_bare_ms_p50": 0.9,
    "python_over_bare_ms_p50": 1.5,
    "oversubscribed_over_bare_ms_p50": 2,
    "open_jail_ms_p50": 20,
    "open_jail_cpu_ms_p50": None,
    "writes_500k_ratio": 1.05,
    "profile_writes_500k_ratio": None,
    "meter_attach_ms_p50": 100,
    "meter_detach_ms_p50": 100,
    "cpu_bound_ratio": 1.01,
    "cpu_time_error_pct": 2,
    "cpu_spread_ratio": 1,
}


def _samples(jailed: float = 1_000, spread_of_jailed: float = 10) -> Samples:
    """Samples of bare runs of about 1,000 us, and jailed ones of `jailed`."""
    samples = Samples(
        open_jail=[5_000.0] * 20, open_jail_cpu=[9_000.0] * 20, attach=[20_000.0] * 20, detach=[100.0] * 20
    )
    for number in range(20):
        pair = Pair(bare=1_000 + number, jailed=jailed + number / 10 * spread_of_jailed)
        bout = Bout(wall=pair, cpu=pair)
        for bouts in (samples.tiny, samples.python, samples.crowded):
            bouts.append(bout)
        samples.writes.append(pair)
        samples.profiled_writes.append(pair)
        for series in samples.bound:
            series.pairs.append(pair)
    return samples


def _figures(samples: Samples) -> dict[str, Figure]:
    return {each.name: each for each in figures_of(samples, [fidelity_of(series) for series in samples.bound])}


@pytest.mark.thorough
def test_report_of_one_tiny_round_has_every_figure(work_root: Path) -> None:
    command = [sys.executable, str(ROOT / "bench/sandbox.py"), "--json", "--rounds", "1", "--work", "10"]
    asked = subprocess.run(
        [*command, "--work-dir", str(work_root)], capture_output=True, text=True, timeout=100, check=True
    )
    report = json.loads(asked.stdout)
    assert {name: figure["bar"] for name, figure in report["figures"].items()} == BARS
    assert all(report[name] == figure["value"] for name, figure in report["figures"].items())
    measured = {name for name in BARS if report[name] is not None}
    assert {name for name in BARS if "meter" not in name and "profile" not in name} <= measured
    assert report["per_case_over_bare_ms_p50"] > 0
    assert report["profile_writes_500k_ratio"] is None or report["profile_writes_500k_ratio"] > 1
    assert 0.5 < report["cpu_bound_ratio"] < 2
    assert report["machine"]["cores"] >= 1
    assert report["machine"]["compilers"]["g++"].startswith("g++")
    assert len({(each["program"], each["condition"]) for each in report["fidelity"]}) == 12


def test_what_is_as_fast_as_bare_meets_its_bars() -> None:
    figures = _figures(_samples())
    assert {name for name, figure in figures.items() if not figure.is_met} == {
        name for name in BARS if BARS[name] is None
    }
    assert figures["cpu_bound_ratio"].value == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "jailed"),
    [
        ("per_case_over_bare_ms_p50", 2_000),
        ("python_over_bare_ms_p50", 2_700),
        ("oversubscribed_over_bare_ms_p50", 3_200),
        ("writes_500k_ratio", 1_070),
        ("cpu_bound_ratio", 1_030),
        ("cpu_time_error_pct", 1_050),
        ("cpu_time_error_pct", 950),
    ],
)
def test_what_is_slower_than_its_bar_is_not_met(name: str, jailed: float) -> None:
    assert _figures(_samples(jailed))[name].is_met is False


def test_wider_spread_is_not_met_and_a_narrower_one_is() -> None:
    assert _figures(_samples(spread_of_jailed=30))["cpu_spread_ratio"].is_met is False
    assert _figures(_samples(spread_of_jailed=5))["cpu_spread_ratio"].is_met is True


def test_error_within_the_noise_is_left_open() -> None:
    samples = _samples()
    noisy = [Pair(bare=1_000 + number % 7 * 40, jailed=1_030 + number % 5 * 60) for number in range(20)]
    samples.bound[0].pairs[:] = noisy
    figure = _figures(samples)["cpu_time_error_pct"]
    assert figure.value is not None
    assert figure.value > 2
    assert figure.is_met is None
    assert [row[4] for row in table_rows([figure])] == ["met", "open"]


def test_one_sure_error_is_not_hidden_by_a_larger_noisy_one() -> None:
    samples = _samples()
    samples.bound[0].pairs[:] = [Pair(bare=1_000 + n % 7 * 40, jailed=1_030 + n % 5 * 60) for n in range(20)]
    samples.bound[1].pairs[:] = [Pair(bare=1_000, jailed=1_025)] * 20
    assert _figures(samples)["cpu_time_error_pct"].is_met is False


def test_without_a_meter_its_figures_are_missing_and_said_to_be() -> None:
    samples = replace(_samples(), profiled_writes=[], attach=[], detach=[], meter_problem="no BPF")
    figures = _figures(samples)
    missing = {name for name, figure in figures.items() if figure.value is None}
    assert missing == {"profile_writes_500k_ratio", "meter_attach_ms_p50", "meter_detach_ms_p50"}
    assert [row[4] for row in table_rows([figures["meter_attach_ms_p50"]])] == ["met", "not measured"]


def test_table_for_the_page_says_what_is_met_and_what_was_not_measured() -> None:
    samples = replace(_samples(jailed=2_000), attach=[])
    bound = [fidelity_of(series) for series in samples.bound]
    described = {
        "cores": 2,
        "cpu_model": "X",
        "kernel": "Linux",
        "cgroup_version": 2,
        "compilers": {},
        "load_at_start": 0,
    }
    shown = cost_figures(report_as_json(described, 20, figures_of(samples, bound), bound))
    assert "| one more case of a tiny C++ program | 1.00 ms | 1.00 to 1.00 | 0.9 | **no** |" in shown
    assert "| opening a jail | 5.00 ms | 5.00 to 5.00 | 20 | yes |" in shown
    assert "| CPU time of opening and closing it | 9.00 ms | 9.00 to 9.00 | - | - |" in shown
    assert "| attaching the meter | - | - | 100 | not measured |" in shown
    assert "| the same under the meter | 1.99 of bare | 1.98 to 2.00 | - | - |" in shown


def test_quantiles_and_spreads() -> None:
    assert quantile([3, 1, 2], 0.5) == 2
    assert quantile([0, 10], 0.95) == pytest.approx(9.5)
    assert quantile([7], 0.05) == 7
    assert spread([100, 100, 100]) == 0
    assert spread(list(range(100, 201))) == pytest.approx(90 / 150)
    assert spread_ratio([[Pair(bare=100, jailed=100)], [Pair(bare=110, jailed=130)]]) == pytest.approx(
        (30 / 115) / (10 / 105)
    )


def test_interval_holds_the_figure_and_narrows_with_more_items() -> None:
    few, many = ([float(n % 10) for n in range(count)] for count in (10, 1_000))
    low, high = interval(few, lambda items: sum(items) / len(items))
    narrow_low, narrow_high = interval(many, lambda items: sum(items) / len(items))
    assert low < narrow_low < 4.5 < narrow_high < high
