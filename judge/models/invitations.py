"""Invitations to create an account, and the addresses that created accounts recently.

Written by `web.identity.signing_up`; made and taken back on the page of `web.views.accounts`.
"""

import secrets

from django.conf import settings
from django.db import models
from django.db.models.functions import Now

from judge.models.assignments import Assignment
from problems.models import AuthorsQuerySet

_TOKEN_BYTES = 16


def _new_token() -> str:
    return secrets.token_urlsafe(_TOKEN_BYTES)


class InvitationQuerySet(AuthorsQuerySet["Invitation"]):
    """Sets of invitations; who may manage one may take it back."""

    def left(self) -> "InvitationQuerySet":
        """Return the invitations that were not revoked."""
        return self.filter(revoked_at=None)

    def usable(self) -> "InvitationQuerySet":
        """Return the invitations that can create an account now, by the database's clock."""
        return self.filter(revoked_at=None, expires_at__gt=Now(), uses__lt=models.F("most_uses"))


class Invitation(models.Model):
    """A link with whose token a number of people may create accounts until it expires; may lead to an assignment."""

    token = models.CharField(max_length=64, default=_new_token, unique=True)
    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations")
    note = models.CharField(max_length=100)  # for whom it is
    assignment = models.ForeignKey(Assignment, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    most_uses = models.PositiveIntegerField()
    uses = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True)

    objects = InvitationQuerySet.as_manager()

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class SignUp(models.Model):
    """An account that was made from an address, without an invitation. Kept for as long as it counts."""

    address = models.GenericIPAddressField(null=True)  # None: it has none, see `web.server.client_address`
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        indexes = [models.Index(fields=["address", "created_at"], name="sign_up_by_address")]

    def __str__(self) -> str:
        return f"sign-up {self.pk}"
