"""Sign in by OpenID Connect, and connect or disconnect it. The addresses answer only where a provider is set."""

from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.openid_connect import views
from allauth.socialaccount.views import ConnectionsView
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache
from requests import RequestException

from web.identity.openid_adapter import unreachable
from web.settings.sign_in import PROVIDER_ID


@never_cache
def start(request: HttpRequest, provider_id: str = PROVIDER_ID) -> HttpResponseBase:
    """Send the browser to the provider. `?process=connect`: to connect it to the account that is signed in."""
    try:
        answer: HttpResponseBase = views.login(request, provider_id=provider_id)
    except (RequestException, ValueError, KeyError) as error:  # also when it answers with something else
        raise unreachable(request, error) from error
    return answer


@never_cache
def back(request: HttpRequest, provider_id: str = PROVIDER_ID) -> HttpResponseBase:
    """Take the browser back from the provider, and sign it in."""
    try:
        answer: HttpResponseBase = views.callback(request, provider_id=provider_id)
    except (RequestException, ValueError, KeyError) as error:
        raise unreachable(request, error) from error
    return answer


@method_decorator(never_cache, name="dispatch")
class Connections(ConnectionsView):  # type: ignore[misc]  # allauth has no types
    """The identities that sign in to this account."""

    template_name = "accounts/openid.html"

    def get_context_data(self, **kwargs: object) -> dict[str, object]:
        """Name the provider and the identities."""
        own = SocialAccount.objects.filter(user=self.request.user, provider=PROVIDER_ID)
        more = {"openid_name": settings.OPENID_NAME, "connections": own.order_by("pk")}
        return {**super().get_context_data(**kwargs), **more}
