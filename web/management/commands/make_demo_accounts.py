"""`manage.py make_demo_accounts`: a student and an instructor to try Tally with; prints their passwords."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.accounts import NoDemoAccounts, make_demo_accounts


class Command(BaseCommand):
    """Makes the accounts; refuses where they are not wanted."""

    help = "Make a student and an instructor to try Tally with, and print how to sign in as them."

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one line per account."""
        try:
            accounts = make_demo_accounts()
        except NoDemoAccounts:
            raise CommandError("Demo accounts are for trying Tally out: set TALLY_DEMO_ACCOUNTS=1 first.") from None
        for account in accounts:
            role = "instructor" if account.is_instructor else "student"
            self.stdout.write(f"  {role:10}  name {account.username}  password {account.password}")
