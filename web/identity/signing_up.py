"""Sign-up rules: open, by invitation, or closed (settings.SIGN_UP).

Accounts that are made without an invitation count against the address they come from, for PERIOD; those made with one
count against the invitation, so that a class in one room can sign up at once.
"""

import re
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import F, Min
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _, ngettext

from judge.models import Invitation, SignUp
from web.identity import user_names
from web.server.client_address import lock_key

PERIOD = timedelta(hours=1)
_TOKEN = re.compile(r"[\w-]{1,64}", re.ASCII)
_LOCK = 0x5375  # names the locks of this module among PostgreSQL's advisory ones
_MINUTE_S = 60

CLOSED = _("This site accepts no new accounts.")
INVITATION_NEEDED = _(
    "An account needs an invitation here. Ask your instructor for a link and open it in this browser to sign up."
)
NOT_USABLE = _("This invitation has expired, is used up or was revoked. Ask its sender for a new one.")


class SignUpRefused(Exception):
    """No account can be created; as sentences. `status` of the response; `again_s`: when to retry."""

    def __init__(self, why: object, *, status: int = 403, again_s: int = 0) -> None:
        super().__init__(str(why))
        self.status = status
        self.again_s = again_s


def invitation_of(token: str) -> Invitation | None:
    """Return the invitation of a link, if it is usable now."""
    if settings.SIGN_UP == "closed" or not _TOKEN.fullmatch(token):
        return None
    return Invitation.objects.usable().select_related("assignment").filter(token=token).first()


def check(token: str) -> None:
    """Raise SignUpRefused if nobody can sign up with this link ("": without one)."""
    if settings.SIGN_UP == "closed":
        raise SignUpRefused(CLOSED)
    if token and invitation_of(token) is None:
        raise SignUpRefused(NOT_USABLE)
    if not token and settings.SIGN_UP == "invitation":
        raise SignUpRefused(INVITATION_NEEDED)


def sign_up(form: "UserCreationForm[User]", token: str, address: str | None) -> User:
    """Create the account of a valid form. Raises SignUpRefused, and ValidationError for a name that is taken."""
    check(token)
    user: User = form.save(commit=False)  # the slow part, a password's hash, before anything is locked
    with transaction.atomic():
        user_names.hold_look(user.username)
        user_names.check_look(user.username)  # somebody else may have been faster
        if token:  # a row lock: simultaneous sign-ups cannot exceed its number of uses
            invitation = Invitation.objects.usable().select_for_update(of=("self",)).filter(token=token).first()
            if invitation is None:
                raise SignUpRefused(NOT_USABLE)
            Invitation.objects.filter(pk=invitation.pk).update(uses=F("uses") + 1)
        else:
            _count(address)
        user.save()
    return user


def next_page(invitation: Invitation | None) -> str:
    """Return the page that an invitation leads to; "" without one."""
    if invitation is None or invitation.assignment is None or invitation.assignment.deleted_at is not None:
        return ""
    return reverse("join_assignment", args=[invitation.assignment.pk, invitation.assignment.token])


def _count(address: str | None) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, lock_key(address)])
    SignUp.objects.filter(created_at__lt=Now() - PERIOD).delete()
    lately = SignUp.objects.filter(address=address)
    most = settings.SIGN_UPS_PER_ADDRESS
    if lately.count() >= most:
        ends = lately.order_by("-pk")[:most].aggregate(first=Min("created_at"))["first"] + PERIOD
        again_s = max(1, int((ends - timezone.now()).total_seconds()))
        minutes = again_s // _MINUTE_S + 1
        why = ngettext(
            "Too many accounts were created from your address within an hour. Try again in %(minutes)s minute, or ask"
            " your instructor for an invitation.",
            "Too many accounts were created from your address within an hour. Try again in %(minutes)s minutes, or ask"
            " your instructor for an invitation.",
            minutes,
        )
        raise SignUpRefused(why % {"minutes": minutes}, status=429, again_s=again_s)
    SignUp.objects.create(address=address)
