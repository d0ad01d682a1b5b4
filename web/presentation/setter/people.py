"""Accounts as an administrator sees them: who it is, what they may do, how much they sent."""

from collections.abc import Sequence
from dataclasses import dataclass

from allauth.account.models import EmailAddress
from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet

from judge.models import Submission
from web import accounts
from web.accounts import Role


@dataclass(frozen=True, kw_only=True, slots=True)
class PersonShown:
    """One account. `email`: "" for none."""

    user: User
    role: Role
    email: str
    submissions: int

    @property
    def has_rights(self) -> bool:
        """Return whether the person is more than a student."""
        return self.role is not Role.STUDENT


def matching(people: QuerySet[User], text: str) -> QuerySet[User]:
    """Return those of the people who have this text in the user name or in an e-mail address."""
    if not text:
        return people
    by_address = EmailAddress.objects.filter(email__icontains=text).values("user")
    return people.filter(
        Q(username__icontains=accounts.as_kept(text)) | Q(email__icontains=text) | Q(pk__in=by_address)
    )


def people_shown(users: Sequence[User]) -> list[PersonShown]:
    """Return these accounts in their order: as many statements for all as for one."""
    keys = [user.pk for user in users]
    sent = Submission.objects.filter(user__in=keys).values("user").annotate(number=Count("pk"))
    numbers = {row["user"]: row["number"] for row in sent.order_by()}
    # of several addresses of a person the confirmed one
    addresses = dict(EmailAddress.objects.filter(user__in=keys).order_by("verified").values_list("user", "email"))
    standing = accounts.roles_of(users)
    return [
        PersonShown(
            user=user,
            role=standing[user.pk],
            email=addresses.get(user.pk, user.email),
            submissions=numbers.get(user.pk, 0),
        )
        for user in users
    ]
