"""The way to an OpenID Connect provider and back in a real browser, under the site's own content security policy."""

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.load.stack import Stack, started_stack
from tests.web.identity.openid_provider import CLIENT, SECRET, Provider, running_provider


@dataclass(frozen=True, kw_only=True, slots=True)
class Campus:
    """A Tally that has a provider, and the provider."""

    site: Stack
    provider: Provider


@pytest.fixture(scope="module")
def campus() -> Iterator[Campus]:
    """Ada is signed in at the provider."""
    with (
        running_provider() as provider,
        started_stack(
            TALLY_OPENID_SERVER=provider.address,
            TALLY_OPENID_CLIENT=CLIENT,
            TALLY_OPENID_SECRET=SECRET,
            TALLY_OPENID_NAME="Campus",
        ) as site,
    ):
        provider.person = {"sub": "0815", "preferred_username": "ada"}
        yield Campus(site=site, provider=provider)


def test_an_account_is_connected_and_signed_in_to(campus: Campus, browser: Browser) -> None:
    page = _new_page(browser, campus)
    page.goto("/login/")
    page.get_by_label("Username").fill("student")
    page.get_by_label("Password").fill(campus.site.passwords["student"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_text("student", exact=True)).to_be_visible()
    page.goto("/account/openid/")
    page.get_by_role("button", name="Connect").click()
    page.get_by_label("Password").fill(campus.site.passwords["student"])
    page.get_by_role("button", name="Confirm").click()
    expect(page.get_by_text("Connected since")).to_be_visible()

    other = _new_page(browser, campus)
    other.goto("/login/?next=/submissions/")
    other.get_by_role("button", name="Sign in with Campus").click()
    expect(other).to_have_url(f"{campus.site.url}/submissions/")
    expect(other.get_by_text("student", exact=True)).to_be_visible()


def test_a_link_shows_a_button_and_connects_nothing(campus: Campus, browser: Browser) -> None:
    page = _new_page(browser, campus)
    page.goto("/login/openid/")
    expect(page.get_by_role("button", name="Continue to Campus")).to_be_visible()
    assert page.url == f"{campus.site.url}/login/openid/"


def _new_page(browser: Browser, campus: Campus) -> Page:
    return browser.new_context(base_url=campus.site.url).new_page()
