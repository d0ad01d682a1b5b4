"""`manage.py remove_second_factor NAME`: for somebody who lost the phone and the recovery codes."""

from argparse import ArgumentParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError

from web.identity.accounts import account_named


class Command(BaseCommand):
    """Lets an account sign in by its password alone again."""

    help = "Remove the second factor and the recovery codes of an account."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = account_named(username)
        if user is None:
            raise CommandError(f"There is no account {username}.")
        deleted, _ = Authenticator.objects.filter(user_id=user.pk).delete()  # recovery codes too
        if not deleted:
            raise CommandError(f"{username} has no second factor.")
        self.stdout.write(f"{username} signs in by the password alone now.")
