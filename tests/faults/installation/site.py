"""The real site of an installation, and somebody who signs in and submits there."""

import signal
from collections.abc import Mapping, Sequence
from http.client import HTTPException

from django.conf import settings

from bench.load.browser import Browser, Refused
from tests.faults.installation import inside
from tests.faults.installation.installation import Installation, Server
from tests.faults.installation.programs import SLUG
from web.operations import services
from web.server import serving

_PASSWORD = "correct horse battery"
_TIMEOUT_S = 20


class Site(Server):
    """uvicorn, started as `make run` starts it."""

    def __init__(
        self, house: Installation, environment: Mapping[str, str] | None = None, inside: Sequence[str] = ()
    ) -> None:
        """`environment` goes before the house's own; `inside` is a command that runs another one somewhere."""
        self.port = house.environment["TALLY_PORT"]
        own = {**house.environment, **(environment or {})}
        prefix = [*inside, "env", *(f"{key}={value}" for key, value in own.items())]
        log = house.folder / "web.log"

        def start() -> services.Service:
            counts = house.folder / "counts"
            command = [*prefix, *serving.command_for(host="127.0.0.1", port=int(self.port), counts=counts)]
            return services.start_process("web", command, log, signal.SIGTERM, cwd=settings.BASE_DIR)

        super().__init__("web", start)

    def answers(self) -> bool:
        """Whether it is healthy."""
        return services.answers(f"http://127.0.0.1:{self.port}")


class Student:
    """Somebody who submits there; whatever the site refuses is kept in `refusals`."""

    def __init__(self, house: Installation, name: str) -> None:
        self._browser = Browser(f"http://127.0.0.1:{house.environment['TALLY_PORT']}", timeout_s=_TIMEOUT_S)
        self.refusals: list[str] = []
        house.inside.do(inside.make_account, name, _PASSWORD)
        self._browser.sign_in(name, _PASSWORD)

    def close(self) -> None:
        """Leave."""
        self._browser.close()

    def submit(self, language: str, source: bytes) -> int | None:
        """The number that the site promised; None when it did not, and then `refusals` says what it said."""
        try:
            return self._browser.submit(SLUG, language, source.decode())
        except (OSError, HTTPException, Refused) as error:
            self.refusals.append(str(error))
            return None
