"""An experiment is changed, run for real and read; an instructor makes one, publishes it and takes it back."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.load.stack import ROOT, Stack
from tests.browser.conftest import PageMaker

pytestmark = pytest.mark.timeout(300)

GATHERED = "for i in range(3_000):\n    print(i)\n"
FLUSHED = "for i in range(3_000):\n    print(i, flush=True)\n"
FAILING = "print(\n"


def make_experiment(page: Page) -> str:
    """Make an experiment of two short variants by hand, publish it, and return its address."""
    page.goto("/experiments/")
    page.get_by_role("link", name="New experiment").click()
    page.get_by_label("Name", exact=True).first.fill("Flushing in Python")
    page.get_by_role("textbox", name="Question").fill("What does `flush=True` cost?")
    for number, (name, source) in enumerate((("gathered", GATHERED), ("flushed", FLUSHED)), 1):
        row = page.get_by_role("group", name=f"Variant {number}")
        row.get_by_label("Name").fill(name)
        row.get_by_role("textbox", name="Source of variant").fill(source)
    page.get_by_role("button", name="Add claim").click()
    claim = page.get_by_role("group", name="Claim 1")
    claim.get_by_label("In words").fill("`flush=True` makes a write of each line")
    claim.get_by_label("Number").select_option("Write calls")
    claim.get_by_label("Variant with more").fill("flushed")
    claim.get_by_label("Variant with less").fill("gathered")
    claim.get_by_label("What its author measured").fill("1,000,000 against 842")
    page.get_by_role("button", name="Create experiment").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Flushing in Python")
    page.get_by_role("button", name="Publish").click()
    expect(page.get_by_role("status").first).to_contain_text("everyone sees it")
    return page.url


@pytest.fixture
def pages(open_page: PageMaker, sign_in: Callable[[Page, str], None]) -> tuple[Page, Page]:
    """A page of the instructor, one of the student."""
    instructor, student = open_page(), open_page()
    sign_in(instructor, "instructor")
    sign_in(student, "student")
    return instructor, student


def test_experiment_is_made_then_changed_run_and_read(pages: tuple[Page, Page], tmp_path: Path) -> None:
    instructor, student = pages
    address = make_experiment(instructor)
    student.goto(address)
    student.get_by_role("link", name="Change and run").click()
    student.get_by_role("button", name="Add variant").click()
    row = student.get_by_role("group", name="Variant 3")
    row.get_by_label("Name").fill("broken")
    row.get_by_role("textbox", name="Source of variant").fill(FAILING)
    student.get_by_label("Rounds").fill("4")
    student.get_by_role("button", name="Run", exact=True).click()
    expect(student).to_have_url(re.compile(r"/experiments/runs/\d+/$"))
    # it follows by itself until all is measured
    expect(student.get_by_role("heading", name="Claims")).to_be_visible(timeout=120_000)
    claim = student.get_by_role("listitem").filter(has_text="makes a write of each line")
    expect(claim).to_contain_text("Reproduced")
    expect(claim).to_contain_text("3,000 against")
    expect(claim).to_contain_text("The author measured: 1,000,000 against 842")
    expect(student.get_by_text("broken did not compile and was left out.")).to_be_visible()
    expect(student.get_by_text("This run differs from the published experiment: broken was changed.")).to_be_visible()
    numbers = student.get_by_role("table", name="Medians by variant and destination")
    expect(numbers.get_by_role("row").filter(has_text="flushed")).to_contain_text("3,000exact")
    with student.expect_download() as download:
        student.get_by_role("link", name="CSV").click()
    download.value.save_as(tmp_path / "runs.csv")
    assert len((tmp_path / "runs.csv").read_text().splitlines()) == 1 + 2 * 4
    student.get_by_role("button", name="Share with signed-in users").click()
    expect(student.get_by_role("status").first).to_contain_text("Everyone who is signed in can read this run")


@pytest.mark.thorough
def test_without_javascript_on_a_phone_it_is_changed_and_run(
    open_page: PageMaker, sign_in: Callable[[Page, str], None]
) -> None:
    page = open_page(java_script_enabled=False, viewport={"width": 390, "height": 844}, color_scheme="dark")
    sign_in(page, "instructor")
    address = make_experiment(page)
    page.get_by_role("link", name="Change and run").click()
    page.get_by_role("group", name="Variant 1").get_by_role("textbox", name="Source of variant").fill(FLUSHED)
    page.get_by_label("Rounds").fill("400")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page.get_by_text("Rounds: must be 1 to 50.")).to_be_visible()
    page.get_by_label("Rounds").fill("4")
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile(r"/experiments/runs/\d+/$"))
    expect(page.get_by_role("heading", name="Claims")).to_be_visible(timeout=120_000)  # it reloads
    claim = page.get_by_role("listitem").filter(has_text="makes a write of each line")
    expect(claim).to_contain_text("Not told from noise")
    assert page.locator("html").bounding_box()["width"] == 390  # type: ignore[index]
    page.goto(address)
    page.get_by_role("button", name="Unpublish").click()
    expect(page.get_by_role("status").first).to_contain_text("is unpublished")


MEASURED = """
from itertools import count
from django.contrib.auth.models import User
from problems.jsonvalues import to_json
from judge.grading.experiment.library import ready_experiments
from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import METRICS
from judge.models import ExperimentRun
key = "e2-line-buffered-stdout"
spec, noise = ready_experiments()[key], count()
cells = [(one.name, to, number) for number in range(5) for one in spec.variants for to in spec.destinations]
runs = [
    RunMeasured(variant=name, destination=to, round=number, ending="exited", verdict="",
        numbers={each: (11_987_654 if "memory" in each else 99_000 if "user" in each else 987_654) + 991 * next(noise)
                 for each in METRICS} | {"write_calls": 1_000_000, "write_bytes": 3_388_890})
    for name, to, number in cells
]
run = ExperimentRun.objects.create(user=User.objects.get(username="student"), key=key, spec=spec,
    total_runs=len(runs), runs=[to_json(each) for each in runs], status="done")
print("run", run.pk)
"""


def test_the_largest_ready_experiments_tables_fit_on_a_desk(student_page: Page, site: Stack) -> None:
    command = [sys.executable, "manage.py", "shell", "-c", MEASURED]
    said = subprocess.run(command, cwd=ROOT, env=site.environment, check=True, capture_output=True, text=True).stdout
    student_page.goto(f"/experiments/runs/{said.split()[-1]}/")
    tables = student_page.locator(".scroll")
    expect(tables).to_have_count(3)
    widths = tables.evaluate_all("frames => frames.map(each => [each.scrollWidth, each.clientWidth])")
    assert [scrolled for scrolled, shown in widths if scrolled > shown] == []
