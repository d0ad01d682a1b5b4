"""What people choose for their own account: colours, time zone, whether others read their name.

Written by `web.views.account.page` only.
"""

from collections.abc import Collection

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

DEFAULT_ZONE = "UTC"


class Scheme(models.TextChoices):
    """The colours of the pages."""

    SYSTEM = "system", _("As the system")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class PreferencesQuerySet(models.QuerySet["Preferences"]):
    """Sets of preferences."""

    def of(self, user_id: int) -> "Preferences":
        """Return an account's preferences: its row, or the defaults, which are not stored."""
        return self.filter(user_id=user_id).first() or Preferences(user_id=user_id)

    def shown_names(self, user_ids: Collection[int]) -> dict[int, str]:
        """Return, by account, the names of those that show theirs."""
        return dict(self.filter(user_id__in=user_ids, shows_name=True).values_list("user_id", "user__username"))


class Preferences(models.Model):
    """The choices of one account. An account that never chose has no row."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences")
    scheme = models.CharField(max_length=10, choices=Scheme, default=Scheme.SYSTEM)
    time_zone = models.CharField(max_length=64, default=DEFAULT_ZONE)  # a name of the IANA database
    shows_name = models.BooleanField(default=False)  # on boards that others see

    objects = PreferencesQuerySet.as_manager()

    def __str__(self) -> str:
        return f"preferences of account {self.user_id}"
