"""From a quadratic program that the limit stopped to its growth, measured by extra runs at a button."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.submissions.test_results_in_browser import LIBRARY, send, verdict

ALL_PAIRS = LIBRARY / "inversions/submissions/time_limit_exceeded/all_pairs.py"


@pytest.mark.thorough
def test_the_growth_is_measured_at_a_button(student_page: Page) -> None:
    send(student_page, "inversions", ALL_PAIRS)
    expect(verdict(student_page)).to_contain_text("Time limit exceeded")
    growth = student_page.get_by_role("region", name="Growth")
    growth.get_by_role("button", name="Measure the growth").click()
    expect(growth).to_contain_text("Extra runs requested.")
    expect(growth).to_contain_text(re.compile(r"to the power of about [12]\.\d \(between .* from extra runs on \d+"))
    expect(growth.locator("svg[role=img] circle").nth(3)).to_be_visible()
    expect(verdict(student_page)).to_contain_text("Time limit exceeded")
