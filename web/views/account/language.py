"""Choosing the language of the pages."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, resolve_url
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _

from judge.models import Preferences
from web.identity import language


def choose(request: HttpRequest) -> HttpResponse:
    """Keep the language in this browser and with the account, and go back to the page."""
    code = request.POST.get("language", "")
    if code not in dict(settings.LANGUAGES):
        return HttpResponse(_("There are no pages in this language."), "text/plain; charset=utf-8", status=422)
    page = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(page, {request.get_host()}, require_https=request.is_secure())
    answer = redirect(page if is_ours else resolve_url("home"))
    language.remember(answer, code)
    if request.user.is_authenticated:
        Preferences.objects.update_or_create(user=request.user, defaults={"language": code})
    return answer
