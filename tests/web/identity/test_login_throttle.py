"""One password on many accounts from one address: slower and slower, and a school behind it signs in as ever."""

from collections.abc import Iterator
from datetime import datetime, timedelta

import pytest
from axes.handlers import proxy
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.db import connection, connections
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone
from pytest_django import Settings

from web.identity import login_throttle
from web.server.client_address import client_address, lock_key

pytestmark = pytest.mark.django_db
SCHOOL, ELSEWHERE = "192.0.2.1", "192.0.2.2"
LIMIT = 6


class Clock:
    """The time, which stands still until somebody moves it."""

    def __init__(self) -> None:
        self.time = timezone.now()

    def now(self) -> datetime:
        """The time."""
        return self.time

    def move(self, seconds: float) -> None:
        """So much later."""
        self.time += timedelta(seconds=seconds)


@pytest.fixture(autouse=True)
def clock(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The clock of this test, in which few failures are many."""
    settings.LOGIN_FAILURES_PER_ADDRESS = LIMIT
    clock = Clock()
    monkeypatch.setattr(timezone, "now", clock.now)
    monkeypatch.setattr(proxy, "now", clock.now)
    return clock


@pytest.fixture
def class_of_many(db: None) -> list[User]:
    """Students, all in one room."""
    return [User.objects.create_user(f"student{number}", password="a pass phrase") for number in range(3 * LIMIT)]


def sign_in(name: str, password: str, address: str = SCHOOL, client: Client | None = None) -> HttpResponse:
    form = {"username": name, "password": password}
    return (client or Client()).post("/login/", form, REMOTE_ADDR=address)  # type: ignore[return-value]


def spray(number: int, address: str = SCHOOL) -> list[int]:
    """One wrong password on so many names; the statuses."""
    return [sign_in(f"student{each}", "Winter2026", address).status_code for each in range(number)]


def test_spraying_becomes_slower_and_slower(class_of_many: list[User], clock: Clock) -> None:
    assert spray(3 * LIMIT) == [200] * LIMIT + [429] * 2 * LIMIT
    for waits_s in (1, 2, 3):
        clock.move(waits_s - 0.1)
        refused = sign_in("student17", "Winter2026")
        assert (refused.status_code, refused["Retry-After"]) == (429, "1")
        clock.move(0.1)
        assert sign_in("student17", "Winter2026").status_code == 200
    assert sign_in("student16", "a pass phrase")["Retry-After"] == "4"


def test_what_comes_too_early_is_neither_looked_at_nor_counted(class_of_many: list[User], clock: Clock) -> None:
    spray(LIMIT)
    answer = sign_in("student17", "a pass phrase")
    assert answer.status_code == 429
    assert "Many wrong passwords for several accounts came from your address" in answer.content.decode()
    assert "Try again in 1 second." in answer.content.decode()
    assert "sessionid" not in answer.cookies
    spray(LIMIT)
    assert AccessAttempt.objects.count() == LIMIT
    clock.move(1)
    assert sign_in("student17", "a pass phrase").status_code == 302


def test_wait_has_an_end(class_of_many: list[User], settings: Settings, clock: Clock) -> None:
    settings.LOGIN_FAILURES_PER_ADDRESS = 10**6
    spray(LIMIT)
    AccessAttempt.objects.update(failures_since_start=8)
    for number in range(12):
        sign_in(f"nobody{number}", "x")
    AccessAttempt.objects.update(failures_since_start=8)
    settings.LOGIN_FAILURES_PER_ADDRESS = LIMIT
    assert sign_in("student17", "a pass phrase")["Retry-After"] == str(login_throttle.MOST_WAIT_S)
    clock.move(settings.AXES_COOLOFF_TIME.total_seconds())
    assert spray(1) == [200]


def test_other_addresses_are_not_slowed(class_of_many: list[User]) -> None:
    spray(2 * LIMIT)
    assert sign_in("student1", "a pass phrase", ELSEWHERE).status_code == 302


def test_class_that_mistypes_and_then_signs_in_is_never_slowed(class_of_many: list[User]) -> None:
    for user in class_of_many:
        assert sign_in(user.username, "typo").status_code == 200
        assert sign_in(user.username, "a pass phrase").status_code == 302


def test_account_that_is_locked_slows_nobody(class_of_many: list[User], settings: Settings) -> None:
    settings.AXES_FAILURE_LIMIT = 3
    statuses = [sign_in("student1", "wrong").status_code for _ in range(3 * LIMIT)]
    assert statuses == [200, 200] + [429] * (3 * LIMIT - 2)
    assert "this account from your address is locked" in sign_in("student1", "wrong").content.decode()
    assert sign_in("student2", "a pass phrase").status_code == 302


def test_browser_that_has_signed_in_before_does_not_wait_for_its_own_account(class_of_many: list[User]) -> None:
    known = Client()
    assert sign_in("student1", "a pass phrase", client=known).status_code == 302
    cookie = known.cookies["signed_in_before"]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    known.post("/logout/")
    spray(LIMIT)
    for name in ("student2", "student1\0", "\0", ""):
        assert sign_in(name, "a pass phrase", client=known).status_code == 429
    assert sign_in("student1", "a pass phrase", client=known).status_code == 302
    assert sign_in("nobody", "x").status_code == 200  # in the place of what the right password wiped out
    known.cookies["signed_in_before"] = f"{cookie.value[:-1]}x"
    assert sign_in("student1", "a pass phrase", client=known).status_code == 429


def test_browser_in_which_somebody_signed_up_is_known(client: Client) -> None:
    form = {"username": "ada", "password1": "a pass phrase", "password2": "a pass phrase"}
    assert client.post("/signup/", form).status_code == 302
    client.post("/logout/")
    spray(LIMIT)
    assert sign_in("ada", "a pass phrase", client=client).status_code == 302


@pytest.fixture
def _another_try(transactional_db: None) -> Iterator[None]:
    """Somebody at the same address whose try is being looked at."""
    other = connections.create_connection("default")
    request = Client().get("/login/", REMOTE_ADDR=SCHOOL).wsgi_request
    assert client_address(request) == SCHOOL
    with other.cursor() as cursor:
        other.set_autocommit(False)
        key = [login_throttle.LOCK, lock_key(SCHOOL)]
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", key)
        assert cursor.fetchone() == (True,)
        yield
    other.rollback()
    other.close()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_another_try")
def test_one_try_at_a_time_of_an_address_that_is_slowed(clock: Clock) -> None:
    assert connection.vendor == "postgresql"
    spray(LIMIT)
    clock.move(5)
    assert sign_in("student1", "x").status_code == 429
    assert AccessAttempt.objects.count() == LIMIT


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2::", "2001:db8:1:2::"),
        ("2001:db8:1:3::1", "2001:db8:1:3::"),
        ("", None),
        ("unix:", None),
    ],
)
def test_address_of_ipv6_is_its_network(said: str, counted: str | None) -> None:
    assert client_address(Client().get("/login/", REMOTE_ADDR=said).wsgi_request) == counted


def test_many_addresses_of_one_network_are_one(class_of_many: list[User]) -> None:
    statuses = [
        sign_in(f"student{number}", "Winter2026", f"2001:db8::{number:x}").status_code for number in range(LIMIT + 2)
    ]
    assert statuses == [200] * LIMIT + [429] * 2
    assert set(AccessAttempt.objects.values_list("ip_address", flat=True)) == {"2001:db8::"}
    assert sign_in("student1", "Winter2026", "2001:db8:0:1::1").status_code == 200


def test_wrong_passwords_of_yesterday_do_not_count(class_of_many: list[User], clock: Clock) -> None:
    spray(LIMIT)
    clock.move(24 * 60 * 60)
    assert spray(LIMIT) == [200] * LIMIT
    assert AccessAttempt.objects.filter(attempt_time__lt=timezone.now() - timedelta(hours=1)).count() == 0
