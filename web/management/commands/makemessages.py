"""`manage.py makemessages`: Django's, which also collects the sentences that plain Python keeps for later."""

from django.core.management.commands import makemessages


class Command(makemessages.Command):
    """Knows the calls of `problems.translation` besides Django's own."""

    xgettext_options = [*makemessages.Command.xgettext_options, "--keyword=Sentence", "--keyword=CountedSentence:1,2"]
