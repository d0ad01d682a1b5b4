"""Indexes that answer a list's page by themselves, built beside the running site (no lock that stops writers).

The old ones go when the new ones are there. No transaction holds it all together, so it may be interrupted anywhere:
each step can be done again.
"""

from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations, models


class _AddIndex(AddIndexConcurrently):
    """First removes what an interruption left, which is of no use to anybody."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        schema_editor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {self.index.name}')
        super().database_forwards(app_label, schema_editor, from_state, to_state)


def _without_own_index(field: str, to: str) -> migrations.RunSQL:
    """The lists' indexes serve the foreign key too. Its constraint stays; Django would make it anew."""
    key = models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to=to)
    name = 'judge_submission_' + {'user': 'user_id_9764487f', 'problem': 'problem_id_d2fabe38'}[field]
    return migrations.RunSQL(
        f'DROP INDEX CONCURRENTLY IF EXISTS {name}',
        f'CREATE INDEX CONCURRENTLY IF NOT EXISTS {name} ON judge_submission ({field}_id)',
        state_operations=[migrations.AlterField(model_name='submission', name=field, field=key)],
    )


_UNFINISHED = models.Q(('status', 'done'), _negated=True)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('judge', '0020_tallies'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        _AddIndex(
            model_name='submission',
            index=models.Index(fields=['user', '-id'], include=['problem', 'language', 'verdict', 'status'], name='submission_of_user'),
        ),
        _AddIndex(
            model_name='submission',
            index=models.Index(fields=['problem', '-id'], include=['user', 'language', 'verdict', 'status', 'cause', 'problem_version', 'created_at'], name='submission_of_problem'),
        ),
        _AddIndex(
            model_name='submission',
            index=models.Index(fields=['verdict', '-id'], include=['problem', 'language', 'status'], name='submission_of_verdict'),
        ),
        _AddIndex(
            model_name='submission',
            index=models.Index(fields=['language', '-id'], include=['problem', 'verdict', 'status'], name='submission_of_language'),
        ),
        _AddIndex(
            model_name='submission',
            index=models.Index(fields=['user', 'problem', '-id'], include=['language', 'verdict', 'status', 'score', 'max_score', 'created_at'], name='submission_of_user_problem'),
        ),
        _AddIndex(
            model_name='submission',
            index=models.Index(fields=['problem', 'created_at'], name='submission_of_problem_time'),
        ),
        _AddIndex(
            model_name='submission',
            index=models.Index(condition=models.Q(('attempt__gt', 1)), fields=['problem', 'id'], name='submission_judged_again'),
        ),
        RemoveIndexConcurrently(model_name='submission', name='submission_unfinished'),
        _AddIndex(
            model_name='submission',
            index=models.Index(condition=_UNFINISHED, fields=['status', '-id'], include=['user', 'problem', 'language', 'verdict'], name='submission_unfinished'),
        ),
        RemoveIndexConcurrently(model_name='submission', name='submission_by_user'),
        RemoveIndexConcurrently(model_name='submission', name='submission_by_problem'),
        _AddIndex(
            model_name='rejudgedsubmission',
            index=models.Index(fields=['rejudge', 'submission'], include=['status', 'verdict', 'score', 'old_verdict', 'old_score', 'old_attempt', 'is_given_up', 'is_stale', 'applied_at'], name='rejudged_of_rejudge'),
        ),
        _without_own_index('user', settings.AUTH_USER_MODEL),
        _without_own_index('problem', 'problems.problem'),
        _AddIndex(
            model_name='submission',
            index=models.Index(condition=_UNFINISHED, fields=['turn', 'id'], name='submission_turn'),
        ),
        _AddIndex(
            model_name='submission',
            index=models.Index(condition=_UNFINISHED, fields=['user', '-turn'], name='submission_own_turn'),
        ),
        # Finished rows stand in the indexes' pages that are known to be visible only after a vacuum: lists would look
        # the newest up in the table. By default that comes when a fifth of the table has changed.
        migrations.RunSQL(
            'ALTER TABLE judge_submission SET (autovacuum_vacuum_scale_factor = 0.01,'
            ' autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02)',
            'ALTER TABLE judge_submission RESET (autovacuum_vacuum_scale_factor,'
            ' autovacuum_vacuum_insert_scale_factor, autovacuum_analyze_scale_factor)',
        ),
        # Names are looked up whatever their case.
        migrations.RunSQL('DROP INDEX CONCURRENTLY IF EXISTS user_by_upper_name', migrations.RunSQL.noop),
        migrations.RunSQL(
            'CREATE INDEX CONCURRENTLY user_by_upper_name ON auth_user (upper(username))',
            'DROP INDEX CONCURRENTLY IF EXISTS user_by_upper_name',
        ),
    ]
