"""Columns: text that PostgreSQL takes, whatever a program or a compiler wrote, and JSON that is read as dataclasses."""

import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar, overload

from django.db import models
from django.db.models.fields.json import KeyTransform

from problems.jsonvalues import JsonError, from_row, to_json
from problems.translation import Sentence

_SetT = TypeVar("_SetT", contravariant=True)
_GetT = TypeVar("_GetT", covariant=True)
_RecordT = TypeVar("_RecordT")
_logger = logging.getLogger(__name__)


def clean(text: str) -> str:
    """Return text that PostgreSQL accepts: NUL and lone surrogates become escapes."""
    return text.replace("\0", "\\x00").encode("utf-8", "backslashreplace").decode()


def clean_json(value: Any) -> Any:
    """Return JSON values that PostgreSQL accepts; dataclasses and sentences become mappings, every sequence a list."""
    return _cleaned(to_json(value))


def _cleaned(value: Any) -> Any:
    if isinstance(value, Sentence):
        return _cleaned(value.as_json())
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, Mapping):
        return {clean(key): _cleaned(item) for key, item in value.items()}
    return [_cleaned(item) for item in value] if isinstance(value, list) else value


if TYPE_CHECKING:

    class _JSONField(models.JSONField[_SetT, _GetT]): ...

else:

    class _JSONField(models.JSONField, Generic[_SetT, _GetT]): ...


class RecordField(_JSONField[_SetT, _GetT]):
    """A JSON column whose values are of one kind that `problems.jsonvalues` reads: a dataclass, or a tuple of them.

    A row of an older version may lack keys that have a default, or have others. What cannot be read is the column's
    default, and logged; a column without a default raises JsonError. Migrations know the column as a JSONField.
    """

    @overload
    def __init__(
        self: "RecordField[_RecordT | None, _RecordT | None]", kind: type[_RecordT], *, null: Literal[True]
    ) -> None: ...

    @overload
    def __init__(
        self: "RecordField[_RecordT, _RecordT]",
        kind: type[_RecordT],
        *,
        default: Callable[[], object] = ...,
        db_default: Any = ...,
    ) -> None: ...

    def __init__(self, kind: Any, **options: Any) -> None:
        self._kind = kind
        super().__init__(**options)

    def deconstruct(self) -> Any:
        """Return the description of a JSONField: what rows keep does not change with the kind."""
        name, _path, args, options = super().deconstruct()
        return name, "django.db.models.JSONField", args, options

    def clone(self) -> Any:
        """Return the column for the state of migrations."""
        _name, _path, args, options = self.deconstruct()
        return models.JSONField(*args, **options)

    def get_default(self) -> Any:
        return self.to_python(super().get_default())

    def from_db_value(self, value: str | None, expression: Any, connection: Any) -> Any:
        """Return what a row has; a part of it, which a query names by its keys, as JSON."""
        stored = super().from_db_value(value, expression, connection)
        if stored is None or isinstance(expression, KeyTransform):
            return stored
        try:
            return from_row(self._kind, stored)
        except JsonError as error:
            if not self.null and not self.has_default():
                raise
            _logger.warning("a row's column %s cannot be read: %s", self.name, error)
            return self.get_default()

    def to_python(self, value: Any) -> Any:
        """Return the value that this one, or its JSON, stands for. Raises JsonError."""
        return None if value is None else from_row(self._kind, to_json(value))

    def get_prep_value(self, value: Any) -> Any:
        """Return JSON that PostgreSQL accepts."""
        prepared = super().get_prep_value(value)
        return prepared if hasattr(prepared, "resolve_expression") else clean_json(prepared)
