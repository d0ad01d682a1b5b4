"""A problem that asks for a function: typed by its setter, begun from the code that it gives, sent under its name."""

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.conftest import PageMaker
from tests.browser.problems.test_wizard_in_browser import pairs_zip, program
from tests.browser.submissions.test_submit_in_browser import editor, expect_accepted, language, write

PROGRAM = "from twice import twice\n\nprint(twice(int(input())))\n"
STARTER = "def twice(n):\n    return n\n"
RIGHT = "def twice(n):\n    return 2 * n\n"


def test_a_function_is_asked_for_begun_and_judged(
    open_page: PageMaker, sign_in: Callable[[Page, str], None], tmp_path: Path
) -> None:
    setter = open_page()
    sign_in(setter, "instructor")
    setter.goto("/problems/new/")
    setter.get_by_label("Name", exact=True).fill("Twice as a function")
    setter.get_by_label("Text", exact=True).fill("Write `twice(n)`.")
    steps = setter.get_by_role("navigation", name="Steps")
    steps.get_by_role("link", name="Tests and programs").click()
    setter.get_by_label("Drop all files here").set_input_files(
        [
            pairs_zip(tmp_path / "tests.zip", [1, 2, 30]),
            program(tmp_path, "anything.py", RIGHT),
            program(tmp_path, "wa.py", STARTER),
        ]
    )
    steps.get_by_role("link", name="Judging").click()
    expect(setter.get_by_label("Main program").first).to_be_hidden()
    setter.get_by_text("Students write one function").click()
    python = setter.get_by_role("group", name="Python")
    python.get_by_label("Main program").fill(PROGRAM)
    python.get_by_label("Code that students begin with").fill(STARTER)
    setter.get_by_role("button", name="Verify").click()
    expect(setter.locator(".errorlist")).to_contain_text("does not use the file solution.py")
    expect(python.get_by_label("Main program")).to_have_value(PROGRAM)
    python.get_by_label("Name of the students' file").fill("twice.py")
    setter.get_by_role("button", name="Verify").click()
    expect(setter.get_by_text("accepted/anything.py").first).to_be_visible()
    setter.get_by_role("button", name=re.compile("Publish")).click()
    expect(setter).to_have_url("/problems/twice-as-a-function/manage/")

    student = open_page()
    sign_in(student, "student")
    student.goto("/problems/twice-as-a-function/")
    expect(language(student).locator("option")).to_have_text([re.compile("^Python")])
    expect(editor(student)).to_contain_text("return n")
    expect(student.get_by_text("In this problem your program is called twice.py")).to_be_visible()
    write(student, RIGHT)
    student.reload()
    expect(editor(student)).to_contain_text("return 2 * n")
    editor(student).fill("")
    student.reload()
    expect(editor(student)).to_contain_text("return n")  # an empty draft is none
    student.get_by_label("Or a file").first.set_input_files(program(tmp_path, "my own.py", RIGHT))
    expect(student.get_by_text("my own.py is in the editor now.")).to_be_visible()
    student.get_by_role("button", name="Submit").click()
    expect_accepted(student)
    expect(student.locator(".source-actions")).to_contain_text("twice.py")


def test_the_name_of_a_file_that_was_put_into_the_editor_is_kept(student_page: Page, tmp_path: Path) -> None:
    page = student_page
    page.goto("/problems/sumoftwo/")
    source = program(tmp_path, "two-sums.py", "print(sum(map(int, input().split())))\n")
    page.get_by_label("Or a file").first.set_input_files(source)
    expect(page.get_by_text("two-sums.py is in the editor now.")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    expect_accepted(page)
    expect(page.locator(".source-actions")).to_contain_text("two-sums.py")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.suggested_filename == "two-sums.py"
