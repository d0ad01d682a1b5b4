"""A problem gets less memory; its submissions are judged again, looked at, and the change is applied or discarded."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageMaker

pytestmark = pytest.mark.timeout(240)  # two gradings, then two more

SMALL = "a, b = map(int, input().split())\nprint(a + b)\n"
LARGE = "hoard = b'x' * (100 << 20)\n" + SMALL
PROBLEM = "sumoftwo"
REASON = "The machines of the exam have 64 MiB"


def send(page: Page, source: str) -> str:
    """Send the program in, wait until it is accepted, and return the address of its page."""
    page.goto(f"/problems/{PROBLEM}/")
    page.get_by_label("Language", exact=True).select_option("python")
    editor = page.get_by_role("textbox", name="Source code")
    editor.fill("")  # see `write` in test_submit_in_browser
    editor.fill(source)
    page.get_by_role("button", name="Submit").click()
    expect(page).to_have_url(re.compile(r"/submissions/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Accepted")
    return page.url


def give_memory(page: Page, mebibytes: str) -> None:
    """Change the problem's memory limit; empty is what its package says."""
    page.goto(f"/problems/{PROBLEM}/manage/")
    page.get_by_label("Memory limit").fill(mebibytes)
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("status").first).to_contain_text("judges new submissions from now on")


def start(page: Page, addresses: list[str]) -> None:
    """Have the submissions of these pages judged again, and wait until all are."""
    page.goto(f"/problems/{PROBLEM}/manage/")
    page.get_by_role("link", name="Rejudge").click()
    page.get_by_role("link", name="New rejudge").first.click()
    expect(page.get_by_role("checkbox", name="Only submissions judged with another version")).to_be_checked()
    page.get_by_label("Reason").fill(REASON)
    numbers = page.get_by_label("Submissions, by number")
    with page.expect_response(re.compile("ids=")):  # counting again keeps the reason
        numbers.fill(", ".join(address.rstrip("/").rsplit("/", 1)[1] for address in addresses))
        numbers.blur()
    expect(page.get_by_role("heading", name=f"{len(addresses)} submissions · 1 student")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value(REASON)
    page.get_by_role("button", name=f"Rejudge {len(addresses)} submissions").click()
    expect(page).to_have_url(re.compile(r"/rejudges/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("1 of 2 would change")  # it follows by itself


@pytest.fixture
def two_pages(open_page: PageMaker, sign_in: Callable[[Page, str], None]) -> tuple[Page, Page]:
    """A page of the student and one of the instructor."""
    student, instructor = open_page(), open_page()
    sign_in(student, "student")
    sign_in(instructor, "instructor")
    return student, instructor


@pytest.mark.thorough
def test_what_would_change_is_seen_before_it_is_applied(two_pages: tuple[Page, Page]) -> None:
    student, instructor = two_pages
    small, large = send(student, SMALL), send(student, LARGE)
    give_memory(instructor, "64")
    try:
        start(instructor, [small, large])
        student.goto(large)
        expect(student.get_by_role("heading", level=1)).to_contain_text("Accepted")
        expect(student.get_by_text(REASON)).to_have_count(0)
        changed = instructor.get_by_role("table", name="Number of submissions").get_by_title("from AC to MLE")
        expect(changed).to_have_text("1")
        changed.click()
        expect(instructor.get_by_role("heading", name="From AC to MLE")).to_be_visible()
        instructor.get_by_role("link", name=re.compile("^Open")).click()
        expect(instructor.get_by_role("heading", level=1)).to_contain_text("Memory limit exceeded")
        instructor.get_by_role("link", name=re.compile(r"^rejudge \d+$")).click()
        instructor.get_by_role("button", name="Apply to 2 submissions (1 changed)").click()
        expect(instructor.get_by_role("heading", level=1)).to_have_text("Applied to 2 submissions")
        for address, verdict, change in ((large, "Memory limit exceeded", "AC → MLE"), (small, "Accepted", "AC → AC")):
            student.goto(address)
            expect(student.get_by_role("heading", level=1)).to_contain_text(verdict)
            note = student.get_by_text("Rejudged on").locator("..")
            expect(note).to_contain_text(change)
            expect(note).to_contain_text(REASON)
    finally:
        give_memory(instructor, "")


@pytest.mark.thorough
def test_without_javascript_and_on_a_phone_a_rejudge_is_looked_at_and_discarded(
    open_page: PageMaker, sign_in: Callable[[Page, str], None]
) -> None:
    student = open_page()
    sign_in(student, "student")
    address = send(student, SMALL)
    page = open_page(java_script_enabled=False, viewport={"width": 390, "height": 844}, color_scheme="dark")
    sign_in(page, "instructor")
    page.goto(f"/problems/{PROBLEM}/rejudges/new?asked=on")
    page.get_by_label("Submissions, by number").fill(address.rstrip("/").rsplit("/", 1)[1])
    page.get_by_role("button", name="Count").click()
    page.get_by_label("Reason").fill("To see the times once more")
    page.get_by_role("button", name="Rejudge 1 submission").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("0 of 1 would change")
    expect(page.get_by_text("No verdict or score changes.")).to_be_visible()
    page.get_by_role("link", name="All", exact=True).click()
    assert page.locator("html").bounding_box()["width"] == 390  # type: ignore[index]
    page.get_by_role("link", name=re.compile("^Open")).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Accepted")
    page.go_back()
    page.get_by_role("button", name="Discard").click()
    expect(page.get_by_role("status").first).to_contain_text("Every submission keeps the result it had")
    student.reload()
    expect(student.get_by_text("Rejudged on")).to_have_count(0)
