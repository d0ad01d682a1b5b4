"""Accounts as an administrator sees them: who it is, what they may do, how much they sent, what removing them means."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils.translation import ngettext_lazy

from judge.models import Submission
from judge.removal import Belongings
from web.identity import accounts
from web.identity.accounts import Role
from web.presentation.units import count


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonShown:
    """One account. `email`: "" for none."""

    user: User
    role: Role
    email: str
    submissions: int

    @property
    def has_rights(self) -> bool:
        return self.role is not Role.STUDENT


def matching(people: QuerySet[User], text: str) -> QuerySet[User]:
    """Return those of the people who have this text in the user name or in an e-mail address."""
    if not text:
        return people
    by_address = EmailAddress.objects.filter(email__icontains=text).values("user")
    by_name = Q(username__icontains=accounts.as_kept(text))
    return people.filter(by_name | Q(email__icontains=text) | Q(pk__in=by_address))


def people_shown(users: Sequence[User]) -> list[PersonShown]:
    """Return these accounts in their order: as many statements for all as for one."""
    keys = [user.pk for user in users]
    sent = Submission.objects.filter(user__in=keys).values("user").annotate(number=Count("pk"))
    numbers = {row["user"]: row["number"] for row in sent.order_by()}
    # of several addresses of a person the confirmed one
    addresses = dict(EmailAddress.objects.filter(user__in=keys).order_by("verified").values_list("user", "email"))
    standing = accounts.roles_of(users)
    emails = {user.pk: addresses.get(user.pk, user.email) for user in users}
    return [
        PersonShown(user=user, role=standing[user.pk], email=emails[user.pk], submissions=numbers.get(user.pk, 0))
        for user in users
    ]


@dataclass(frozen=True, kw_only=True, slots=True)
class RemovalShown:
    """Sentences about a person's data: what goes with the account, and what stays."""

    gone: list[str]
    kept: list[str]


def removal_shown(owned: Belongings) -> RemovalShown:
    """Return what removing a person means, in numbers. What there is none of is not named."""
    return RemovalShown(gone=_in_numbers(_GONE, owned), kept=_in_numbers(_KEPT, owned))


def _in_numbers(sentences: Mapping[str, Any], owned: Belongings) -> list[str]:
    numbers = {name: getattr(owned, name) for name in sentences}
    return [sentences[name] % {"n": n, "number": count(n)} for name, n in numbers.items() if n]


_GONE = {
    "submissions": ngettext_lazy(
        "%(number)s submission, with its source and its results",
        "%(number)s submissions, with their sources and their results",
        "n",
    ),
    "custom_runs": ngettext_lazy("%(number)s custom run", "%(number)s custom runs", "n"),
    "experiment_runs": ngettext_lazy("%(number)s run of an experiment", "%(number)s runs of experiments", "n"),
    "drafts": ngettext_lazy(
        "%(number)s experiment that is not published", "%(number)s experiments that are not published", "n"
    ),
    "uploads": ngettext_lazy(
        "%(number)s upload that was not published", "%(number)s uploads that were not published", "n"
    ),
    "links": ngettext_lazy("%(number)s shared comparison", "%(number)s shared comparisons", "n"),
    "links_of_others": ngettext_lazy(
        "%(number)s comparison that somebody else shares and that shows one of these submissions",
        "%(number)s comparisons that others share and that show some of these submissions",
        "n",
    ),
    "invitations": ngettext_lazy(
        "%(number)s invitation: its link creates no more accounts",
        "%(number)s invitations: their links create no more accounts",
        "n",
    ),
    "empty_assignments": ngettext_lazy(
        "%(number)s assignment that nobody else joined", "%(number)s assignments that nobody else joined", "n"
    ),
}
_KEPT = {
    "problems": ngettext_lazy(
        "%(number)s problem, with what others sent to it: it gets the new owner",
        "%(number)s problems, with what others sent to them: they get the new owner",
        "n",
    ),
    "assignments": ngettext_lazy(
        "%(number)s assignment that others joined: it gets the new owner",
        "%(number)s assignments that others joined: they get the new owner",
        "n",
    ),
    "experiments": ngettext_lazy(
        "%(number)s published experiment: it gets the new owner",
        "%(number)s published experiments: they get the new owner",
        "n",
    ),
}
