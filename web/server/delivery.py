"""Deliver files and pages: files for a year, under names that change with their content; pages compressed."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFiles(WhiteNoiseMiddleware):  # type: ignore[misc]  # WhiteNoise has no types
    """Serves the files of `settings.STATIC_ROOT`, where `make setup` collected and compressed them."""

    FOREVER = 365 * 24 * 60 * 60  # seconds; WhiteNoise's own is ten years


class CollectedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Knows the addresses of the collected files (settings.STORAGES). A process finds out each one once."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._addresses: dict[tuple[str, bool], str] = {}

    def url(self, name: str, force: bool = False) -> str:
        """Return the address of a file, whose name changes with its content. Raises ValueError if there is none."""
        address = self._addresses.get((name, force))
        if address is None:
            address = self._addresses[name, force] = super().url(name, force)
        return address


class CompressedPages(GZipMiddleware):
    """Compresses every answer but streams: live pages' events go out one by one, and long downloads as they are made.

    Why that is safe: whoever wants to guess a secret from the length of compressed answers (BREACH) needs many of them,
    in the reader's name. The cookie of a session is SameSite=Lax, so another site gets them only by opening page after
    page before the reader's eyes. Each one has its CSRF token masked anew, and up to 100 random bytes from Django.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress the answer if its reader accepts gzip."""
        return response if response.streaming else super().process_response(request, response)
