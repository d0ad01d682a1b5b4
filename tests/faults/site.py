"""The real site of an installation, and somebody who signs in and submits there."""

import http.cookiejar
import re
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request

from django.conf import settings

from tests.faults import inside
from tests.faults.installation import Installation, Server, wait_for
from tests.faults.programs import SLUG
from web import services

_PASSWORD = "correct horse battery"
_TIMEOUT_S = 20


class Site(Server):
    """uvicorn, started as `make run` starts it."""

    def __init__(self, house: Installation) -> None:
        self.port = house.environment["TALLY_PORT"]
        command = ["env", *(f"{key}={value}" for key, value in house.environment.items())]
        command += [sys.executable, "-m", "uvicorn", "web.asgi:application", "--host", "127.0.0.1", "--port", self.port]
        command += ["--lifespan", "off", "--timeout-graceful-shutdown", "2", "--log-level", "warning"]
        log = house.folder / "web.log"
        where = settings.BASE_DIR
        super().__init__("web", lambda: services.start_process("web", command, log, signal.SIGTERM, cwd=where))

    def answers(self) -> bool:
        """Whether it is healthy."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/healthz", timeout=_TIMEOUT_S) as answer:
                return bool(answer.status == 200)
        except OSError:
            return False


class Student:
    """Somebody with a browser, in which nothing but forms works."""

    def __init__(self, house: Installation, name: str) -> None:
        self._base = f"http://127.0.0.1:{house.environment['TALLY_PORT']}"
        self._cookies = http.cookiejar.CookieJar()
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(self._cookies))
        self.refusals: list[str] = []
        house.inside.do(inside.make_account, name, _PASSWORD)
        self._sign_in(name)

    def submit(self, language: str, source: bytes) -> int | None:
        """The number that the site promised; None when it did not, and then `refusals` says what it said."""
        try:
            where = self._post(f"/problems/{SLUG}/submit", {"language": language, "source": source.decode()})
        except OSError as error:
            self.refusals.append(str(error))
            return None
        found = re.search(r"/submissions/(\d+)/", where)
        assert found, where
        return int(found[1])

    def _sign_in(self, name: str) -> None:
        wait_for(lambda: self._opener.open(f"{self._base}/login/", timeout=_TIMEOUT_S).status == 200, "login")
        self._post("/login/", {"username": name, "password": _PASSWORD})

    def _post(self, path: str, fields: dict[str, str]) -> str:
        """Where the answer leads to."""
        token = next(cookie.value or "" for cookie in self._cookies if cookie.name == "csrftoken")
        data = urllib.parse.urlencode({**fields, "csrfmiddlewaretoken": token}).encode()
        try:
            with self._opener.open(self._base + path, data, _TIMEOUT_S) as answer:
                return str(answer.url)
        except urllib.error.HTTPError as error:
            where = error.url
            error.close()
            if re.search(r"/submissions/\d+/", where):
                return str(where)  # it was taken; only its page did not come
            raise OSError(f"{error.code} {error.reason}") from None
