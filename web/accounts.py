"""Names of accounts, the group of instructors, and those for trying Tally out. What each may do: `web.access`."""

import json
import secrets
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.db import transaction

INSTRUCTORS = "instructors"
_PASSWORD_BYTES = 9


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """A demo account's name and password."""

    username: str
    password: str
    is_instructor: bool


class NoDemoAccounts(Exception):
    """This installation has no demo accounts: settings.DEMO_ACCOUNTS is off."""


def as_kept(name: str) -> str:
    """Return a user name as accounts keep theirs: in one Unicode form, since Hangul may be typed or pasted in parts."""
    return User.normalize_username(name)


def account_named(name: str) -> User | None:
    """Return the account of this name; None: there is none."""
    return User.objects.filter(username=as_kept(name)).first()


def make_instructor(user: User) -> None:
    """Let this person publish problems (the group "instructors") and read every submission (staff)."""
    group, _ = Group.objects.get_or_create(name=INSTRUCTORS)
    group.permissions.add(Permission.objects.get(content_type__app_label="problems", codename="add_problem"))
    user.groups.add(group)
    user.is_staff = True
    user.save(update_fields=["is_staff"])


def make_demo_accounts() -> list[Credentials]:
    """Create or reset a student and an instructor; return how to sign in as them.

    The passwords are drawn once per installation and kept in var/demo_accounts.json. A name that somebody else took is
    left out. Raises NoDemoAccounts.
    """
    if not settings.DEMO_ACCOUNTS:
        raise NoDemoAccounts
    passwords = _passwords(settings.VAR_DIR / "demo_accounts.json")
    accounts = (
        Credentials(username=name, password=passwords[name], is_instructor=is_instructor)
        for name, is_instructor in (("student", False), ("instructor", True))
    )
    return [account for account in accounts if _make(account)]


def _passwords(path: Path) -> dict[str, str]:
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        drawn = {name: secrets.token_urlsafe(_PASSWORD_BYTES) for name in ("student", "instructor")}
        path.write_text(json.dumps(drawn))
    kept: dict[str, str] = json.loads(path.read_text())
    return kept


@transaction.atomic
def _make(account: Credentials) -> bool:
    """Create or reset the account; return False when somebody else has the name."""
    user, is_new = User.objects.get_or_create(username=account.username)
    if is_new:
        user.set_password(account.password)
        user.save()
        if account.is_instructor:
            make_instructor(user)
    return user.check_password(account.password)
