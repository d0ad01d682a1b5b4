"""No page scrolls sideways, from a telephone to a desk, and none breaks the content security policy."""

import pytest
from playwright.sync_api import Page

from .conftest import PageMaker

OPEN_PAGES = ["/", "/login/", "/signup/", "/problems/basestations/", "/nowhere/"]
OPEN_PAGES += ["/experiments/", "/experiments/e1-leftover-print/"]
OPEN_PAGES += ["/experiments/e5-web-tier/", "/experiments/e6-accepting/"]
INSTRUCTORS_PAGES = ["/", "/problems/basestations/", "/problems/archive/upload/", "/submissions/", "/compare/"]
INSTRUCTORS_PAGES += ["/problems/new/", "/problems/countton/edit/", "/experiments/new/"]
INSTRUCTORS_PAGES += ["/assignments/", "/invitations/"]
INSTRUCTORS_PAGES += ["/experiments/e2-line-buffered-stdout/change"]
WIDTHS = [320, 390, 768, 1280]


def fits(page: Page) -> bool:
    return bool(page.locator("html").evaluate("html => html.scrollWidth <= html.clientWidth"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_for_everybody_fit(open_page: PageMaker, scheme: str) -> None:
    page = open_page(color_scheme=scheme)
    assert too_wide(page, OPEN_PAGES) == []


def test_pages_for_instructors_fit(instructor_page: Page) -> None:
    assert too_wide(instructor_page, INSTRUCTORS_PAGES) == []


def too_wide(page: Page, addresses: list[str]) -> list[tuple[str, int]]:
    """Address and width of every page that scrolls sideways."""
    found = []
    for address in addresses:
        page.goto(address)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            if not fits(page):
                found.append((address, width))
    return found
