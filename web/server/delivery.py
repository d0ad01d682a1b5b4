"""Compress pages. WhiteNoise delivers files, under names that change with their content."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware


class CompressedPages(GZipMiddleware):
    """Compresses every answer but streams: live pages' events go out one by one, and long downloads as they are made.

    Why that is safe: whoever wants to guess a secret from the length of compressed answers (BREACH) needs many of them,
    in the reader's name. The cookie of a session is SameSite=Lax, so another site gets them only by opening page after
    page before the reader's eyes. Each one has its CSRF token masked anew, and up to 100 random bytes from Django.
    """

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Compress the answer if its reader accepts gzip."""
        return response if response.streaming else super().process_response(request, response)
