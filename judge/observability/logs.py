"""Log grading events, and attach the current work to every log line, for people or as JSON.

How it works: whoever takes up a piece of work does it in `about`; every line that any module logs meanwhile names it:
`submission`, `attempt`, `worker`, `request`, or `work` for other kinds. Threads started for it run in a copy of the
context. So one search for a submission's number shows its whole way through the site, the queue and the workers.
Sources, test data, passwords and the tokens of links are never logged.
"""

import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Protocol

from judge.grading.events import CaseJudged, CaseProfiled, CompileFinished, Event, GradingFinished
from judge.grading.words import harmless

_about: ContextVar[Mapping[str, object]] = ContextVar("about", default=MappingProxyType({}))


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Add these fields to every line logged in the `with`; a value of None removes a field."""
    token = _about.set({name: value for name, value in {**_about.get(), **fields}.items() if value is not None})
    try:
        yield
    finally:
        _about.reset(token)


class _Row(Protocol):
    """A row of the queue."""

    pk: int
    attempt: int


def about_work(row: _Row) -> AbstractContextManager[None]:
    """Attach a queue row: its number as `submission`, or as `work` for another kind."""
    return about(**_named(type(row), row.pk), attempt=row.attempt)


def about_attempt(kind: type, number: int, attempt: int, worker: str) -> AbstractContextManager[None]:
    """Attach an attempt at a queue row by a worker's process."""
    return about(**_named(kind, number), attempt=attempt, worker=worker)


def _named(kind: type, number: int) -> dict[str, object]:
    is_submission = kind.__name__ == "Submission"
    return {
        "submission": number if is_submission else None,
        "work": None if is_submission else f"{kind.__name__} {number}",
    }


class TextLines(logging.Formatter):
    """For people: "2026-11-21 15:04:05,123 INFO judge.submissions.records: claimed [submission=12 attempt=1]"."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, with an indented traceback below it: no text can pass for a line of its own."""
        fields = " ".join(f"{name}={value}" for name, value in _about.get().items())
        first, *rest = harmless(super().format(record)).split("\n")
        return "\n    ".join([f"{first} [{fields}]" if fields else first, *rest])


class JsonLines(logging.Formatter):
    """For programs: one JSON object a line, with time, level, logger, message, the fields, and a traceback as text."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            **_about.get(),
            "message": record.getMessage(),  # after the fields: a comma follows each, for whoever searches for one
        }
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class WithoutTokens(logging.Filter):
    """Remove the tokens of links from Django's request messages: a token grants access."""

    def filter(self, record: logging.LogRecord) -> bool:
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        kwargs: Mapping[str, object] = getattr(match, "kwargs", {})
        tokens = [str(value) for name, value in kwargs.items() if name.endswith("token")]
        if tokens and isinstance(record.args, tuple):
            token = re.compile("|".join(map(re.escape, tokens)))
            record.args = tuple(token.sub("***", arg) if isinstance(arg, str) else arg for arg in record.args)
        return True


_logger = logging.getLogger(__name__)


def log(event: Event) -> None:
    """Log one line once the event is in the database; steps between compilation and verdict have level DEBUG."""
    match event:
        case CompileFinished(ok=True):
            _logger.info("compiled%s", _ms(event.wall_time_us) or ", kept from an earlier time")
        case CompileFinished():
            _logger.info("refused by the compiler%s", _ms(event.wall_time_us))
        case CaseJudged():
            cpu_time = _ms(event.usage.cpu_time_us)
            _logger.debug("case %s: %s%s of CPU time", event.name, event.verdict.value, cpu_time)
        case CaseProfiled():
            _logger.debug("case %s: %s", event.name, "profiled" if event.result else f"no profile: {event.problem}")
        case GradingFinished():
            _logger.info("verdict %s", event.verdict.value)


def _ms(microseconds: int | None) -> str:
    return "" if microseconds is None else f" in {microseconds / 1_000:.1f} ms"
