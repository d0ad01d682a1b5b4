"""From a program that is too slow to the proof of why: submit, TLE, explanation, what if it were buffered, compare."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.submissions.test_results_in_browser import LIBRARY, send, verdict

TOO_SLOW = "submissions/time_limit_exceeded"
E1 = LIBRARY / "basestations" / TOO_SLOW
E2 = LIBRARY / "countton" / TOO_SLOW
# the experiment's programs, what stands on the line that causes it, and the kernel's word for where it went
PROGRAMS = [
    pytest.param(E1 / "leftover_cerr.cpp", "cerr", id="E1 in C++"),
    pytest.param(E1 / "leftover_stderr.py", "sys.stderr", id="E1 in Python"),
    pytest.param(E1 / "leftover_eprintln.rs", "eprintln!", id="E1 in Rust"),
    pytest.param(E2 / "endl.cpp", "endl", id="E2 in C++"),
    pytest.param(E2 / "flush.py", "flush=True", id="E2 in Python"),
    pytest.param(E2 / "println.rs", "println!", id="E2 in Rust"),
]
# millions of calls of print are near the limits or over them without a flush too, and four million flushes need more
# time than a rerun has on a slow machine: the page tells what was measured
EITHER = re.compile("would be accepted|would still be over the time limit|it did not finish within")
MEASURED = re.compile(r"Measured: [\d.,]+\s(?:ms|s) instead of [\d.,]+\s(?:ms|s)\.")


@pytest.mark.thorough
@pytest.mark.parametrize(("program", "guilty"), PROGRAMS)
def test_page_names_line_count_share_and_the_time_without_the_cause(
    student_page: Page, program: Path, guilty: str
) -> None:
    send(student_page, program.parents[2].name, program)
    expect(verdict(student_page)).to_contain_text("Time limit exceeded")
    findings = student_page.get_by_role("region", name="Findings")
    expect(findings).to_contain_text(re.compile(r"[\d,]{6,} write calls"))
    expect(findings).to_contain_text(re.compile(r"\d+ % of its CPU time"))
    if program.suffix == ".py":
        expect(student_page.locator(".buffered-said").first).to_contain_text(EITHER)
    else:
        proof = student_page.locator(".buffered-proof").first
        expect(proof).to_contain_text(MEASURED)
        expect(proof).to_contain_text("would be accepted")
    findings.get_by_role("link", name=re.compile(r"^line \d+$")).first.click()
    expect(student_page.locator("li:target")).to_contain_text(guilty)


def test_the_way_from_a_slow_program_to_the_comparison(student_page: Page) -> None:
    send(student_page, "countton", E2 / "endl.cpp")
    expect(verdict(student_page)).to_contain_text("Time limit exceeded")
    expect(student_page.get_by_role("region", name="Findings")).to_contain_text("endl")
    expect(student_page.locator(".buffered-proof").first).to_contain_text(MEASURED)
    send(student_page, "countton", LIBRARY / "countton/submissions/accepted/newline.cpp")
    expect(verdict(student_page)).to_contain_text("Accepted")
    student_page.get_by_role("link", name=re.compile("^Compare with .*, the previous one$")).click()
    story = student_page.get_by_role("region", name="What changed")
    expect(story).to_contain_text("From time limit exceeded (A) to accepted (B).")
    expect(story).to_contain_text(re.compile(r"B made [\d,]+ write calls? instead of [\d,]+"))
    expect(student_page.locator(".diff-split")).to_contain_text("endl")
