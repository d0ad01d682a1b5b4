"""The pages in English and Korean: chosen by the browser, on each page, and kept with the account."""

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client

from judge.models import Preferences
from tests.web.identity.test_accounts import sign_in

pytestmark = pytest.mark.django_db

COOKIE = settings.LANGUAGE_COOKIE_NAME


def choose(client: Client, code: str, page: str = "/problems/?show=all") -> str:
    """Choose a language; return where that leads."""
    return str(client.post("/language/", {"language": code, "next": page}).get("Location"))


def heading_language(client: Client, **headers: str) -> str:
    page = client.get("/problems/", headers=headers)
    assert page["Content-Language"] in ("en", "ko")
    assert f'<html lang="{page["Content-Language"]}">' in page.content.decode()
    return {"Problems": "en", "문제": "ko"}[page.content.decode().partition("<title>")[2].partition(" · ")[0].strip()]


@pytest.mark.parametrize(
    ("accepted", "shown"),
    [("", "en"), ("ko-KR,ko;q=0.9,en;q=0.5", "ko"), ("en-GB,ko;q=0.5", "en"), ("fr,ko;q=0.2", "ko"), ("fr", "en")],
)
def test_browser_chooses_until_its_reader_does(client: Client, accepted: str, shown: str) -> None:
    assert heading_language(client, Accept_Language=accepted) == shown
    assert choose(client, "en") == "/problems/?show=all"
    assert heading_language(client, Accept_Language="ko") == "en"


def test_choice_is_kept_with_the_account_and_comes_to_another_browser(client: Client, student: User) -> None:
    sign_in(client, "student", "a pass phrase")
    choose(client, "ko")
    assert Preferences.objects.get(user=student).language == "ko"
    other = Client()
    assert heading_language(other) == "en"
    sign_in(other, "student", "a pass phrase")
    assert heading_language(other) == "ko"


def test_account_that_never_chose_leaves_the_browser_as_it_is(client: Client, student: User) -> None:
    choose(client, "ko")
    sign_in(client, "student", "a pass phrase")
    assert heading_language(client) == "ko"
    assert not Preferences.objects.filter(user=student).exists()


@pytest.mark.parametrize("code", ["", "fr", "en-us", "ko\0", "../ko"])
def test_other_languages_are_refused(client: Client, code: str) -> None:
    answer = client.post("/language/", {"language": code})
    assert answer.status_code == 422
    assert COOKIE not in answer.cookies


@pytest.mark.parametrize("page", ["", "https://example.org/", "//example.org/", "javascript:alert(1)"])
def test_choosing_leads_to_no_other_site(client: Client, page: str) -> None:
    assert choose(client, "ko", page) == "/"


def test_each_page_says_which_languages_there_are_in_their_own_words(client: Client) -> None:
    for address in ("/", "/help/", "/login/", "/experiments/"):
        page = client.get(address).content.decode()
        for code, name in settings.LANGUAGES:
            assert f'value="{code}" lang="{code}"' in page, address
            assert f">{name}</button>" in page, address
