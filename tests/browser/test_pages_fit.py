"""No page scrolls sideways or writes over itself, from a telephone to a desk; axe finds nothing in either scheme.

One load per page: the scheme and the width change on the loaded page. Only the contrast can differ between schemes.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from bench.load.stack import ROOT, Stack

from .conftest import PageMaker

AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
# One listing of each page is enough: the colours of its hundreds of words are those of tests/web/test_contrast.py.
LOOKED_AT = {"exclude": [".variant:nth-child(n+2) .source"]}
SCHEMES: dict[str, dict[str, object]] = {"light": {}, "dark": {"runOnly": ["color-contrast"]}}
WIDTHS = [320, 390, 768, 1280]
# Words of one drawing that lie on each other.
OVERLAPPING = """() => [...document.querySelectorAll("svg")].flatMap((drawing) => {
  const words = [...drawing.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
  const seen = words.filter(([, box]) => box.width > 0);
  return seen.flatMap(([text, a], at) => seen.slice(at + 1)
    .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2)
    .map(([other]) => `${text} | ${other}`));
})"""

OPEN_PAGES = ["/", "/help/", "/problems/", "/problems/basestations/", "/problems/countton/statistics/", "/nowhere/"]
OPEN_PAGES += ["/login/", "/login/reset/", "/signup/", "/experiments/", "/experiments/e1-leftover-print/"]
OPEN_PAGES += ["/experiments/e5-web-tier/", "/experiments/e6-accepting/"]
INSTRUCTORS_PAGES = ["/", "/problems/basestations/", "/problems/archive/upload/", "/submissions/", "/compare/"]
INSTRUCTORS_PAGES += ["/progress/", "/account/", "/account/password/", "/account/email/", "/account/second-factor/"]
INSTRUCTORS_PAGES += ["/problems/new/", "/problems/mine/", "/problems/countton/edit/", "/problems/countton/manage/"]
INSTRUCTORS_PAGES += ["/problems/countton/rejudges/", "/problems/countton/rejudges/new", "/experiments/new/"]
INSTRUCTORS_PAGES += ["/experiments/e2-line-buffered-stdout/change"]
INSTRUCTORS_PAGES += ["/assignments/", "/assignments/new/", "/invitations/"]
STAFF_PAGES = ["/workers/", "/stuck/"]


def fits(page: Page) -> bool:
    return bool(page.locator("html").evaluate("html => html.scrollWidth <= html.clientWidth"))


@pytest.fixture(scope="session")
def class_rows(site: Stack) -> list[str]:
    """The session of somebody with all rights, then the addresses of pages about a class."""
    script = Path(__file__).with_name("class_rows.py").read_text()
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", script]
    done = subprocess.run(command, cwd=ROOT, env=site.environment, capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_pages_for_everybody_fit_and_axe_finds_nothing(page: Page) -> None:
    assert wrong_with(page, OPEN_PAGES) == []


@pytest.mark.thorough
def test_pages_for_instructors_fit_and_axe_finds_nothing(
    open_page: PageMaker, sign_in: Callable[[Page, str], None], site: Stack, class_rows: list[str]
) -> None:
    session, result, comparison, *addresses = class_rows
    page = open_page()
    sign_in(page, "instructor")
    assert wrong_with(page, [*INSTRUCTORS_PAGES, *addresses]) == []
    operator = open_page()
    operator.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    assert wrong_with(operator, [*STAFF_PAGES, result, comparison]) == []


def wrong_with(page: Page, addresses: list[str]) -> list[tuple[object, ...]]:
    """Address and width of what scrolls sideways or writes over itself; address, scheme, rule, place of axe's finds."""
    wrong: list[tuple[object, ...]] = []
    for address in addresses:
        answer = page.goto(address)
        assert answer
        assert answer.status == (404 if address == "/nowhere/" else 200), address
        page.evaluate(AXE)
        for scheme, options in SCHEMES.items():
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            found = page.evaluate(
                "([where, options]) => axe.run(where, {resultTypes: ['violations'], ...options})", [LOOKED_AT, options]
            )
            for violation in found["violations"]:
                wrong += [(address, scheme, violation["id"], *node["target"]) for node in violation["nodes"]]
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if not fits(page):
                wrong.append((address, width))
            wrong += [(address, width, words) for words in page.evaluate(OVERLAPPING)]
        page.set_viewport_size({"width": 1280, "height": 900})
    return wrong


def test_links_are_a_menu_where_there_is_no_room_for_them(instructor_page: Page) -> None:
    links, menu = (
        instructor_page.get_by_role("navigation", name="Main"),
        instructor_page.get_by_text("Menu", exact=True),
    )
    expect(links.get_by_role("link", name="Assignments")).to_be_visible()
    expect(menu).to_be_hidden()
    for width in (768, 390, 320):
        instructor_page.set_viewport_size({"width": width, "height": 800})
        assert instructor_page.locator(".top-row").evaluate("row => row.clientHeight") < 80  # one row
    expect(links).to_be_hidden()
    menu.click()
    links.get_by_role("link", name="Assignments").click()
    expect(instructor_page.get_by_role("heading", name="Assignments", level=1)).to_be_visible()


def test_pages_are_as_wide_as_each_other(instructor_page: Page) -> None:
    widths = {}
    for address in ("/", "/problems/countton/", "/assignments/", "/submissions/"):
        instructor_page.goto(address)
        widths[address] = instructor_page.locator("main").evaluate("main => main.clientWidth")
    assert set(widths.values()) == {1280}, widths
