"""The whole of Tally, started as `make run` starts it, and a real Chromium that looks at it.

How it works: `python -m web.stack` runs as a child with folders and a port of its own, once per test run; it prints the
demo accounts. Chromium is started once per test file (Playwright's event loop must not outlive it: Django's other tests
run in the same thread). A page whose console shows an error, a breach of the content security policy for one, fails its
test.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from bench.load.stack import Stack, started_stack
from tests import kept

CHROMIUM = os.environ.get("TALLY_CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]

expect.set_options(timeout=120_000)  # a verdict may take its time on a busy machine


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives the browser."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The whole of Tally."""
    work = tmp_path_factory.mktemp("work")
    for folder in (work, work.parent):
        folder.chmod(0o755)
    with kept.lent(work, kept.RESULTS, kept.HEADERS):
        every_send_counts = {"TALLY_SENT_AGAIN_S": "0"}  # tests send the same programs
        with started_stack(TALLY_WORK_DIR=str(work), **every_send_counts) as stack:
            yield stack


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A headless Chromium."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


PageMaker = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, site: Stack) -> Iterator[PageMaker]:
    """A function that opens a page in a context of its own; keyword arguments are the context's."""
    contexts: list[BrowserContext] = []
    complaints: list[str] = []

    def make(**options: object) -> Page:
        context = browser.new_context(**{"base_url": site.url, "viewport": {"width": 1280, "height": 900}, **options})  # type: ignore[arg-type]
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    # Chromium reports each answer of 400 and above as an error; the tests say themselves which answer they want.
    assert [text for text in complaints if not text.startswith("Failed to load resource")] == []


@pytest.fixture
def page(open_page: PageMaker) -> Page:
    """A page of somebody who is not signed in."""
    return open_page()


@pytest.fixture(scope="session")
def signed_in() -> dict[str, list[Any]]:
    """The cookies of those who have signed in, by name."""
    return {}


@pytest.fixture
def sign_in(site: Stack, signed_in: dict[str, list[Any]]) -> Callable[[Page, str], None]:
    """A function that signs a page in as one of the demo accounts: by the form, later as who has signed in there."""

    def do(page: Page, name: str) -> None:
        if name in signed_in:
            page.context.add_cookies(signed_in[name])
            page.goto("/")
            if page.get_by_text(name, exact=True).is_visible():  # else somebody has signed out meanwhile
                return
        page.goto("/login/")
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(site.passwords[name])
        page.locator("main").get_by_role("button", name="Sign in").click()
        expect(page.get_by_text(name, exact=True)).to_be_visible()
        signed_in[name] = page.context.cookies()

    return do


@pytest.fixture
def student_page(page: Page, sign_in: Callable[[Page, str], None]) -> Page:
    """A page of the demo student."""
    sign_in(page, "student")
    return page


@pytest.fixture
def instructor_page(page: Page, sign_in: Callable[[Page, str], None]) -> Page:
    """A page of the demo instructor."""
    sign_in(page, "instructor")
    return page
