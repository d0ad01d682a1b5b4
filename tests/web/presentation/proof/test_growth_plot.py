"""The picture of a program's growth: where things are, and how exactly it tells them to whom."""

from dataclasses import asdict

import pytest
from django.template.loader import render_to_string

from judge.grading.explain import explain
from tests.judge.grading.explain.test_growth import quadratic
from web.access.rounding import EXACT, Rounding
from web.presentation.result.findings import GrowthPlot, growth_plot

HIDDEN = Rounding(is_exact=False, time_limit_us=1_000_000)
FOUND = asdict(next(finding for finding in explain(quadratic()) if finding.code == "growth"))


def drawn(shown: Rounding) -> GrowthPlot:
    plot = growth_plot(FOUND["evidence"], shown)
    assert plot is not None
    return plot


@pytest.mark.parametrize("shown", [EXACT, HIDDEN])
def test_all_of_it_is_inside_the_drawing(shown: Rounding) -> None:
    plot = drawn(shown)
    assert len(plot.dots) >= 3
    places = [*(part for dot in plot.dots for part in dot), *plot.line, plot.limit_y]
    places += [tick.x for tick in (*plot.sizes, *plot.times)]
    assert all(place is not None and 0 <= place <= 100 for place in places)
    assert 1 <= len(plot.sizes) <= 5
    assert 1 <= len(plot.times) <= 5


def test_a_power_is_a_straight_line_through_the_dots() -> None:
    plot = drawn(EXACT)
    x1, y1, x2, y2 = plot.line
    for x, y in plot.dots:
        assert y == pytest.approx(y1 + (y2 - y1) * (x - x1) / (x2 - x1), abs=1)
    assert x2 > plot.dots[-1][0]  # as far as the largest input


def test_numbers_of_hidden_cases_are_rounded_in_it() -> None:
    assert "19.7 ms" in drawn(EXACT).description.replace("\xa0", " ")
    hidden = drawn(HIDDEN).description.replace("\xa0", " ")
    assert hidden.endswith(": 4.8 KiB: 20 ms, 9.7 KiB: 80 ms, 20 KiB: 0.32 s.")


def test_of_hidden_cases_the_line_tells_no_more_than_the_rounded_dots() -> None:
    size, time = FOUND["evidence"]["line"]
    other = {**FOUND["evidence"], "line": [size + 3, time + 101], "power_percent": 203}
    assert growth_plot(other, HIDDEN) == drawn(HIDDEN)
    assert growth_plot(other, EXACT) != drawn(EXACT)
    largest = {**FOUND["evidence"], "largest_bytes": FOUND["evidence"]["largest_bytes"] + 3}
    assert growth_plot(largest, HIDDEN) == drawn(HIDDEN)


def test_the_page_has_it_with_a_text_alternative() -> None:
    page = render_to_string("proof/growth_plot.html", {"plot": drawn(EXACT)})
    assert f'aria-label="{drawn(EXACT).description}"' in page
    assert page.count("<circle") == page.count('<th scope="row">') == len(drawn(EXACT).dots)
    assert "style=" not in page


def test_without_numbers_there_is_no_picture() -> None:
    tiny = {**FOUND["evidence"], "points": [[1_234, 3_000], [2_345, 5_000]]}
    assert growth_plot(tiny, HIDDEN) is None
