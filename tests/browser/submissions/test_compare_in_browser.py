"""Comparing on a phone without JavaScript: chosen in the list, looked at, run again in turns, shown to others."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageMaker

PROGRAMS = Path(__file__).parents[3] / "problems/library/countton/submissions"
THREE = ("time_limit_exceeded/endl.cpp", "accepted/newline.cpp", "accepted/printf.cpp")
PHONE = {"width": 390, "height": 844}


def _send(page: Page, program: str) -> int:
    """Send it to the problem and wait for the verdict; returns the submission's number."""
    page.goto("/problems/countton/")
    page.get_by_label("Language", exact=True).select_option("cpp")
    page.get_by_label("Your program").fill((PROGRAMS / program).read_text())
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("Accepted|Time limit exceeded"))
    return int(page.url.rstrip("/").rsplit("/", 1)[1])


def _fits(page: Page) -> bool:
    return bool(page.locator("html").evaluate("html => html.scrollWidth <= html.clientWidth"))


@pytest.mark.thorough
def test_three_are_compared_run_in_turns_and_shared(open_page: PageMaker, sign_in: Callable[[Page, str], None]) -> None:
    page = open_page(viewport=PHONE, java_script_enabled=False)
    sign_in(page, "student")
    sent = [_send(page, program) for program in THREE]
    page.goto("/submissions/")
    for number in sent:
        page.get_by_label(f"Compare submission {number}", exact=True).check()
    page.get_by_role("button", name="Compare selected").click()
    story = page.get_by_role("region", name="What changed")
    expect(story).to_contain_text("From time limit exceeded (A) over accepted (B) to accepted (C).")
    expect(page.get_by_role("region", name="Every metric").locator("figure")).to_have_count(10)
    for summary in page.locator("main details > summary").all():
        summary.click()
    assert _fits(page)

    page.get_by_role("link", name="Leave out").last.click()
    compared = page.url
    page.get_by_role("combobox", name="Test case").select_option("secret/04-medium")
    page.get_by_label("Rounds").fill("5")
    page.get_by_role("button", name="Run interleaved").click()
    expect(page).to_have_url(re.compile(r"/experiments/runs/\d+/$"))
    again = page.get_by_role("region", name="Which is faster?")
    page.goto(compared)
    for _ in range(120):  # without JavaScript a page is loaded again by hand
        if "Interleaved runs on" in again.inner_text():
            break
        page.wait_for_timeout(1_000)
        page.reload()
    expect(again).to_contain_text("B is faster than A. A takes ")
    expect(again).to_contain_text(re.compile(r"[\d,]+\u00d7 fewer"))
    assert _fits(page)

    page.get_by_role("button", name="Create link").click()
    address = page.url
    assert _fits(page)
    other = open_page(viewport=PHONE)
    sign_in(other, "instructor")
    other.goto(address)
    expect(other.get_by_role("heading", name="Submission A")).to_be_visible()
    expect(other.get_by_role("region", name="Which is faster?")).to_contain_text("Interleaved runs on")
    assert _fits(other)
    page.get_by_role("button", name="Revoke link").click()
    expect(page.get_by_text("Link revoked")).to_be_visible()
    answer = other.goto(address)
    assert answer is not None
    assert answer.status == 404
