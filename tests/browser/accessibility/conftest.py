"""The world that all pages are looked at in, made once for a run, and what was seen of it."""

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from playwright.sync_api import Page as BrowserPage, expect

from bench.load.stack import ROOT, Stack
from tests.browser.accessibility.keyboard import Keyboard
from tests.browser.accessibility.looking import Seen, prepare
from tests.browser.accessibility.pages import NOBODY, Page

_SCRIPT = "from tests.browser.accessibility.world import main; main()"
Visit = Callable[[Page, str], BrowserPage]


@pytest.fixture(scope="session")
def world(site: Stack) -> dict[str, Any]:
    """`values` for the addresses of all pages, and the `sessions` of those who see them."""
    command = [sys.executable, "manage.py", "shell", "--verbosity", "0", "--command", _SCRIPT]
    done = subprocess.run(command, cwd=ROOT, env=site.environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


@pytest.fixture(scope="session")
def all_seen() -> dict[tuple[str, str], Seen]:
    """What was seen of each page, by its title and language."""
    return {}


@pytest.fixture
def visit(open_page: Callable[..., BrowserPage], site: Stack, world: dict[str, Any]) -> Visit:
    """A function that opens a page as who may see it, in a language, with everything unfolded."""

    def do(page: Page, language: str) -> BrowserPage:
        browser = open_page(locale=language)
        if page.person != NOBODY:
            session = {"name": settings.SESSION_COOKIE_NAME, "value": world["sessions"][page.person], "url": site.url}
            browser.context.add_cookies([session])  # type: ignore[list-item]
        answer = browser.goto(page.path(world["values"]))
        assert answer
        assert answer.status == page.status, page.title
        assert browser.evaluate("document.documentElement.lang") == language
        prepare(browser)
        if page.is_sent:
            browser.evaluate("looking.sendForm()")
            expect(browser.locator(".errorlist, [role=alert]").filter(visible=True).first).to_be_visible()
            browser.wait_for_load_state()
            prepare(browser)
        browser.evaluate("looking.unfold()")
        return browser

    return do


@pytest.fixture
def student(page: BrowserPage, sign_in: Callable[[BrowserPage, str], None]) -> Keyboard:
    """The keyboard of the demo student."""
    keyboard = Keyboard(page)
    sign_in(page, "student")
    return keyboard


@pytest.fixture
def instructor(page: BrowserPage, sign_in: Callable[[BrowserPage, str], None]) -> Keyboard:
    """The keyboard of the demo instructor."""
    keyboard = Keyboard(page)
    sign_in(page, "instructor")
    return keyboard
