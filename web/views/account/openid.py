"""Sign in by OpenID Connect, and connect or disconnect it. The addresses answer only where a provider is set.

How it works: the way to the provider begins with a POST, so that no link and no page of somebody else can begin it: a
browser that was signed in at the provider as somebody else would connect that identity to the account. A GET shows the
button. The policy "form-action" lets no form lead to another site, over a redirect either, and the provider may have
pages on several; so the answer is a page of ours, which the browser leaves by itself.
"""

from typing import cast
from urllib.parse import urlsplit

from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base.constants import AuthProcess
from allauth.socialaccount.providers.openid_connect import views
from allauth.socialaccount.views import ConnectionsView
from allauth.utils import get_request_param
from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from requests import RequestException

from web import access
from web.identity.openid_adapter import unreachable
from web.settings.connections import PROVIDER_ID


@never_cache
def start(request: HttpRequest, provider_id: str = PROVIDER_ID) -> HttpResponseBase:
    """Send the browser to the provider. `process=connect`: to connect it to the account that is signed in."""
    process = get_request_param(request, "process", AuthProcess.LOGIN)
    if process not in (AuthProcess.LOGIN, AuthProcess.CONNECT):
        raise Http404
    if process == AuthProcess.CONNECT and not access.may_connect_openid(request.user):
        return redirect_to_login(reverse("socialaccount_connections"))
    context = {"openid_name": settings.OPENID_NAME, "process": process, "next": request.GET.get("next", "")}
    if request.method != "POST":
        return render(request, "openid/start.html", context)
    try:
        answer: HttpResponseBase = views.login(request, provider_id=provider_id)
    except (RequestException, ValueError, KeyError) as error:  # also when it answers with something else
        raise unreachable(request, error) from error
    # a page in the place of a redirect to another site
    target = answer.headers.get("Location", "")
    if not urlsplit(target).netloc:
        return answer
    page: HttpResponse = render(request, "openid/onward.html", {**context, "target": target})
    page.headers["Refresh"] = f"0; url={target}"
    return page


@never_cache
def back(request: HttpRequest, provider_id: str = PROVIDER_ID) -> HttpResponseBase:
    """Take the browser back from the provider, and sign it in."""
    try:
        return cast(HttpResponseBase, views.callback(request, provider_id=provider_id))
    except (RequestException, ValueError, KeyError) as error:
        raise unreachable(request, error) from error


@method_decorator(never_cache, name="dispatch")
class Connections(ConnectionsView):  # type: ignore[misc]  # allauth has no types
    """The identities that sign in to this account."""

    template_name = "openid/page.html"

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        """Name the provider and the identities."""
        own = SocialAccount.objects.filter(user=self.request.user, provider=PROVIDER_ID)
        more = {"openid_name": settings.OPENID_NAME, "connections": own.order_by("pk")}
        return {**super().get_context_data(**kwargs), **more}
