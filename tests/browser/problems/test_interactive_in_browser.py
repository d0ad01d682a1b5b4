"""An interactive problem as a student meets it: its conversation, a program that waits for ever, one that flushes."""

import re

import pytest
from playwright.sync_api import Page, expect

from bench.load.stack import ROOT

PROBLEM = "/problems/guess/"
SUBMISSIONS = ROOT / "problems/library/guess/submissions"


def submit(page: Page, file: str) -> None:
    page.goto(PROBLEM)
    page.locator("#id_file").set_input_files(SUBMISSIONS / file)
    expect(page.get_by_role("status")).to_contain_text([f"{file.split('/')[-1]} is in the editor now."])
    page.get_by_role("button", name="Submit").click()
    expect(page).to_have_url(re.compile(r"/submissions/\d+/$"))


def test_the_page_shows_a_conversation_and_says_to_flush(student_page: Page) -> None:
    student_page.goto(PROBLEM)
    expect(student_page.get_by_role("heading", level=1)).to_contain_text("interactive")
    expect(student_page.get_by_text("Flush the output after each message")).to_be_visible()
    conversation = student_page.get_by_role("table", name="Conversation 1")
    expect(conversation.get_by_role("columnheader")).to_have_text(["Your program reads", "Your program writes"])
    expect(conversation.get_by_role("row", name="? 5")).to_be_visible()


@pytest.mark.thorough
def test_who_forgets_to_flush_learns_why_and_then_is_accepted(student_page: Page) -> None:
    submit(student_page, "time_limit_exceeded/forgets_to_flush.cpp")
    heading = student_page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("Time limit exceeded")
    expect(student_page.get_by_text("Until then it had sent 0 bytes")).to_be_visible()
    expect(student_page.get_by_text("Flush after each question")).to_be_visible()
    submit(student_page, "accepted/endl.cpp")
    expect(heading).to_contain_text("Accepted")
    student_page.locator("#case-1-summary").click()
    expect(student_page.locator("#case-1-details")).to_contain_text(re.compile(r"write calls\s*4\b"))
