"""What pages of rejudges say."""

import re

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from judge.models import Rejudge

MARK = "okapi-4711"  # the reason, which students see once it is applied


def client_of(user: User | None) -> Client:
    """A browser in which this person is signed in."""
    client = Client()
    if user:
        client.force_login(user)
    return client


def text_of(html: bytes | str) -> str:
    """What a page says, without its markup."""
    text = html.decode() if isinstance(html, bytes) else html
    return " ".join(re.sub(r"<[^>]*>", " ", text).split())


def page_of(user: User, rejudge: Rejudge, query: str = "") -> str:
    """What the page of a rejudge says to this person."""
    answer = client_of(user).get(reverse("rejudge", args=[rejudge.pk]) + query)
    assert answer.status_code == 200
    return text_of(answer.content)
