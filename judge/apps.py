"""The Django application judge."""

from django.apps import AppConfig


class JudgeConfig(AppConfig):
    name = "judge"
