"""From a stranger to a verdict, as a person does it; and the editor's ways to get a program in."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from bench.load.stack import ROOT
from tests.browser.conftest import PageMaker

PROBLEM = "/problems/sumoftwo/"
ACCEPTED = ROOT / "problems/library/sumoftwo/submissions/accepted"
LANGUAGES = [("python", "sum.py"), ("cpp", "sum.cpp"), ("rust", "sum.rs")]


def editor(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Source code")


def write(page: Page, text: str) -> None:
    """Write into the editor. It is emptied first: Chromium gives what replaces coloured text an inline style, which the
    content security policy blocks and the console reports."""
    editor(page).fill("")
    editor(page).fill(text)


def language(page: Page) -> Locator:
    return page.get_by_label("Language", exact=True)


def expect_accepted(page: Page) -> None:
    """The page follows the grading by itself, without being loaded again."""
    expect(page).to_have_url(re.compile(r"/submissions/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Accepted")


def test_stranger_signs_up_and_gets_a_verdict(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Start here: Sum of Two Numbers").click()
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Username").fill("newcomer")
    page.get_by_label("Password", exact=True).fill("a pass phrase")
    page.get_by_label("Password again").fill("a pass phrase")
    page.locator("main").get_by_role("button", name="Sign up").click()
    expect(page).to_have_url(PROBLEM)
    hints = page.locator("details.hints-of-statement")
    expect(hints).not_to_have_attribute("open", "")
    language(page).select_option("python")
    write(page, (ACCEPTED / "sum.py").read_text())
    page.get_by_role("button", name="Submit").click()
    expect_accepted(page)
    page.goto("/problems/")
    row = page.get_by_role("row", name="Sum of Two Numbers")
    expect(row.get_by_role("link", name="AC")).to_be_visible()
    page.get_by_role("link", name="You have solved 1 of").click()
    page.get_by_role("row", name="Sum of Two Numbers").get_by_role("link", name="statistics").click()
    expect(page.get_by_role("row", name="you").first).to_be_visible()
    page.get_by_role("link", name="Sum of Two Numbers").click()
    expect(hints).to_have_attribute("open", "")


@pytest.mark.parametrize(("language_id", "file"), LANGUAGES)
def test_every_language_is_accepted(student_page: Page, language_id: str, file: str) -> None:
    student_page.goto(PROBLEM)
    language(student_page).select_option(language_id)
    write(student_page, (ACCEPTED / file).read_text())
    editor(student_page).press("Control+Enter")
    expect_accepted(student_page)


def test_without_javascript_a_program_is_sent_as_text(
    open_page: PageMaker, sign_in: Callable[[Page, str], None]
) -> None:
    page = open_page(java_script_enabled=False)
    sign_in(page, "student")
    page.goto(PROBLEM)
    language(page).select_option("python")
    page.get_by_label("Your program").fill("a, b = map(int, input().split())\nprint(a + b)\n")
    page.get_by_role("button", name="Submit").click()
    expect_accepted(page)


@pytest.mark.parametrize("width", [1280, 390])
def test_program_is_run_beside_the_editor_without_a_submission(
    open_page: PageMaker, sign_in: Callable[[Page, str], None], width: int
) -> None:
    page = open_page(viewport={"width": width, "height": 900})
    sign_in(page, "student")
    page.goto(PROBLEM)
    language(page).select_option("python")
    write(page, "a, b = map(int, input().split())\nprint(a + b)\n")
    run = page.get_by_role("button", name="Run", exact=True)
    result = page.locator("#live")
    run.click()
    expect(result.get_by_role("heading", level=2)).to_contain_text("Accepted")
    page.get_by_label("Run on").select_option("own")
    page.get_by_role("textbox", name="Own input").fill("40 2\n")
    run.click()
    expect(result.get_by_role("heading", level=2)).to_contain_text("Ended normally")
    expect(result.locator(".excerpt").first).to_contain_text("42")
    result.get_by_text("All numbers and system calls").click()
    expect(result.get_by_role("heading", name="Where the time went")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    expect(page).to_have_url(re.compile(re.escape(PROBLEM)))
    write(page, "print(1")
    run.click()
    expect(result.get_by_role("heading", level=2).first).to_contain_text("Compile error")


def test_list_is_filtered_and_help_found_without_javascript(open_page: PageMaker) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/")
    page.get_by_role("link", name=re.compile(r"See all \d+ problems")).click()
    page.get_by_label("Topic", exact=True).select_option("binary search")
    page.get_by_role("button", name="Filter").click()
    expect(page.locator(".problem-list tbody tr")).to_have_count(1)
    page.get_by_label("Search").fill("no such problem")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_text("No problem matches this filter.")).to_be_visible()
    page.locator("footer").get_by_role("link", name="Help").click()
    expect(page.get_by_role("heading", name="How Tally measures")).to_be_visible()


def test_verdict_in_a_background_tab_is_notified_when_the_reader_asked_for_it(
    student_page: Page,
) -> None:
    """Chromium without a screen shows no notification, so the page's own object is replaced by one that remembers."""
    page = student_page
    page.add_init_script(
        "window.told = [];"
        "window.Notification = class { constructor(title, { body }) { window.told.push(title, body); } };"
        "Notification.permission = 'default';"
        "Notification.requestPermission = async () => (Notification.permission = 'granted');"
        "Object.defineProperty(document, 'hidden', { get: () => true });"
    )
    page.goto(PROBLEM)
    language(page).select_option("python")
    write(page, "import time\na, b = map(int, input().split())\nif a == 3: time.sleep(1.5)\nprint(a + b)")
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("button", name="Notify me when the verdict arrives").click()
    expect_accepted(page)
    expect(page.get_by_role("button", name="You will be notified")).to_be_hidden()
    told = page.evaluate("window.told")
    assert "Accepted" in told[1]
    assert len(told) == 2, "once"


