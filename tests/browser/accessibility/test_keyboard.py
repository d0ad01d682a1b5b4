"""Every journey by keyboard alone, each with what a screen reader is told of it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.load.stack import ROOT
from tests.browser.accessibility import looking, tree
from tests.browser.accessibility.keyboard import Keyboard
from tests.browser.accessibility.world import PASSWORD
from tests.browser.conftest import PageMaker
from tests.browser.problems.test_upload_in_browser import packed
from tests.browser.submissions.test_results_in_browser import can_count

LIBRARY = ROOT / "problems/library"
SUM = (LIBRARY / "sumoftwo/submissions/accepted/sum.py").read_text()
SLOW = (LIBRARY / "countton/submissions/time_limit_exceeded/flush.py").read_text()


def test_a_verdict_is_read_by_keyboard_and_announced_once(student: Keyboard) -> None:
    page = student.page
    student.send("countton", SLOW, "Time limit exceeded")
    page.evaluate("document.body.tabIndex = -1, document.body.focus()")
    student.link("Skip to content")
    case = page.locator("details.case").first
    student.press(case.locator("summary").first)
    expect(case.get_by_role("heading", name="Where the time went")).to_be_visible()
    if can_count():  # opening it has asked for that: the part around it is replaced
        expect(case.get_by_role("row", name=re.compile("^stdin "))).to_be_visible()
    expect(case.locator("summary").first).to_be_focused()
    assert [text for text in student.heard() if "exceeded" in text] == ["Time limit exceeded."]


@pytest.mark.thorough
def test_the_focus_stays_while_the_part_around_it_is_replaced(student: Keyboard) -> None:
    """On a link of the live part that has no id of its own."""
    page = student.page
    student.send("sumoftwo", SUM, "Accepted")
    link = page.locator("#live").get_by_role("link", name="Compare with others…")
    student.reach(link)
    before = page.locator("#live").element_handle()
    page.evaluate("htmx.ajax('GET', location.pathname + 'live?shown=none', {target: '#live', swap: 'outerHTML'})")
    page.wait_for_function("before => !before.isConnected", arg=before)
    expect(link).to_be_focused()


@pytest.mark.thorough
def test_a_rerun_is_asked_for_by_keyboard_and_the_focus_goes_with_it(student: Keyboard) -> None:
    page = student.page
    student.send("countton", SLOW, "Time limit exceeded")
    case = page.locator("details.case").filter(has=page.locator("summary .TLE")).first
    number = str(case.get_attribute("id")).split("-")[1]
    student.press(case.locator("summary").first, "Space")
    student.press(case.locator(".reruns > summary"))
    student.button(re.compile("^Record timeline"))
    heading = case.locator(f"h3#timeline-{number}")
    expect(heading).to_be_focused()
    table = case.locator(".time-table")
    expect(table).to_be_visible()
    expect(heading).to_be_focused()
    student.press(table.locator("summary"))
    expect(table.get_by_role("columnheader", name="cores busy")).to_be_visible()
    expect(table.get_by_role("rowheader").first).to_be_visible()


@pytest.mark.thorough
def test_somebody_signs_up_and_changes_the_language(open_page: PageMaker) -> None:
    page = open_page(viewport={"width": 390, "height": 800})
    keyboard = Keyboard(page)
    page.goto("/")
    menu = page.locator(".menu")
    keyboard.press(page.get_by_text("Menu", exact=True))
    expect(menu).to_have_attribute("open", "")
    page.keyboard.press("Escape")
    expect(menu).not_to_have_attribute("open", "")
    page.keyboard.press("Enter")
    keyboard.reach(page.get_by_role("link", name="Sign up"))
    expect(menu).not_to_have_attribute("open", "")  # it lay over the page
    page.keyboard.press("Enter")
    keyboard.type(page.get_by_label("Username"), "keyboarder")
    keyboard.type(page.get_by_label("Password", exact=True), "a pass phrase")
    keyboard.type(page.get_by_label("Password again"), "a pass phrase")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Sign out")).to_be_visible()
    keyboard.press(page.get_by_role("button", name="한국어"))
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    keyboard.press(page.get_by_role("button", name="English"), "Space")
    expect(page.locator("html")).to_have_attribute("lang", "en")


@pytest.mark.thorough
def test_two_are_compared_by_keyboard(student: Keyboard) -> None:
    page = student.page
    for source in (SUM, f"# again\n{SUM}"):
        student.send("sumoftwo", source, "Accepted")
    page.goto("/submissions/")
    boxes = page.get_by_role("checkbox", name=re.compile("^Compare submission"))
    for place in (0, 1):
        student.press(boxes.nth(place), "Space")
    assert student.heard()[-2:] == ["Choose one more, or several.", "2 chosen."]
    student.button("Compare selected")
    expect(page.get_by_role("region", name="What changed")).to_be_visible()
    student.press(page.locator(".case > summary").first)
    expect(page.locator(".case .metrics").first).to_be_visible()
    student.button("Create link")
    student.button("Revoke link")
    expect(page.get_by_text("Link revoked")).to_be_visible()


@pytest.mark.thorough
def test_a_wrong_form_takes_the_focus_to_what_is_wrong(student: Keyboard) -> None:
    page = student.page
    page.goto("/problems/sumoftwo/")
    editor = page.get_by_role("textbox", name="Source code")
    student.reach(editor)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    page.keyboard.press("Escape")
    student.button(re.compile("^Submit"))
    expect(page.get_by_role("alert").filter(visible=True).first).to_be_focused()


@pytest.mark.thorough
def test_a_package_is_uploaded_by_keyboard(instructor: Keyboard, tmp_path: Path) -> None:
    page = instructor.page
    page.goto("/problems/mine/")
    instructor.link("Upload a problem")
    instructor.files(page.get_by_label("Package (zip)"), str(packed(tmp_path / "by-keyboard.zip")))
    instructor.button("Upload and verify")
    expect(page).to_have_url(re.compile(r"/uploads/\d+/$"))
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    clean = [text for text in instructor.heard() if "lean" in text]
    assert len(clean) == 1, instructor.heard()
    instructor.button(re.compile("^Discard"))
    expect(page.get_by_role("status").first).to_be_visible()


@pytest.mark.thorough
def test_a_problem_is_typed_by_keyboard(instructor: Keyboard, tmp_path: Path) -> None:
    page = instructor.page
    (tmp_path / "double.py").write_text("print(2 * int(input()))\n")
    page.goto("/problems/new/")
    instructor.type(page.get_by_label("Name", exact=True), "By keyboard")
    instructor.type(page.get_by_label("Text", exact=True), "Read $n$ and print twice as much.")
    expect(page.locator("#preview math")).to_be_visible()
    instructor.link("Next: Samples")
    instructor.type(page.get_by_label("Input", exact=True), "4")
    instructor.type(page.get_by_label("Output", exact=True), "8")
    expect(page.locator("[data-step-of=samples] [data-filled]")).not_to_have_attribute("hidden", "")
    instructor.link("Next: Tests and programs")
    instructor.files(page.get_by_label("Drop all files here"), str(tmp_path / "double.py"))
    place = page.get_by_role("combobox", name="Place of double.py")
    instructor.reach(place)
    expect(place).to_have_value(re.compile("accepted"))
    instructor.button("Verify")
    expect(page).to_have_url(re.compile(r"/uploads/\d+/$"))
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()


@pytest.mark.thorough
def test_the_second_factor_is_given_by_keyboard(page: Page, world: dict[str, object]) -> None:
    keyboard = Keyboard(page)
    page.goto("/login/")
    keyboard.type(page.get_by_label("Username"), "guarded")
    keyboard.type(page.get_by_label("Password"), PASSWORD)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Enter the code")).to_be_visible()
    looking.prepare(page)
    assert looking.with_axe(page).wrong == []
    assert [*tree.of_tree(tree.tree(page)), *looking.of_layout(page), *looking.of_focus(page, 390)] == []


@pytest.mark.thorough
def test_nothing_moves_for_those_who_want_no_motion(open_page: PageMaker, sign_in: Callable[[Page, str], None]) -> None:
    page = open_page()
    sign_in(page, "student")
    page.goto("/problems/sumoftwo/")
    mark = "document.body.insertAdjacentHTML('beforeend', '<span class=\"working\"><i></i></span>')"
    for motion, is_moving in (("no-preference", True), ("reduce", False)):
        page.emulate_media(reduced_motion=motion)  # type: ignore[arg-type]
        page.evaluate(mark)
        assert page.evaluate("document.getAnimations().length > 0") is is_moving
