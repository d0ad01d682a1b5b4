"""Accounts that are being removed.

Written by `judge.removal` only.
"""

from django.conf import settings
from django.db import models


class Removal(models.Model):
    """The decision to remove an account with its data; the row goes with the account, last of all."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="removal")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"removal of account {self.user_id}"