def test_chosen_file_is_loaded_in_its_language(student_page: Page) -> None:
    student_page.goto(PROBLEM)
    language(student_page).select_option("python")
    student_page.locator("#id_file").set_input_files(ACCEPTED / "sum.cpp")
    expect(editor(student_page)).to_contain_text("#include")
    expect(language(student_page)).to_have_value("cpp")
    expect(student_page.get_by_role("status")).to_contain_text(["sum.cpp is in the editor now."])


def test_chosen_file_that_is_too_large_is_said_at_once(student_page: Page, tmp_path: Path) -> None:
    large = tmp_path / "large.py"
    large.write_bytes(b"#" * 200_000)
    student_page.goto(PROBLEM)
    student_page.locator("#id_file").set_input_files(large)
    expect(student_page.get_by_role("status")).to_contain_text(["large.py has 200,000 bytes"])


def test_draft_outlives_the_page_for_each_language(student_page: Page) -> None:
    student_page.goto(PROBLEM)
    for name, text in (("python", "print('draft')"), ("rust", "fn draft() {}")):
        language(student_page).select_option(name)
        write(student_page, text)
    student_page.reload()
    expect(language(student_page)).to_have_value("rust")
    expect(editor(student_page)).to_have_text("fn draft() {}")
    language(student_page).select_option("python")
    expect(editor(student_page)).to_have_text("print('draft')")


def test_draft_of_one_person_is_not_shown_to_the_next(student_page: Page, sign_in: Callable[[Page, str], None]) -> None:
    student_page.goto(PROBLEM)
    write(student_page, "print('mine')")
    student_page.get_by_role("button", name="Sign out").click()
    expect(student_page.get_by_role("link", name="Sign in")).to_be_visible()
    sign_in(student_page, "instructor")
    student_page.goto(PROBLEM)
    expect(editor(student_page)).to_be_visible()
    expect(editor(student_page)).not_to_contain_text("mine")


def test_text_pasted_before_the_language_was_chosen_stays(student_page: Page) -> None:
    student_page.goto(PROBLEM)
    language(student_page).select_option("python")
    write(student_page, "int main() {}")
    language(student_page).select_option("cpp")
    expect(editor(student_page)).to_have_text("int main() {}")


def test_refused_program_comes_back_with_the_reason(student_page: Page) -> None:
    student_page.goto(PROBLEM)
    write(student_page, "   ")
    student_page.get_by_role("button", name="Submit").click()
    expect(student_page.get_by_role("alert")).to_contain_text("The source is empty.")


def test_sample_is_copied(open_page: PageMaker) -> None:
    page = open_page(permissions=["clipboard-read", "clipboard-write"])
    page.goto(PROBLEM)
    page.get_by_role("button", name="Copy").first.click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == (ROOT / "problems/library/sumoftwo/data/sample").joinpath("1.in").read_text()


def test_a_wrong_language_is_noticed_while_the_program_is_written(student_page: Page) -> None:
    student_page.goto(PROBLEM)
    language(student_page).select_option("cpp")
    write(student_page, (ACCEPTED / "sum.py").read_text())
    doubt = student_page.get_by_role("alert").filter(has_text="This looks like Python, but the language is C++.")
    expect(doubt).to_be_visible()
    expect(editor(student_page)).to_be_focused()
    student_page.get_by_role("button", name=re.compile("^Submit Ctrl")).click()
    expect(doubt.get_by_role("button", name="Submit as Python")).to_be_focused()
    expect(student_page).to_have_url(re.compile(f"{PROBLEM}$"))
    language(student_page).select_option("python")
    expect(doubt).to_be_hidden()
    language(student_page).select_option("cpp")
    expect(doubt).to_be_visible()
    write(student_page, "#include <iostream>\n")
    expect(doubt).to_be_hidden()


def test_a_wrong_language_is_noticed_and_a_program_comes_back_to_be_edited(student_page: Page) -> None:
    student_page.goto(PROBLEM)
    language(student_page).select_option("cpp")
    write(student_page, (ACCEPTED / "sum.py").read_text())
    student_page.get_by_role("button", name=re.compile("^Submit Ctrl")).click()
    doubt = student_page.get_by_role("alert").filter(has_text="This looks like Python, but the language is C++.")
    expect(doubt).to_be_visible()
    expect(doubt.get_by_role("button", name="Submit anyway as C++")).to_be_visible()
    doubt.get_by_role("button", name="Submit as Python").click()
    expect_accepted(student_page)
    result = student_page.url
    student_page.goto(PROBLEM)
    language(student_page).select_option("python")
    write(student_page, "# my draft")
    student_page.goto(result)
    student_page.get_by_role("link", name="Edit and resubmit").click()
    expect(editor(student_page)).to_contain_text("print(")
    expect(language(student_page)).to_have_value("python")
    student_page.get_by_role("button", name="Bring it back").click()
    expect(editor(student_page)).to_have_text("# my draft")
