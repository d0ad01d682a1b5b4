"""An instructor uploads a package: published, or told what is wrong without leaving the page."""

import zipfile
from pathlib import Path

from playwright.sync_api import Page, expect

from .conftest import ROOT

PACKAGE = ROOT / "problems/library/pairsum"


def packed(target: Path, *, left_out: str = "nothing") -> Path:
    """The package as a zip under a name of its own, without one file."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(PACKAGE.rglob("*")):
            name = path.relative_to(PACKAGE).as_posix()
            if path.is_file() and name != left_out:
                archive.write(path, f"{target.stem}/{name}")
    return target


def upload(page: Page, archive: Path) -> None:
    page.get_by_role("link", name="Upload").click()
    page.get_by_label("Package (zip)").set_input_files(archive)
    page.get_by_role("button", name="Upload and publish").click()


def test_good_package_is_published_and_open(instructor_page: Page, tmp_path: Path) -> None:
    upload(instructor_page, packed(tmp_path / "pairs-again.zip"))
    expect(instructor_page).to_have_url("/problems/pairs-again/")
    expect(instructor_page.get_by_role("status").first).to_contain_text("Published with")
    expect(instructor_page.get_by_role("textbox", name="Source code")).to_be_visible()


def test_bad_package_is_told_file_by_file(instructor_page: Page, tmp_path: Path) -> None:
    answer = next(path for path in sorted(PACKAGE.glob("data/secret/*.ans")))
    upload(instructor_page, packed(tmp_path / "pairs-broken.zip", left_out=answer.relative_to(PACKAGE).as_posix()))
    alert = instructor_page.get_by_role("alert")
    expect(alert).to_contain_text("Nothing was published: 1 thing is wrong with the package")
    expect(alert).to_contain_text(answer.with_suffix(".in").name)
    expect(instructor_page).to_have_url("/problems/upload/")
    instructor_page.goto("/")
    expect(instructor_page.get_by_role("link", name="pairs-broken")).to_have_count(0)


def test_student_has_no_upload_page(student_page: Page) -> None:
    expect(student_page.get_by_role("link", name="Upload")).to_have_count(0)
    answer = student_page.goto("/problems/upload/")
    assert answer
    assert answer.status == 403
    expect(student_page.get_by_role("heading", level=1)).to_have_text("This is not open to you")
