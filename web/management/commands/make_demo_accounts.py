"""`manage.py make_demo_accounts`: create a student and an instructor for trying Tally; prints their passwords."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from web.identity.accounts import NoDemoAccounts, make_demo_accounts


class Command(BaseCommand):
    """Creates the accounts; refuses where settings forbid them."""

    help = "Create a student and an instructor for trying Tally, and print their passwords."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            accounts = make_demo_accounts()
        except NoDemoAccounts:
            raise CommandError("Demo accounts are for trials only: set TALLY_DEMO_ACCOUNTS=1 first.") from None
        for account in accounts:
            self.stdout.write(f"  {account.username:10}  name {account.username}  password {account.password}")
