"""An index from which the recent pace of grading is read, built beside the running site.

It can be done again after an interruption.
"""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class _AddIndex(AddIndexConcurrently):
    """First removes what an interruption left, which is of no use to anybody."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {self.index.name}")
        super().database_forwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    atomic = False

    dependencies = [
        ("judge", "0038_worker_kernel"),
    ]

    operations = [
        _AddIndex(
            model_name="submission",
            index=models.Index(
                condition=models.Q(("status", "done")), fields=["finished_at"], name="submission_finished"
            ),
        ),
    ]
