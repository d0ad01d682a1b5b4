"""Say that something was not taken a second time."""

from django.contrib import messages
from django.http import HttpRequest
from django.utils.translation import gettext as _

from judge.models.queue import QueuedWork


def say_if_sent_again(request: HttpRequest, work: QueuedWork) -> None:
    """Have the next page say that what was sent is the work that was there already, if it is."""
    if work.is_sent_again:
        messages.info(request, _("You sent the same a few seconds ago. It was taken once, and this is its page."))
