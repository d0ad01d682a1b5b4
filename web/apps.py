"""The Django application web: pages, forms, settings."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"
