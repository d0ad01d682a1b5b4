"""`manage.py remove_instructor NAME`: make an instructor's account a student's again."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.identity.accounts import RightsStay, Role, account_named, remove_instructor, roles_of


class Command(BaseCommand):
    """Takes the rights of an account back."""

    help = "Take an instructor's rights back: the account is a student's again. Its problems and assignments stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")

    def handle(self, *args: Any, username: str, **options: Any) -> None:
        user = account_named(username)
        if user is None:
            raise CommandError(f"There is no account {username}.")
        if roles_of([user])[user.pk] is Role.STUDENT:
            raise CommandError(f"{username} is no instructor.")
        try:
            remove_instructor(user)
        except RightsStay as why:
            raise CommandError(str(why)) from None
        self.stdout.write(f"{username} is a student now.")
