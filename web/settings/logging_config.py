"""Logging configuration: one handler on stderr, and a level for our own packages."""

from typing import Any

OURS = ("sandbox", "problems", "judge", "web")
# Each message's and each login's coming and going; uvicorn's own line per request, which shows the tokens of links.
_CHATTER = ("celery.worker.strategy", "celery.app.trace", "uvicorn.access", "axes")
_FORMATTERS = {
    "text": {"()": "judge.observability.logs.TextLines", "format": "%(asctime)s %(levelname)s %(name)s: %(message)s"},
    "json": {"()": "judge.observability.logs.JsonLines"},
}


def logging_of(kind: str, level: str) -> dict[str, Any]:
    """Return the setting LOGGING: lines of this kind ("text" or "json"); our packages log from `level` on."""
    others = "INFO" if level == "DEBUG" else level  # Celery's DEBUG would drown ours
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"line": _FORMATTERS[kind]},
        "filters": {"tokens": {"()": "judge.observability.logs.WithoutTokens"}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["tokens"]}},
        "root": {"handlers": ["stderr"], "level": others},
        "loggers": {
            **{name: {"level": level} for name in OURS},
            **{name: {"level": "WARNING"} for name in _CHATTER},
            "uvicorn": {"handlers": [], "level": "WARNING", "propagate": True},
            "django.request": {"level": "ERROR"},
        },
    }
