"""A problem typed in the browser: previewed while it is typed, verified live, published, edited and published again."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.load.stack import Stack
from tests.browser.conftest import PageMaker
from tests.problems.pdfs import pdf

DOUBLE = "print(2 * int(input()))\n"


def pairs_zip(target: Path, numbers: list[int]) -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for number in numbers:
            archive.writestr(f"tests/input{number:02}.txt", f"{number}\n")
            archive.writestr(f"tests/output{number:02}.txt", f"{2 * number}\n")
    return target


def program(folder: Path, name: str, source: str) -> Path:
    (folder / name).write_text(source)
    return folder / name


def drop(page: Page, paths: list[Path]) -> None:
    """Drop files on the zone, as a browser does."""
    files = [[path.name, list(path.read_bytes())] for path in paths]
    held = page.evaluate_handle(
        """files => {
          const held = new DataTransfer();
          for (const [name, bytes] of files) held.items.add(new File([new Uint8Array(bytes)], name));
          return held;
        }""",
        files,
    )
    page.locator("[data-zone]").dispatch_event("drop", {"dataTransfer": held})


def publish(page: Page) -> None:
    expect(page).to_have_url(re.compile(r"/uploads/\d+/$"))
    page.get_by_role("button", name=re.compile("Publish")).wait_for()
    reason = page.get_by_label("Reason for publishing anyway")
    if reason.count():
        reason.fill("It is a small one.")
    page.get_by_role("button", name=re.compile("Publish")).click()
    expect(page).to_have_url("/problems/double-it/manage/")


def test_problem_is_typed_previewed_verified_published_and_edited(instructor_page: Page, tmp_path: Path) -> None:
    page = instructor_page
    page.get_by_role("link", name="My problems").click()
    page.get_by_role("link", name="New problem").click()
    page.get_by_label("Name", exact=True).fill("Double it")
    preview = page.locator("#preview")
    page.get_by_label("Text", exact=True).fill("Read $n$ and print **twice** as much.")
    expect(preview.locator("math")).to_be_visible()
    expect(preview.locator("strong")).to_have_text("twice")
    expect(preview).to_contain_text("Sample 1")
    steps = page.get_by_role("navigation", name="Steps")
    expect(page.get_by_role("button", name="Add sample")).to_be_hidden()
    steps.get_by_role("link", name="Samples").click()
    page.get_by_role("button", name="Add sample").click()
    expect(preview).to_contain_text("Samples 1, 2")
    page.get_by_role("button", name="Remove sample").last.click()
    page.get_by_label("Input", exact=True).fill("4")
    page.get_by_role("link", name="Next: Tests and programs").click()
    same, notes = program(tmp_path, "same.py", "print(input())\n"), program(tmp_path, "notes.md", "1 2 30\n")
    programs = [program(tmp_path, "double.py", DOUBLE), same, notes]
    drop(page, [pairs_zip(tmp_path / "tests.zip", [1, 2, 30]), *programs])
    chosen = page.get_by_role("group", name="Chosen files")
    for name, place in (
        ("tests.zip", "Tests"),
        ("double.py", "Jury submission: Accepted"),
        ("notes.md", "Choose a place"),
    ):
        expect(chosen.get_by_label(f"Place of {name}").locator("option:checked")).to_have_text(place)
    chosen.get_by_label("Place of same.py").select_option("Jury submission: Wrong answer")
    expect(chosen.get_by_label("Place of same.py")).to_be_focused()
    chosen.get_by_role("button", name="Remove notes.md").click()
    with_testlib = program(tmp_path, "check.cpp", '#include "testlib.h"\nint main() {}\n')
    drop(page, [with_testlib, program(tmp_path, "testlib.h", "")])
    expect(page.get_by_label("a testlib checker")).to_be_checked()
    for name in ("check.cpp", "testlib.h"):
        chosen.get_by_role("button", name=f"Remove {name}").click()
    drop(page, [program(tmp_path, "checker.py", "import sys\nsys.exit(42)\n")])
    expect(page.get_by_label("the problem's own checker")).to_be_checked()
    expect(steps.locator(".filled")).to_have_text(
        [f"{step} (filled in)" for step in ("Statement", "Samples", "Tests and programs")]
    )
    steps.get_by_role("link", name="Judging").click()
    expect(page.get_by_label("Tolerance, absolute or relative")).to_be_hidden()
    page.get_by_label("Short name").fill("Not One")
    page.get_by_role("button", name="Verify").click()

    expect(page.get_by_role("alert")).to_contain_text("Not saved yet.")
    expect(page.locator(".errorlist")).to_contain_text("Use only lower-case letters")
    expect(page.get_by_label("Text", exact=True)).to_have_value("Read $n$ and print **twice** as much.")
    expect(page.locator("#preview math")).to_be_visible()
    page.get_by_label("Short name").fill("double-it")
    steps.get_by_role("link", name="Samples").click()
    page.get_by_label("Output", exact=True).fill("8")
    steps.get_by_role("link", name="Tests and programs").click()
    expect(chosen.get_by_label("Place of same.py")).to_have_value("jury_wrong_answer")
    page.get_by_role("button", name="Verify").click()  # the files are still chosen
    expect(page.locator("#live")).to_contain_text("accepted/double.py")
    publish(page)
    page.get_by_role("link", name="View", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Double it")
    expect(page.locator(".statement strong")).to_have_text("twice")

    page.goto("/problems/double-it/manage/")
    page.get_by_role("link", name="Edit").click()
    expect(page.locator("#preview strong")).to_have_text("twice")
    page.get_by_label("Text", exact=True).fill("Print *two times* $n$.")
    expect(page.locator("#preview em")).to_have_text("two times")
    page.get_by_label("Remove secret/30").check()
    page.get_by_role("button", name="Verify").click()
    publish(page)
    expect(page.get_by_role("status").first).to_contain_text("Published as version 2")
    expect(page.locator(".versions .current")).to_contain_text("3 test cases")
    page.get_by_role("link", name="View", exact=True).click()
    expect(page.locator(".statement em").first).to_have_text("two times")


@pytest.mark.thorough
def test_problem_is_typed_without_scripts(open_page: PageMaker, site: Stack, tmp_path: Path) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/login/?next=/problems/new/")
    page.get_by_label("Username").fill("instructor")
    page.get_by_label("Password").fill(site.passwords["instructor"])
    page.locator("main").get_by_role("button", name="Sign in").click()
    page.get_by_label("Name", exact=True).fill("By hand")
    page.get_by_role("heading", name="Samples").click()
    page.get_by_role("button", name="Add sample").click()
    expect(page.get_by_label("Input", exact=True)).to_have_count(2)
    expect(page.get_by_label("Name", exact=True)).to_have_value("By hand")
    page.get_by_label("Input", exact=True).first.fill("1")
    page.get_by_role("heading", name="Tests and programs").click()
    odd = [program(tmp_path, "double.py", DOUBLE), program(tmp_path, "notes.md", "x")]
    page.get_by_label("Drop all files here").set_input_files(odd)
    page.get_by_role("button", name="Verify").click()
    expect(page.get_by_role("alert")).to_contain_text("Choose the files again.")
    expect(page.get_by_text("The name of notes.md does not tell what it is for.")).to_be_visible()
    expect(page.get_by_label("Input", exact=True).first).to_have_value("1")


def test_preview_shows_the_pictures_that_are_just_chosen(instructor_page: Page, tmp_path: Path) -> None:
    page = instructor_page
    page.goto("/problems/new/")
    preview = page.locator("#preview")
    page.get_by_label("Text", exact=True).fill("A tree: ![a tree](그림 1.svg)")
    expect(preview).to_contain_text("1 picture is missing from the page: 그림 1.svg")
    page.get_by_role("navigation", name="Steps").get_by_role("link", name="Tests and programs").click()
    picture = tmp_path / "그림 1.svg"
    for width in (30, 40):  # chosen anew, it is shown anew
        picture.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20"/>')
        drop(page, [picture])
        shown = preview.get_by_role("img", name="a tree")
        expect(shown).to_have_js_property("naturalWidth", width)
    expect(preview).not_to_contain_text("missing")
    page.get_by_role("button", name="Remove 그림 1.svg").click()
    expect(preview).to_contain_text("1 picture is missing from the page: 그림 1.svg")


def test_pdf_picture_is_seen_on_the_report_before_it_is_published(instructor_page: Page, tmp_path: Path) -> None:
    page = instructor_page
    (tmp_path / "plan.pdf").write_bytes(pdf())
    page.goto("/problems/new/")
    page.get_by_label("Name", exact=True).fill("A plan")
    page.locator("#id_form").select_option("latex")
    page.get_by_label("Text", exact=True).fill(r"Look: \includegraphics{plan}")
    expect(page.locator("#preview")).to_contain_text("missing from the page: plan")
    page.get_by_role("navigation", name="Steps").get_by_role("link", name="Tests and programs").click()
    drop(
        page, [pairs_zip(tmp_path / "tests.zip", [1, 2]), program(tmp_path, "double.py", DOUBLE), tmp_path / "plan.pdf"]
    )
    page.get_by_role("group", name="Chosen files").get_by_label("Place of plan.pdf").select_option("Pictures")
    page.get_by_role("navigation", name="Steps").get_by_role("link", name="Verify").click()
    page.get_by_role("button", name="Verify", exact=True).click()
    expect(page).to_have_url(re.compile(r"/uploads/\d+/$"))
    page.get_by_text("As students see it").click()
    shown = page.get_by_role("img", name="Picture")
    expect(shown).to_have_js_property("naturalWidth", 80)  # 60 points
    red = shown.evaluate(
        """picture => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 80, height: 67 });
          const context = canvas.getContext("2d");
          context.drawImage(picture, 0, 0);
          return [...context.getImageData(30, 30, 1, 1).data];
        }"""
    )
    assert red == [255, 0, 0, 255]
    page.get_by_role("button", name=re.compile("Publish")).wait_for()
    expect(page.get_by_text("As students see it")).to_be_visible()
    expect(shown).to_be_visible()  # it stays open while the report comes
