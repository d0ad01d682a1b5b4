"""Invitations to make an account: an instructor makes them, sees how often they were used, takes them back."""

from typing import cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from judge.models import Invitation
from web import access
from web.forms.invitations import InvitationForm
from web.paging import Paging

PAGING = Paging(size=25)


@never_cache
def invitation_list(request: HttpRequest) -> HttpResponse:
    """Those that one made and did not take back, newest first, and a form for one more."""
    user = cast(User, request.user)
    form = InvitationForm(request.POST if request.method == "POST" else None, user=user)
    if form.is_valid():
        form.save()
        messages.success(request, _("Invitation created. Send its link to the people it is for."))
        return redirect("invitation_list")
    own = access.manageable_invitations(user)
    page = PAGING.page(own.select_related("owner", "assignment"), request.GET, keys=own)
    now = timezone.now()
    context = {
        "form": form,
        "page": page,
        "invitations": [
            {"row": row, "link": _link(request, row), "has_run_out": row.expires_at <= now} for row in page.rows
        ],
        "sign_up": settings.SIGN_UP,
        "nav": "assignments",
    }
    return render(request, "accounts/invitations.html", context, status=422 if form.errors else 200)


def revoke_invitation(request: HttpRequest, invitation_id: int) -> HttpResponse:
    """Take one back: nobody makes an account with it any more."""
    found = get_object_or_404(access.manageable_invitations(request.user), pk=invitation_id)
    found.revoked_at = Now()
    found.save(update_fields=["revoked_at"])
    messages.success(request, _("Invitation revoked. Accounts created with it stay."))
    return redirect("invitation_list")


def _link(request: HttpRequest, row: Invitation) -> str:
    return request.build_absolute_uri(f"{reverse('signup')}?{urlencode({'invitation': row.token})}")
