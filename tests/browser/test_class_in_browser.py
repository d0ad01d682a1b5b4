"""An instructor's class in the browser, and a person's account: at both widths, and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import PageMaker

WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 390, "height": 800}
ASKED = [
    pytest.param(WIDE, True, id="wide"),
    pytest.param(NARROW, True, id="narrow", marks=pytest.mark.thorough),
    pytest.param(NARROW, False, id="no scripts", marks=pytest.mark.thorough),
]
NEW_PHRASE = "an entirely new phrase"


def _page(open_page: PageMaker, viewport: dict[str, int], has_scripts: bool) -> Page:
    return open_page(viewport=viewport, java_script_enabled=has_scripts)


@pytest.mark.parametrize(("viewport", "has_scripts"), ASKED)
def test_assignment_is_made_deleted_and_brought_back(
    open_page: PageMaker, sign_in: Callable[[Page, str], None], viewport: dict[str, int], has_scripts: bool
) -> None:
    page = _page(open_page, viewport, has_scripts)
    sign_in(page, "instructor")
    page.goto("/assignments/new/")
    title = f"Buffers {viewport['width']} {has_scripts}"
    page.get_by_label("Title").fill(title)
    page.get_by_role("checkbox", name="Count to n").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(title)
    link = page.url
    page.get_by_role("link", name="Delete assignment").click()
    expect(page.get_by_text("You can undo this for 30 days.")).to_be_visible()
    page.get_by_role("button", name="Delete assignment").click()
    expect(page.get_by_text(f"{title} is deleted. Undo it below if that was a mistake.")).to_be_visible()
    answer = page.goto(link)
    assert answer is not None
    assert answer.status == 404
    page.goto("/assignments/")
    page.get_by_role("button", name=f"Undo the deletion of {title}").click()
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text(title)


def test_times_are_in_the_browsers_zone(open_page: PageMaker, sign_in: Callable[[Page, str], None]) -> None:
    page = open_page(timezone_id="Asia/Seoul")
    sign_in(page, "instructor")
    page.goto("/assignments/new/")
    expect(page.get_by_label("Counts until (Asia/Seoul)")).to_be_visible()


@pytest.mark.parametrize(("viewport", "has_scripts"), ASKED)
def test_problems_are_searched_and_numbered(
    open_page: PageMaker, sign_in: Callable[[Page, str], None], viewport: dict[str, int], has_scripts: bool
) -> None:
    page = _page(open_page, viewport, has_scripts)
    sign_in(page, "instructor")
    page.goto("/assignments/new/")
    page.get_by_label("Title").fill("Order")
    search, boxes = page.get_by_role("searchbox", name="Search"), page.locator("#problem-choices li")
    number = boxes.count()
    if has_scripts:
        search.fill("COUNT  to")
        expect(boxes.filter(visible=True)).to_have_text(["Count to n"])
        search.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("New assignment")
        page.get_by_role("checkbox", name="Count to n").check()
        search.fill("")
    else:
        expect(search).to_have_count(0)
        page.get_by_role("checkbox", name="Count to n").check()
    expect(boxes.filter(visible=True)).to_have_count(number)
    page.get_by_role("checkbox", name="Sum of Two Numbers").check()
    page.get_by_role("spinbutton", name="Number of Sum of Two Numbers in the order").fill("1")
    page.get_by_role("spinbutton", name="Number of Count to n in the order").fill("2")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".class-progress th[scope=row]")).to_have_text(["Sum of Two Numbers", "Count to n"])


@pytest.mark.parametrize(("viewport", "has_scripts"), ASKED)
def test_password_is_changed_and_the_old_one_is_refused(
    open_page: PageMaker, viewport: dict[str, int], has_scripts: bool
) -> None:
    page = _page(open_page, viewport, has_scripts)
    name, phrase = f"w{viewport['width']}{has_scripts}", "the phrase of the first day"
    page.goto("/signup/")
    page.get_by_label("Username").fill(name)
    page.get_by_label("Password", exact=True).fill(phrase)
    page.get_by_label("Password again").fill(phrase)
    page.locator("main").get_by_role("button", name="Sign up").click()
    page.goto("/account/password/")
    page.get_by_label("Current password").fill(phrase)
    page.get_by_label("New password", exact=True).fill(NEW_PHRASE)
    page.get_by_label("New password again").fill(NEW_PHRASE)
    page.locator("main").get_by_role("button", name="Change password").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    fresh = _page(open_page, viewport, has_scripts)
    for tried, is_taken in ((phrase, False), (NEW_PHRASE, True)):
        fresh.goto("/login/")
        fresh.get_by_label("Username").fill(name)
        fresh.get_by_label("Password").fill(tried)
        fresh.locator("main").get_by_role("button", name="Sign in").click()
        fresh.goto("/account/")
        expect(fresh.get_by_role("heading", level=1)).to_have_text(name if is_taken else "Sign in")
