"""Every page in both languages: axe, layout, drawings, focus, and what a screen reader is told."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.template.loader import render_to_string
from django.utils import translation
from playwright.sync_api import Page as BrowserPage

from bench.load.stack import ROOT
from tests.browser.accessibility import looking, report, tree
from tests.browser.accessibility.conftest import Visit
from tests.browser.accessibility.looking import Seen
from tests.browser.accessibility.pages import ERROR_PAGES, NO_PAGES, PAGES, Page
from tests.browser.conftest import PageMaker
from web.access.addresses import ADDRESSES

LANGUAGES = [code for code, _name in settings.LANGUAGES]
AllSeen = dict[tuple[str, str], Seen]
# What has a `title`, which only a mouse reaches: the help says it of verdicts, and the page itself says the rest.
WITH_TITLE = ('<span class="verdict ', '<a class="verdict ', '<a class="pip ', '<a class="who"', '<a href="?old=')


def _look(browser: BrowserPage, *, with_focus: bool) -> Seen:
    seen = looking.with_axe(browser)
    seen.wrong += [*tree.of_tree(tree.tree(browser)), *looking.of_content(browser), *looking.of_layout(browser)]
    if with_focus:
        seen.wrong += [line for width in looking.WIDTHS for line in looking.of_focus(browser, width)]
    return seen


@pytest.mark.thorough
@pytest.mark.timeout(600)
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda code: f"in_{code}")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.title)
def test_page_has_no_barrier(page: Page, language: str, visit: Visit, all_seen: AllSeen) -> None:
    seen = _look(visit(page, language), with_focus=language == LANGUAGES[0])
    all_seen[page.title, language] = seen
    assert seen.wrong == []


@pytest.mark.thorough
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda code: f"in_{code}")
@pytest.mark.parametrize("name", ERROR_PAGES)
def test_error_page_has_no_barrier(name: str, language: str, open_page: PageMaker, all_seen: AllSeen) -> None:
    browser = open_page(locale=language)
    with translation.override(language):
        text = render_to_string(f"errors/{name}.html")
    browser.route("**/error-page/", lambda route: route.fulfill(body=text, content_type="text/html; charset=utf-8"))
    browser.goto("/error-page/")
    looking.prepare(browser)
    seen = _look(browser, with_focus=True)
    all_seen[f"Error: {name}", language] = seen
    assert seen.wrong == []


@pytest.mark.thorough
def test_every_line_of_the_list_is_needed_and_the_report_is_written(all_seen: AllSeen) -> None:
    expected = {(title, language) for title in report.titles() for language in LANGUAGES}
    if set(all_seen) != expected:
        pytest.skip("only a run of all pages can tell")
    used = set().union(*(seen.used for seen in all_seen.values()))
    assert [line for line in looking.reviewed() if line.number not in used] == []
    if not any(seen.wrong for seen in all_seen.values()):
        report.write(all_seen)


def test_every_address_has_its_pages_or_a_reason_for_none() -> None:
    with_pages = {page.address for page in PAGES}
    answering = {name for name, address in ADDRESSES.items() if address.get is not None}
    assert with_pages | NO_PAGES.keys() == answering
    assert not with_pages & NO_PAGES.keys()
    templates = {path.stem for path in (ROOT / "web/templates/errors").glob("*.html")}
    assert templates == {"base", "403", "404", *ERROR_PAGES}


def test_the_dark_scheme_changes_colours_only() -> None:
    """So that axe's rules on anything else need one scheme."""
    text = (ROOT / "web/frontend/dark.css").read_text()
    lines = [line.strip() for line in text.partition("{")[2].partition("}")[0].splitlines() if line.strip()]
    assert text.count("{") == 1
    assert [line for line in lines if not line.startswith(("--", "color-scheme:"))] == []


def test_no_explanation_is_there_for_a_mouse_only() -> None:
    texts = [path.read_text() for path in (ROOT / "web/templates").rglob("*.html")]
    tags = [tag for text in texts for tag in re.findall(r'<[a-z][^<>]*(?= title=")', text)]
    assert len(tags) == sum(text.count(' title="') for text in texts)
    assert [tag for tag in tags if not tag.startswith(WITH_TITLE)] == []


def test_every_line_of_the_list_has_a_reason() -> None:
    for line in looking.reviewed():
        assert len(line.judgement.split()) > 5, line
    assert Path(report.REPORT).is_file()
