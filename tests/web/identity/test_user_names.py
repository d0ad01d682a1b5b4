# ruff: noqa: RUF001 - look-alikes are what this is about
"""User names by which nobody passes for somebody else: scripts by Unicode's rules, and the looks of other names."""

import threading
import unicodedata
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection
from django.test import Client
from django.urls import reverse

from judge.models import Assignment
from problems.models import Problem
from web.forms.account import SignupForm
from web.identity import signing_up, user_names

pytestmark = pytest.mark.django_db
PASSWORD = "a pass phrase"


def sign_up(name: str) -> list[str]:
    """What is said of the name; nothing if an account of it was made."""
    answer = Client().post("/signup/", {"username": name, "password1": PASSWORD, "password2": PASSWORD})
    if answer.status_code == 302:
        assert User.objects.filter(username=unicodedata.normalize("NFKC", name)).exists()
        return []
    assert answer.status_code == 422
    return list(answer.context["form"].errors["username"])


@pytest.mark.each
@pytest.mark.parametrize(
    "name",
    [
        "ada.l-1@x",
        "홍길동_3",
        "김Kim",
        "金한글abc",
        "Мария7",
        "Ελένη",
        "李雷",
        "ひらがなカタカナ々漢字ーJo",
        "ㄅㄆ漢字x",
        "José",
        "אדה",
        "ﬁsh",
        "１２abc",
    ],
)
def test_scripts_that_people_write_together_are_fine(name: str) -> None:
    assert sign_up(name) == []


@pytest.mark.each
@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("\u0430dmin", "Cyrillic, Latin"),
        ("admi\u0578", "Armenian, Latin"),
        ("\u0391da", "Greek, Latin"),
        ("한글ひらがな", "Hangul, Hiragana"),
        ("한글\u0430", "Cyrillic, Hangul"),
        ("漢字\u0430", "Cyrillic, Han"),
        ("user\u0663", "Arabic, Latin"),
        ("7\u0661\u06f1", ""),  # two kinds of Arabic digits are of one script
        ("x\u0430", "Cyrillic, Latin"),
    ],
)
def test_mixed_scripts_are_refused_by_name(name: str, scripts: str) -> None:
    said = [f"This name mixes letters of several scripts ({scripts}), some of which look alike. Use letters of one"
            " script. Latin ones may stand beside Korean, Chinese or Japanese ones."]  # fmt: skip
    assert sign_up(name) == (said if scripts else [])


@pytest.mark.parametrize("name", ["a\u202eda", "ada\u200b", "a\nb", "ad\u00ada"])
def test_invisible_characters_are_refused(name: str) -> None:
    assert sign_up(name)
    with pytest.raises(ValidationError, match="This name cannot be used: it holds the character U"):
        user_names.check(name)


@pytest.mark.parametrize(
    ("existing", "name", "same"),
    [
        ("Ada", "ADA", True),
        ("Ada", "\uff21da", True),  # full width
        ("coco", "\u0441\u043e\u0441\u043e", False),  # Cyrillic
        ("\u0441\u043e\u0441\u043e", "coco", False),
        ("BOP", "\u0412\u041e\u0420", False),
        ("ovo", "\u03bf\u03bd\u03bf", False),  # Greek
        ("\u03bf\u03bf", "\u043e\u043e", False),
        ("stra\u00dfe", "STRASSE", False),
        ("strasse", "Stra\u00dfe", False),
        ("Émile", "éMILE", None),  # the database's locale decides whether it finds them to be one
    ],
)
def test_a_name_that_looks_like_an_existing_one_is_refused(existing: str, name: str, same: bool | None) -> None:
    User.objects.create_user(existing)
    told = ("This name looks like that of another account.", "A user with that username already exists.")
    (said,) = sign_up(name)
    assert said.startswith(told if same is None else told[same])


def test_accounts_that_exist_go_on_working() -> None:
    for name in ("\u0430dmin", "admin"):
        User.objects.create_user(name, password=PASSWORD)
        answer = Client().post("/login/", {"username": name, "password": PASSWORD})
        assert answer.status_code == 302


@pytest.mark.django_db(transaction=True)
def test_of_two_that_look_alike_at_the_same_moment_one_is_made() -> None:
    start = threading.Barrier(4)
    names = ["coco", "COCO", "\u0441\u043e\u0441\u043e", "CoCo"]

    def one(name: str) -> None:
        form = SignupForm({"username": name, "password1": PASSWORD, "password2": PASSWORD})
        assert form.is_valid()
        start.wait()
        try:
            signing_up.sign_up(form, "", "192.0.2.1")
        except ValidationError:
            refused.append(name)
        finally:
            connection.close()

    refused: list[str] = []
    threads = [threading.Thread(target=one, args=[name]) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert User.objects.count() == 1
    assert len(refused) == 3


def test_titles_and_notes_are_held_to_the_rule_of_names(instructor: User, problem: Problem) -> None:
    client = Client()
    client.force_login(instructor)
    odd = "Buffers\u202ex"
    said = (
        "This name cannot be used: it holds the character U+202E RIGHT-TO-LEFT OVERRIDE, which is invisible or"
        " changes how the text is read."
    )
    asked: dict[str, dict[str, Any]] = {
        reverse("new_assignment"): {"title": odd, "problems": [problem.pk]},
        reverse("invitation_list"): {"note": odd, "most_uses": "2", "days": "3"},
        reverse("experiment_new"): {"title": odd},
        reverse("new_problem"): {"title": odd, "author": odd, "source": odd},
    }
    for address, form in asked.items():
        answer = client.post(address, form)
        assert answer.status_code == 422, address
        assert answer.content.decode().count(said) == (3 if "author" in form else 1), address
    assert not Assignment.objects.exists()
