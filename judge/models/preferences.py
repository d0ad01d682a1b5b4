"""What people choose for their own account: colours, time zone, language, whether others read their name.

Written by `web.views.account.page` only.
"""

from collections.abc import Collection

from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, models
from django.utils.translation import gettext_lazy as _

BROWSERS_ZONE = ""  # that of the browser, as its script tells it
# As a text: almost every request asks this, and Django takes longer to write three queries than PostgreSQL to answer.
_ASKED = """
SELECT ARRAY(
    SELECT type.app_label || '.' || permission.codename
      FROM auth_permission permission JOIN django_content_type type ON type.id = permission.content_type_id
     WHERE permission.id IN (
        SELECT permission_id FROM auth_user_user_permissions WHERE user_id = %(user)s
         UNION
        SELECT held.permission_id
          FROM auth_group_permissions held JOIN auth_user_groups member ON member.group_id = held.group_id
         WHERE member.user_id = %(user)s)),
    chosen.id, chosen.scheme, chosen.time_zone, chosen.shows_name
  FROM (SELECT 1) AS one LEFT JOIN judge_preferences chosen ON chosen.user_id = %(user)s
"""


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

    def with_permissions(self, user: User) -> "Preferences":
        """Return an account's preferences, like `of`, and keep its permissions where Django's backend looks."""
        with connection.cursor() as cursor:
            cursor.execute(_ASKED, {"user": user.pk})
            permissions, key, *chosen = cursor.fetchone()
        if user.is_active and not user.is_superuser:
            user._perm_cache = {*permissions}  # type: ignore[attr-defined]
        if key is None:
            return Preferences(user_id=user.pk)
        scheme, time_zone, shows_name = chosen
        return Preferences(pk=key, user_id=user.pk, scheme=scheme, time_zone=time_zone, shows_name=shows_name)

    def shown_names(self, user_ids: Collection[int]) -> dict[int, str]:
        """Return, by account, the names of those that show theirs."""
        return dict(self.filter(user_id__in=user_ids, shows_name=True).values_list("user_id", "user__username"))


class Preferences(models.Model):
    """The choices of one account. An account that never chose has no row."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="preferences")
    scheme = models.CharField(max_length=10, choices=Scheme, default=Scheme.SYSTEM)
    # a name of the IANA database, or BROWSERS_ZONE
    time_zone = models.CharField(max_length=64, blank=True, default=BROWSERS_ZONE)
    language = models.CharField(max_length=10, default="", blank=True)  # one of settings.LANGUAGES; "": never chosen
    shows_name = models.BooleanField(default=False)  # on boards that others see

    objects = PreferencesQuerySet.as_manager()

    def __str__(self) -> str:
        return f"preferences of account {self.user_id}"
