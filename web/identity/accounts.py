"""Names of accounts, the rights of instructors, and accounts for trying Tally out. What each may do: `web.access`."""

import json
import secrets
from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Any

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.conf import settings
from django.contrib.auth.models import Group, Permission, User
from django.db import transaction
from django.utils.translation import gettext as _, gettext_lazy

from judge import removal

INSTRUCTORS = "instructors"
_PASSWORD_BYTES = 9
_DEMO_NAMES = ("student", "instructor")
_BACKEND = "django.contrib.auth.backends.ModelBackend"  # that knows the permissions


@dataclass(frozen=True, kw_only=True, slots=True)
class Credentials:
    """A demo account's name and password."""

    username: str
    password: str


class Role(Enum):
    """The rights of an account, in words."""

    STUDENT = gettext_lazy("Student")
    INSTRUCTOR = gettext_lazy("Instructor")
    ADMINISTRATOR = gettext_lazy("Administrator")


class RightsStay(Exception):
    """The reason why rights cannot be taken back, as a sentence in the reader's language."""


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
    group = Group.objects.get_or_create(name=INSTRUCTORS)[0]
    group.permissions.add(_publishing())
    user.groups.add(group)
    user.is_staff = True
    user.save(update_fields=["is_staff"])


@transaction.atomic
def remove_instructor(user: User) -> None:
    """Make the account a student's again: it loses all rights, an administrator's too. Raises RightsStay."""
    hold_administrators(user)
    user.groups.remove(*user.groups.filter(permissions=_publishing()))
    user.user_permissions.remove(_publishing())
    user.is_staff = user.is_superuser = False
    user.save(update_fields=["is_staff", "is_superuser"])


def hold_administrators(but: User) -> None:
    """See to it that an administrator is left without this account, until the transaction's end. Raises RightsStay."""
    administrators = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    if {*administrators.select_for_update(no_key=True)} == {but}:
        raise RightsStay(
            _("%(name)s is the only administrator of this site. Make another one first: manage.py createsuperuser.")
            % {"name": but.get_username()}
        )


def remove(user: User, new_owner: User | None) -> bool:
    """Remove an account with all that is the person's; return whether that is done, or a worker goes on.

    `new_owner`: who gets what others need. Raises RightsStay, OwnerNeeded.
    """
    with transaction.atomic():
        hold_administrators(user)
        removal.begin(user, new_owner)
        for log in (AccessAttempt, AccessLog, AccessFailureLog):  # they have the name, not the key
            log.objects.filter(username__iexact=user.username).delete()
    return removal.first_turn(user.pk)


def roles_of(users: Collection[User]) -> dict[int, Role]:
    """Return what these accounts may do, by their keys: one statement."""
    active_or_not: Any = None  # the stubs know only the two others
    teaching = User.objects.with_perm("problems.add_problem", is_active=active_or_not, backend=_BACKEND)
    may_publish = set(teaching.filter(pk__in=[user.pk for user in users]).values_list("pk", flat=True))
    roles = {user.pk: Role.INSTRUCTOR if user.is_staff or user.pk in may_publish else Role.STUDENT for user in users}
    return roles | {user.pk: Role.ADMINISTRATOR for user in users if user.is_superuser}


def _publishing() -> Permission:
    return Permission.objects.get(content_type__app_label="problems", codename="add_problem")


def make_demo_accounts() -> list[Credentials]:
    """Create a student and an instructor, with passwords drawn once per installation; return how to sign in as them.

    A name that somebody else took is left out. Raises NoDemoAccounts.
    """
    if not settings.DEMO_ACCOUNTS:
        raise NoDemoAccounts
    path = settings.VAR_DIR / "demo_accounts.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(json.dumps({name: secrets.token_urlsafe(_PASSWORD_BYTES) for name in _DEMO_NAMES}))
    passwords: dict[str, str] = json.loads(path.read_text())
    accounts = []
    for name in _DEMO_NAMES:
        with transaction.atomic():
            user, is_new = User.objects.get_or_create(username=name)
            if is_new:
                user.set_password(passwords[name])
                user.save()
                if name == "instructor":
                    make_instructor(user)
        if user.check_password(passwords[name]):
            accounts.append(Credentials(username=name, password=passwords[name]))
    return accounts
