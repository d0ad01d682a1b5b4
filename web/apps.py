"""The Django application web: pages, forms, settings."""

from django.apps import AppConfig
from django.utils.translation import gettext, ngettext

from problems import translation


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        """Have the sentences of plain Python translated as the pages are, for each reader."""
        translation.use(gettext, ngettext)
