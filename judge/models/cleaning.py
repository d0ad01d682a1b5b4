"""Make text and JSON values fit for PostgreSQL, whatever a program or a compiler wrote."""

from collections.abc import Mapping
from typing import Any


def clean(text: str) -> str:
    """Return text that PostgreSQL accepts: NUL and lone surrogates become escapes."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def clean_json(value: Any) -> Any:
    """Return JSON values that PostgreSQL accepts; every sequence becomes a list."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean_json(key): clean_json(item) for key, item in value.items()}
    return [clean_json(item) for item in value] if isinstance(value, list | tuple) else value
