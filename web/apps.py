"""The Django application web: pages, forms, settings."""

from django.apps import AppConfig
from django.utils.translation import gettext, ngettext

from judge.grading import translation


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        """Have the judge's sentences translated as the pages are, for each reader."""
        translation.use(gettext, ngettext)
