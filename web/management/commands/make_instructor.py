"""`manage.py make_instructor NAME`: let somebody who has signed up publish problems and read every submission."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.identity.accounts import account_named, make_instructor


class Command(BaseCommand):
    """Makes an account an instructor's."""

    help = "Make an account an instructor's: it may publish problems and read every submission."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = account_named(username)
        if user is None:
            raise CommandError(f"There is no account {username}: sign up on the site first.")
        make_instructor(user)
        self.stdout.write(f"{username} is an instructor now.")
