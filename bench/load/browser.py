"""A minimal browser that uses the real site by HTTP: links, forms and streams."""

import http.client
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from pathlib import Path
from typing import IO
from urllib.parse import urlencode, urlsplit

_BOUNDARY = "tally-form-boundary"
_PIECE_BYTES = 1024 * 1024


class Refused(Exception):
    """The site did not respond as expected; the message quotes its response."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """A response, and where it leads."""

    status: int
    text: str
    location: str

    @property
    def words(self) -> str:
        """The beginning of what a person would read."""
        return " ".join(re.sub(r"<[^>]*>", " ", self.text).split())[:1_000]


class Browser:
    """One connection, kept open like a browser's, and cookies. Requests raise OSError or HTTPException."""

    def __init__(self, url: str, cookies: Mapping[str, str] | None = None, *, timeout_s: float = 60) -> None:
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=timeout_s)
        self._cookies: SimpleCookie = SimpleCookie(cookies)

    def close(self) -> None:
        """Close the connection; the next request opens one."""
        self._connection.close()

    def get(self, path: str) -> Answer:
        """Open a page."""
        return self._ask("GET", path, None, {})

    def post(self, path: str, fields: Mapping[str, str]) -> Answer:
        """Send a form."""
        body = urlencode({"csrfmiddlewaretoken": self._token, **fields}).encode()
        return self._ask("POST", path, body, {"Content-Type": "application/x-www-form-urlencoded"})

    def send(self, path: str, archive: Path) -> Answer:
        """Send a form with a file, streamed from the disk."""
        head = (
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="csrfmiddlewaretoken"\r\n\r\n{self._token}\r\n'
            f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="archive"; filename="{archive.name}"\r\n'
            "Content-Type: application/zip\r\n\r\n"
        ).encode()
        tail = f"\r\n--{_BOUNDARY}--\r\n".encode()

        def pieces(file: IO[bytes]) -> Iterable[bytes]:
            yield head
            while piece := file.read(_PIECE_BYTES):
                yield piece
            yield tail

        headers = {
            "Content-Type": f"multipart/form-data; boundary={_BOUNDARY}",
            "Content-Length": str(len(head) + archive.stat().st_size + len(tail)),
        }
        with archive.open("rb") as file:
            return self._ask("POST", path, pieces(file), headers)

    def sign_in(self, name: str, password: str) -> None:
        """Raises Refused."""
        self.get("/login/")
        answer = self.post("/login/", {"username": name, "password": password})
        if answer.status != 302:
            raise Refused(f"signing in was answered with {answer.status}: {answer.words}")

    def submit(self, problem: str, language: str, source: str) -> int:
        """Send a program; the submission's number. Raises Refused."""
        answer = self.post(f"/problems/{problem}/submit", {"language": language, "source": source})
        if answer.status != 302:
            raise Refused(f"submitting was answered with {answer.status}: {answer.words}")
        return int(answer.location.rstrip("/").rpartition("/")[2])

    def wait_for_verdict(self, submission: int) -> None:
        """Follow the page's stream until it says that nothing more will come. Raises Refused."""
        self._connection.request("GET", f"/submissions/{submission}/events", headers=self._cookie_header)
        answer = self._connection.getresponse()
        while (line := answer.readline()) and line != b"event: finished\n":
            if line == b"event: unavailable\n":
                raise Refused("there is no stream to follow")
        self.leave()  # the next request opens another connection

    def leave(self) -> None:
        """Hang up."""
        self._connection.close()

    @property
    def _token(self) -> str:
        return self._cookies["csrftoken"].value

    @property
    def _cookie_header(self) -> dict[str, str]:
        return {"Cookie": "; ".join(f"{name}={morsel.value}" for name, morsel in self._cookies.items())}

    def _ask(self, method: str, path: str, body: bytes | Iterable[bytes] | None, headers: dict[str, str]) -> Answer:
        try:
            self._connection.request(method, path, body, {**self._cookie_header, **headers})
            answer = self._connection.getresponse()
            text = answer.read().decode()
        except (OSError, http.client.HTTPException):
            self.leave()
            raise
        for line in answer.headers.get_all("Set-Cookie", []):
            self._cookies.load(line)
        return Answer(status=answer.status, text=text, location=answer.headers.get("Location", ""))
