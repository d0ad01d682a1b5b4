"""Change rows beside the running site, some in each transaction. For migrations that are not atomic."""

from collections.abc import Callable
from typing import Any

from django.db import transaction


def change_rows(rows: Any, change: Callable[[Any], None], columns: list[str], at_once: int = 1_000) -> None:
    """Change these columns of rows in the order of their keys. `at_once`: rows per transaction.

    It can be done again after an interruption.
    """
    last = 0
    while keys := list(rows.filter(pk__gt=last).order_by("pk").values_list("pk", flat=True)[:at_once]):
        last = keys[-1]
        with transaction.atomic():
            held = list(rows.select_for_update(no_key=True).filter(pk__in=keys))
            for row in held:
                change(row)
            for column in columns:  # a null would become one of JSON
                changed = [row for row in held if getattr(row, column) is not None]
                rows.model.objects.bulk_update(changed, [column])
