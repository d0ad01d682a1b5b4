"""Journeys by keyboard that lead through several pages: a run, a class, a rejudge, an explained number."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.accessibility.keyboard import Keyboard
from tests.browser.accessibility.test_keyboard import SUM
from tests.browser.conftest import PageMaker

pytestmark = pytest.mark.thorough
SignIn = Callable[[Page, str], None]


def test_a_program_is_run_on_ones_own_input(student: Keyboard) -> None:
    page = student.page
    page.goto("/problems/sumoftwo/")
    student.write(SUM)
    choice = page.get_by_label("Run on")
    student.choose(choice, "Own")
    expect(choice).to_be_focused()  # its fields unfold and leave the focus where it is
    student.type(page.get_by_role("textbox", name="Own input"), "40 2\n")
    student.reach(page.get_by_role("button", name="Run", exact=True), backwards=True)
    page.keyboard.press("Enter")
    expect(page.locator("#live").get_by_role("heading", level=2)).to_contain_text("Ended normally")
    assert len([text for text in student.heard() if "Ended normally" in text]) == 1, student.heard()
    student.press(page.locator("#about-numbers > summary"))
    expect(page.locator("#about-numbers dd").first).to_be_visible()


def test_a_class_is_made_joined_and_left(instructor: Keyboard, open_page: PageMaker, sign_in: SignIn) -> None:
    page = instructor.page
    page.goto("/assignments/")
    instructor.link("New assignment")
    instructor.type(page.get_by_label("Title"), "By keyboard")
    instructor.press(page.get_by_role("checkbox", name="Count to n"), "Space")
    instructor.button("Save")
    expect(page.get_by_role("heading", level=1)).to_have_text("By keyboard")
    address = page.get_by_label("Everyone who opens this link can join").input_value()
    student = Keyboard(open_page())
    sign_in(student.page, "student")
    student.page.goto(address)
    student.button("Join")
    expect(student.page.get_by_role("heading", level=1)).to_have_text("By keyboard")
    instructor.link("Class view")
    expect(page.get_by_role("heading", level=1)).to_have_text("Class view")
    instructor.link("By keyboard")
    instructor.button("Remove student")
    expect(page.get_by_text("Nobody has joined yet.")).to_be_visible()


def test_a_rejudge_is_ordered_and_discarded(instructor: Keyboard, open_page: PageMaker, sign_in: SignIn) -> None:
    student = Keyboard(open_page())
    sign_in(student.page, "student")
    student.send("sumoftwo", SUM, "Accepted")
    number = student.page.url.rstrip("/").rsplit("/", 1)[1]
    page = instructor.page
    page.goto("/problems/sumoftwo/rejudges/new")
    older = page.get_by_label("Only submissions judged with another version")
    if older.is_checked():
        instructor.press(older, "Space")
    instructor.type(page.get_by_label("Submissions, by number"), number)
    page.keyboard.press("Tab")
    expect(page.get_by_role("heading", name="1 submission · 1 student")).to_be_visible()
    expect(page.locator("#announced")).to_contain_text("1 submission · 1 student")
    instructor.type(page.get_by_label("Reason"), "To see whether it works by keyboard")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"/rejudges/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_have_text("0 of 1 would change")
    instructor.button("Discard")
    expect(page.get_by_role("status").first).to_contain_text("keeps the result it had")
