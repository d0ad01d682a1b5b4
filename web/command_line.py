"""Django's command line, and how Tally's commands end: what is wrong with this machine is one sentence, no traceback.

A traceback is left to what is wrong with Tally itself, and to `--traceback`.
"""

import signal
import sys

WRONG_SETTINGS = 2  # exit codes
AWAY = 1
INTERRUPTED = 128 + signal.SIGINT
_NO_DATABASE = "The database cannot be used: {}. {}"
_REMEDIES = {  # by whether the database is the embedded one
    True: "Start Tally with make run, or set DATABASE_URL.",
    False: "Check DATABASE_URL.",
}
_NOT_PREPARED = "The database lacks what this version of Tally needs: run manage.py prepare."
_FAILED = "The database failed: {}"


def main(argv: list[str]) -> int:
    """Carry out one command line of manage.py and return its exit code."""
    try:
        from django.core.management import execute_from_command_line

        execute_from_command_line(argv)
    except KeyboardInterrupt:
        print("it was interrupted (SIGINT)", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        ending = None if "--traceback" in argv else ending_of(error)
        if ending is None:
            raise
        code, sentence = ending
        print(sentence, file=sys.stderr)
        return code
    return 0


def ending_of(error: BaseException) -> tuple[int, str] | None:
    """Return the exit code and the sentence for an error that is no fault of Tally's; None for any other."""
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.db import InterfaceError, OperationalError, ProgrammingError
    from psycopg.errors import UndefinedColumn, UndefinedTable

    if isinstance(error, ImproperlyConfigured):
        return WRONG_SETTINGS, str(error)
    if isinstance(error, ProgrammingError) and isinstance(error.__cause__, UndefinedTable | UndefinedColumn):
        return AWAY, _NOT_PREPARED
    if not isinstance(error, OperationalError | InterfaceError):
        return None
    words, *_ = str(error).splitlines() or [type(error).__name__]
    words = words.removeprefix("connection is bad: ").removeprefix("connection failed: ")
    is_away = getattr(error.__cause__, "sqlstate", None) is None  # the server did not say so itself
    if not is_away:
        return AWAY, _FAILED.format(words)
    return AWAY, _NO_DATABASE.format(words.rstrip("."), _REMEDIES[settings.EMBEDDED_POSTGRES])
