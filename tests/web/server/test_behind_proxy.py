"""The site behind a proxy that does TLS: forms are taken, people are told apart, cookies stay on TLS."""

import http.client
from collections.abc import Iterator
from email.message import Message
from urllib.parse import urlencode

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User

from tests.waiting import PATIENCE_S
from tests.web.served import Served, served

pytestmark = [pytest.mark.timeout(240), pytest.mark.django_db(transaction=True)]
HOST = "judge.example.org"
PROXY, STRANGER = "127.0.0.2", "127.0.0.3"  # two addresses of this machine, as whom one may connect
SAID_BY_PROXY = {
    "Host": HOST,
    "X-Forwarded-Proto": "https",
    "X-Forwarded-For": "203.0.113.9, 198.51.100.7",  # the browser itself said the first
}
FROM_PAGE = {"Origin": f"https://{HOST}"}
TOKEN = "a" * 32


@pytest.fixture(scope="module")
def site(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The site, which trusts one proxy."""
    variables = {"TALLY_TRUSTED_PROXIES": f"192.0.2.0/24, {PROXY}", "TALLY_ALLOWED_HOSTS": HOST}
    with served(tmp_path_factory.mktemp("site"), TALLY_WEB_PROCESSES="1", **variables) as running:
        yield running


def _sent(site: Served, path: str, peer: str, form: dict[str, str], headers: dict[str, str]) -> tuple[int, Message]:
    """The answer's status and headers."""
    body = urlencode({**form, "csrfmiddlewaretoken": TOKEN})
    own = {"Cookie": f"csrftoken={TOKEN}", "Content-Type": "application/x-www-form-urlencoded"}
    connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S, source_address=(peer, 0))
    try:
        connection.request("POST", path, body, {**own, **headers})
        answer = connection.getresponse()
        return answer.status, answer.headers
    finally:
        connection.close()


def _cookies(headers: Message) -> dict[str, bool]:
    """The cookies that are set, and whether each is for TLS only."""
    return {each.partition("=")[0]: "; Secure" in each for each in headers.get_all("Set-Cookie", [])}


def _sign_up(site: Served, peer: str, headers: dict[str, str]) -> tuple[int, Message]:
    form = {"username": "ada", "password1": "a pass phrase", "password2": "a pass phrase"}
    return _sent(site, "/signup/", peer, form, headers)


def _sign_in_wrongly(site: Served, peer: str, headers: dict[str, str]) -> int:
    return _sent(site, "/login/", peer, {"username": "ada", "password": "wrong"}, headers)[0]


@pytest.mark.thorough
def test_form_of_a_page_over_tls_is_taken_and_cookies_stay_there(site: Served) -> None:
    status, headers = _sign_up(site, PROXY, SAID_BY_PROXY | FROM_PAGE)
    assert (status, headers["Location"]) == (302, "/problems/")
    assert _cookies(headers) == {"sessionid": True, "csrftoken": True, "signed_in_before": True}
    assert User.objects.filter(username="ada").exists()


def test_form_of_another_page_is_refused(site: Served) -> None:
    assert _sign_up(site, PROXY, SAID_BY_PROXY | {"Origin": "https://evil.example.org"})[0] == 403
    assert not User.objects.exists()


def test_who_is_no_trusted_proxy_is_not_believed(site: Served) -> None:
    assert _sign_up(site, STRANGER, SAID_BY_PROXY | FROM_PAGE)[0] == 403
    assert not User.objects.exists()
    status, headers = _sign_up(site, STRANGER, SAID_BY_PROXY)
    assert status == 302
    assert _cookies(headers) == {"sessionid": False, "csrftoken": False, "signed_in_before": False}


def test_wrong_passwords_are_counted_by_the_address_of_who_sent_them(site: Served) -> None:
    assert _sign_in_wrongly(site, PROXY, SAID_BY_PROXY | FROM_PAGE) == 200
    assert _sign_in_wrongly(site, STRANGER, SAID_BY_PROXY) == 200
    assert set(AccessAttempt.objects.values_list("ip_address", flat=True)) == {"198.51.100.7", STRANGER}


def test_this_machine_may_always_ask_whether_all_is_well(site: Served) -> None:
    for name, status in {f"127.0.0.1:{site.port}": 200, "localhost": 200, HOST: 200, "other.example.org": 400}.items():
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=PATIENCE_S)
        connection.request("GET", "/readyz", headers={"Host": name})
        assert connection.getresponse().status == status, name
        connection.close()
