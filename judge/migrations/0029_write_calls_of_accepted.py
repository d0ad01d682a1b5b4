"""The write calls of a whole submission, and an index from which a problem's statistics are read.

The numbers of accepted programs are added up from their cases, some submissions at a time, beside the running site. Each
step can be done again after an interruption.
"""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models

_AT_ONCE = 5_000
_ADD_UP = """
UPDATE judge_submission SET total_write_calls = (
    SELECT sum(write_calls) FROM judge_testcaseresult
    WHERE submission_id = judge_submission.id AND attempt = judge_submission.attempt
)
WHERE id > %s AND id <= %s AND verdict = 'AC' AND status = 'done' AND total_write_calls IS NULL
"""


class _AddIndex(AddIndexConcurrently):
    """First removes what an interruption left, which is of no use to anybody."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        schema_editor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {self.index.name}')
        super().database_forwards(app_label, schema_editor, from_state, to_state)


class _AddColumn(migrations.AddField):
    """Does nothing where an interrupted migration has added the column."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        model = to_state.apps.get_model(app_label, self.model_name)
        with schema_editor.connection.cursor() as cursor:
            columns = schema_editor.connection.introspection.get_table_description(cursor, model._meta.db_table)
        if self.name not in {column.name for column in columns}:
            super().database_forwards(app_label, schema_editor, from_state, to_state)


def _add_up(apps: Any, schema_editor: Any) -> None:
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT coalesce(max(id), 0) FROM judge_submission")
        (last,) = cursor.fetchone()
        for before in range(0, last, _AT_ONCE):
            cursor.execute(_ADD_UP, [before, before + _AT_ONCE])


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('judge', '0028_assignment_deleted_at'),
    ]

    operations = [
        _AddColumn(
            model_name='submission',
            name='total_write_calls',
            field=models.PositiveBigIntegerField(null=True),
        ),
        _AddColumn(
            model_name='rejudgedsubmission',
            name='total_write_calls',
            field=models.PositiveBigIntegerField(null=True),
        ),
        _AddColumn(
            model_name='customrun',
            name='total_write_calls',
            field=models.PositiveBigIntegerField(null=True),
        ),
        migrations.RunPython(_add_up, migrations.RunPython.noop),
        _AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('status', 'done'), ('verdict', 'AC')), fields=['problem_version', '-id'], include=['user', 'language', 'max_cpu_time_us', 'max_peak_memory_bytes', 'total_write_calls'], name='submission_accepted'),
        ),
    ]
