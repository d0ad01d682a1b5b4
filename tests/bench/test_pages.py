"""The report of bench/pages.py."""

from typing import Any

import pytest

from bench.pages import HERE, THERE, Figure, as_markdown, summary

PARTS = {HERE: {"queries": 60.0, "templates": 40.0}, THERE: {"templates": 90.0, "queries": 10.0}}


def _figure(name: str, here: float, there: float | None) -> Figure:
    sides = {HERE: here} | ({} if there is None else {THERE: there})
    ratio = None if there is None else here / there
    return Figure(
        name=name,
        cpu_ms=sides,
        statements=dict.fromkeys(sides, 7),
        bytes=dict.fromkeys(sides, 9_000),
        ratio=ratio,
        ratio_low=ratio,
        ratio_high=ratio,
        parts={side: PARTS[side] for side in sides},
    )


def _report(figures: list[Figure], against: str) -> dict[str, Any]:
    machine = {"cores": 2, "cpu_model": "A", "kernel": "B", "cgroup_version": 1, "load_at_start": 0.1, "compilers": {}}
    pages = [
        {
            name: getattr(each, name)
            for name in ("name", "cpu_ms", "statements", "ratio", "ratio_low", "ratio_high", "parts")
        }
        for each in figures
    ]
    return {
        "machine": machine, "command": "python -m bench.pages", "against": against, "rounds": 2, "requests": 3,
        "summary": summary(figures), "pages": pages,
    }  # fmt: skip


def test_a_typical_page_is_the_geometric_mean_of_the_ratios() -> None:
    found = summary([_figure("a", 1.0, 4.0), _figure("b", 16.0, 16.0)])
    assert found["typical_ratio"] == pytest.approx(0.5)
    assert found["worst_ratio"] == 1.0
    assert (found["mean_ms_here"], found["mean_ms_before"]) == (8.5, 10.0)


def test_the_page_compares_both_sides() -> None:
    page = as_markdown(_report([_figure("home", 2.0, 8.0)], "abc123"))
    assert "Before: commit abc123" in page
    assert "| home | 8.0 | 2.0 | 0.25 | 0.25 to 0.25 | 7 | 7 |" in page
    assert "Most of it, as the mean of all pages: queries 60 %, templates 40 %." in page
    assert "| home | 90 | 10 |" in page.partition("## Where the time was before")[2].partition("##")[0]
    assert "| home | 60 | 40 |" in page.partition("## Where it is now")[2]


def test_without_a_commit_there_are_no_ratios() -> None:
    figures = [_figure("home", 2.0, None)]
    page = as_markdown(_report(figures, ""))
    assert "| home | 2.0 | 7 |" in page
    assert "ratio" not in page
    assert "typical_ratio" not in summary(figures)
