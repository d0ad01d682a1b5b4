"""Lines of the log that say whose they are: each carries what is being worked on, for people or as JSON.

How it works: whoever takes up a piece of work does it in `about`, and every line that is logged meanwhile, by whatever
module, names it: `submission`, `attempt`, `worker`, `request`, or `work` for what is no submission. Threads that are
started for it are run in a copy of the context. So one search for a submission's number shows its whole way, through
the site, the queue and the workers. Sources, passwords and the tokens of links are never logged.
"""

import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Protocol

from judge.words import harmless

_about: ContextVar[Mapping[str, object]] = ContextVar("about", default=MappingProxyType({}))


@contextmanager
def about(**fields: object) -> Iterator[None]:
    """Every line of the `with` carries these fields too; a value of None takes one away."""
    token = _about.set({name: value for name, value in {**_about.get(), **fields}.items() if value is not None})
    try:
        yield
    finally:
        _about.reset(token)


class _Row(Protocol):
    """A row of the queue."""

    pk: int
    attempt: int


class _Lease(Protocol):
    """A worker's right to work on one."""

    @property
    def model(self) -> type: ...
    @property
    def id(self) -> int: ...
    @property
    def attempt(self) -> int: ...
    @property
    def worker(self) -> str: ...


def about_work(row: _Row) -> AbstractContextManager[None]:
    """Lines about a row of the queue: its number as `submission`, or as `work` if it is another kind."""
    return about(**_named(type(row), row.pk), attempt=row.attempt)


def about_lease(lease: _Lease) -> AbstractContextManager[None]:
    """Lines about what a worker does under its lease."""
    return about(**_named(lease.model, lease.id), attempt=lease.attempt, worker=lease.worker)


def _named(kind: type, number: int) -> dict[str, object]:
    is_submission = kind.__name__ == "Submission"
    return {
        "submission": number if is_submission else None,
        "work": None if is_submission else f"{kind.__name__} {number}",
    }


class TextLines(logging.Formatter):
    """For people: "2026-11-21 15:04:05,123 INFO judge.records: claimed [submission=12 attempt=1]"."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, and below it a traceback if there is one, indented: no text can be taken for a line of its own."""
        fields = " ".join(f"{name}={value}" for name, value in _about.get().items())
        first, *rest = harmless(super().format(record)).split("\n")
        return "\n    ".join([f"{first} [{fields}]" if fields else first, *rest])


class JsonLines(logging.Formatter):
    """For programs: one JSON object a line, with time, level, logger, message, the fields, and a traceback as text."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
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
    """Takes the tokens of links out of what Django says of a request: whoever has one may read what it leads to."""

    def filter(self, record: logging.LogRecord) -> bool:
        """True: the line is logged, with its tokens replaced."""
        match = getattr(getattr(record, "request", None), "resolver_match", None)
        kwargs: Mapping[str, object] = getattr(match, "kwargs", {})
        tokens = [str(value) for name, value in kwargs.items() if name.endswith("token")]
        if tokens and isinstance(record.args, tuple):
            record.args = tuple(_without(argument, tokens) for argument in record.args)
        return True


def _without(argument: object, tokens: list[str]) -> object:
    if not isinstance(argument, str):
        return argument
    for token in tokens:
        argument = argument.replace(token, "***")
    return argument
