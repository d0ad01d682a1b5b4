"""Two indexes of submissions also hold what a class view and the choice for a rejudge by date ask.

So neither reads the table, where of tens of thousands of submissions each lies on another page.

Each index is built beside the running site and then takes the old one's place. It can be done again after an
interruption.
"""

from collections.abc import Callable
from typing import Any

from django.db import migrations, models

_OF_PROBLEM = ['user', 'language', 'verdict', 'status', 'cause', 'problem_version', 'created_at']
_OLD = (
    models.Index(fields=['problem', '-id'], include=_OF_PROBLEM, name='submission_of_problem'),
    models.Index(fields=['problem', 'created_at'], name='submission_of_problem_time'),
)
_NEW = (
    models.Index(fields=['problem', '-id'], include=[*_OF_PROBLEM, 'score'], name='submission_of_problem'),
    models.Index(
        fields=['problem', 'created_at'],
        include=['id', 'user', 'language', 'verdict', 'status', 'cause', 'score'],
        name='submission_of_problem_time',
    ),
)


def _building(indexes: tuple[models.Index, ...]) -> Callable[[Any, Any], None]:
    def build(apps: Any, schema_editor: Any) -> None:
        model = apps.get_model('judge', 'Submission')
        for index in indexes:
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
        ('judge', '0041_results_by_time'),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(_building(_NEW), _building(_OLD), atomic=False)],
            state_operations=[
                *(migrations.RemoveIndex(model_name='submission', name=index.name) for index in _OLD),
                *(migrations.AddIndex(model_name='submission', index=index) for index in _NEW),
            ],
        ),
    ]
