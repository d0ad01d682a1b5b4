"""An instructor's packages: sent with progress, verified live, published, managed; or told what is wrong."""

import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.load.stack import ROOT

PACKAGE = ROOT / "problems/library/pairsum"
WRONG = "print(1)\n"


def packed(target: Path, *, left_out: str = "nothing", extra: dict[str, str] | None = None) -> Path:
    """The package with its accepted submissions, under a name of its own, without one file and with further ones."""
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(PACKAGE.rglob("*")):
            name = path.relative_to(PACKAGE).as_posix()
            is_wanted = not name.startswith("submissions/") or name.startswith("submissions/accepted/")
            if path.is_file() and is_wanted and name != left_out:
                archive.write(path, f"{target.stem}/{name}")
        for name, text in (extra or {}).items():
            archive.writestr(f"{target.stem}/{name}", text)
    return target


def upload(page: Page, archive: Path) -> None:
    page.get_by_role("link", name="My problems").click()
    page.get_by_role("link", name="Upload a problem").click()
    page.get_by_label("Package (zip)").set_input_files(archive)
    page.get_by_role("button", name="Upload and verify").click()
    expect(page).to_have_url(re.compile(r"/uploads/\d+/$"))


def test_package_is_verified_live_published_and_managed(instructor_page: Page, tmp_path: Path) -> None:
    page = instructor_page
    seen: list[str] = []
    page.on("request", lambda request: seen.append(request.url))
    upload(page, packed(tmp_path / "pairs-again.zip", extra={"submissions/accepted/wrong.py": WRONG}))
    expect(page.get_by_role("region", name="Progress")).to_contain_text("Judging the jury's submissions")
    expect(page.locator(".phases [aria-current=step]")).to_have_count(1)
    expect(page.get_by_role("table")).to_contain_text("accepted/")
    expect(page.locator("#live")).to_contain_text("Not clean.")
    assert any(url.endswith("/events") for url in seen)
    assert any(url.endswith("/live") for url in seen)
    expect(page.get_by_role("heading", name="Report", exact=True)).to_be_visible()
    expect(page.locator("#live")).to_contain_text("wrong.py")

    page.get_by_role("button", name="Publish anyway").click()
    expect(page.get_by_role("alert").first).to_contain_text("give a reason")
    page.get_by_label("Reason for publishing anyway").fill("wrong.py is there to be laughed at.")
    page.get_by_role("button", name="Publish anyway").click()
    expect(page).to_have_url("/problems/pairs-again/manage/")
    expect(page.get_by_role("status").first).to_contain_text("Published as version 1")
    expect(page.get_by_text("wrong.py is there to be laughed at.")).to_be_visible()

    page.get_by_label("Time limit, s").fill("3.5")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_role("status").first).to_contain_text("Version 2 judges new submissions from now on.")
    expect(page.locator(".versions .current")).to_contain_text("Chosen settings: time limit 3.5 s")
    page.get_by_label("Hidden: only its owner").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("hidden")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").first.click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert "pairs-again/problem.yaml" in archive.namelist()
    page.get_by_role("button", name="Make current").click()
    expect(page.get_by_role("status").first).to_contain_text("Version 1 judges new submissions from now on.")


@pytest.mark.thorough
def test_clean_package_is_published_by_itself_if_asked(instructor_page: Page, tmp_path: Path) -> None:
    page = instructor_page
    page.goto("/problems/archive/upload/")
    page.get_by_label("Package (zip)").set_input_files(
        packed(tmp_path / "pairs-clean.zip", left_out="submissions/accepted/hash_map.rs")  # which takes longest
    )
    page.get_by_label("Publish it", exact=True).check()
    page.get_by_role("button", name="Upload and verify").click()
    expect(page.locator("#live")).to_contain_text("Published. It is version 1")
    page.get_by_role("link", name="Manage the problem").click()
    page.get_by_role("link", name="View", exact=True).click()
    expect(page.get_by_role("textbox", name="Source code")).to_be_visible()


def test_broken_package_is_told_file_by_file(instructor_page: Page, tmp_path: Path) -> None:
    answer = next(path for path in sorted(PACKAGE.glob("data/secret/*.ans")))
    name = answer.relative_to(PACKAGE).as_posix()
    upload(instructor_page, packed(tmp_path / "pairs-broken.zip", left_out=name))
    live = instructor_page.locator("#live")
    expect(live).to_contain_text("Nothing was published: 1 thing is wrong with the package.")
    expect(live).to_contain_text(answer.with_suffix(".in").name)
    instructor_page.goto("/problems/")
    expect(instructor_page.get_by_role("link", name="pairs-broken")).to_have_count(0)


def test_archive_that_escapes_is_refused_without_leaving_the_page(instructor_page: Page, tmp_path: Path) -> None:
    instructor_page.goto("/problems/archive/upload/")
    archive = packed(tmp_path / "slip.zip", extra={"../../escape": "x"})
    instructor_page.get_by_label("Package (zip)").set_input_files(archive)
    instructor_page.get_by_role("button", name="Upload and verify").click()
    expect(instructor_page.get_by_role("alert")).to_contain_text("slip/../../escape")
    expect(instructor_page).to_have_url("/problems/archive/upload/")


@pytest.mark.parametrize("address", ["/problems/archive/upload/", "/problems/mine/"])
def test_student_has_no_upload_page(student_page: Page, address: str) -> None:
    expect(student_page.get_by_role("link", name="My problems")).to_have_count(0)
    answer = student_page.goto(address)
    assert answer
    assert answer.status == 403
    expect(student_page.get_by_role("heading", level=1)).to_have_text("Access denied")
