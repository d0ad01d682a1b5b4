"""Sentences in the reports of uploads where they belong, instead of English there and their templates in a list.

Beside the running site, some rows at a time; can be done again after an interruption.
"""

from collections.abc import Mapping
from typing import Any

from django.db import migrations, transaction

_AT_ONCE = 100  # reports


def _put_in_place(apps: Any, schema_editor: Any) -> None:
    model = apps.get_model("judge", "PackageUpload")
    rows = model.objects.filter(report__has_key="sentences").order_by("pk")
    while keys := list(rows.values_list("pk", flat=True)[:_AT_ONCE]):
        with transaction.atomic():
            for row in rows.select_for_update(no_key=True).filter(pk__in=keys):
                by_text = {sentence["text"]: sentence for sentence in row.report.pop("sentences")}
                row.report = _with_sentences(row.report, by_text)
                row.save(update_fields=["report"])


def _with_sentences(part: Any, by_text: Mapping[str, Any]) -> Any:
    if isinstance(part, dict):
        return {key: _with_sentences(value, by_text) for key, value in part.items()}
    if isinstance(part, list):
        return [_with_sentences(value, by_text) for value in part]
    return by_text.get(part, part) if isinstance(part, str) else part


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ("judge", "0058_assigned_problem"),
    ]

    operations = [
        migrations.RunPython(_put_in_place, migrations.RunPython.noop),
    ]
