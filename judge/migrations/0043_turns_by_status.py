"""The index of turns begins with the status, so that a claim reads the queue in its order.

In a rush, the planner's statistics are of the time before and promise a single queued submission. So the planner
took the index of unfinished ones and sorted all of them, thousands of wide rows for each claim.

The index is built beside the running site, then takes the old one's place. It can be done again after an interruption.
"""

from collections.abc import Callable
from typing import Any

from django.db import migrations, models

_UNFINISHED = ~models.Q(status='done')
_OLD = models.Index(fields=['turn', 'id'], name='submission_turn', condition=_UNFINISHED)
_NEW = models.Index(fields=['status', 'turn', 'id'], name='submission_turn', condition=_UNFINISHED)


def _building(index: models.Index) -> Callable[[Any, Any], None]:
    def build(apps: Any, schema_editor: Any) -> None:
        model = apps.get_model('judge', 'Submission')
        draft = index.clone()
        draft.name = f'{index.name}_new'
        schema_editor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {draft.name}')
        schema_editor.add_index(model, draft, concurrently=True)
        schema_editor.execute(f'DROP INDEX CONCURRENTLY IF EXISTS {index.name}')
        schema_editor.execute(f'ALTER INDEX {draft.name} RENAME TO {index.name}')

    return build


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('judge', '0042_wider_indexes'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(_building(_NEW), _building(_OLD), atomic=False)],
            state_operations=[
                migrations.RemoveIndex(model_name='submission', name=_OLD.name),
                migrations.AddIndex(model_name='submission', index=_NEW),
            ],
        ),
    ]
