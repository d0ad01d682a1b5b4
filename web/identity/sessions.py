"""Sessions in the database, as Django's own (settings.SESSION_ENGINE), read by a written statement.

Nearly every request reads one, and Django takes several times longer to write the query than to send it.
"""

from datetime import datetime

from django.contrib.sessions.backends import db
from django.contrib.sessions.models import Session
from django.db import connections, router
from django.utils import timezone

_READ = 'SELECT session_data, expire_date FROM "django_session" WHERE session_key = %s AND expire_date > %s'


class SessionStore(db.SessionStore):
    """The session of one browser."""

    def _get_session_from_db(self) -> Session | None:
        """Return its row unless it expired; without one, forget the key, as Django does."""
        with connections[router.db_for_read(self.model)].cursor() as cursor:
            cursor.execute(_READ, [self.session_key, timezone.now()])
            row: tuple[str, datetime] | None = cursor.fetchone()
        if row is None:
            self._session_key = None
            return None
        return Session(session_key=self.session_key or "", session_data=row[0], expire_date=row[1])
