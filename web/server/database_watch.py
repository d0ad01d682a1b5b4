"""Know whether the database answers, so that nobody waits in line for one that is gone.

How it works: nothing is asked while requests go well. A request that takes longer than SLOW_S, or that fails for want
of the database, is a reason to look: one thread makes a connection of its own, which takes 5 s at most
(`web.server.db_pool`). If that fails, the database is *away* and `web.server.request_limit` sends whoever comes, and
whoever stands in line, the page of a 503 at once. The thread looks again every LOOK_EVERY_S until the database is back.
A server that answers, be it with a refusal, is not away: requests learn that at once by themselves.
"""

import logging
import threading
import time
from collections.abc import Callable

import psycopg
from django.db import connection

SLOW_S = 3.0
LOOK_EVERY_S = 1.0
_REFUSED = "FATAL:"  # PostgreSQL's own word, in every language of its messages
_logger = logging.getLogger(__name__)


class DatabaseWatch:
    """Whether the database is away, as `reach` finds: why it cannot be reached, or "". Safe to use from any thread."""

    def __init__(self, reach: Callable[[], str]) -> None:
        self._reach = reach
        self._lock = threading.Lock()
        self._is_looking = False
        self.is_away = False  # as the last look found

    def suspect(self) -> None:
        """Look, unless that is under way."""
        with self._lock:
            if self._is_looking:
                return
            self._is_looking = True
        threading.Thread(target=self._look, name="database watch", daemon=True).start()

    def _look(self) -> None:
        try:
            while why := self._reach():
                if not self.is_away:
                    _logger.error("the database is away, every request is answered 503: %s", why)
                self.is_away = True
                time.sleep(LOOK_EVERY_S)
            if self.is_away:
                _logger.warning("the database is back")
        finally:
            with self._lock:
                self.is_away = self._is_looking = False


def reach() -> str:
    """Make a connection, past the pool; return why that fails, "" when the server answers."""
    try:
        psycopg.connect(**connection.get_connection_params()).close()
    except psycopg.Error as error:
        return "" if _REFUSED in str(error) else str(error)
    return ""


database_watch = DatabaseWatch(reach)
