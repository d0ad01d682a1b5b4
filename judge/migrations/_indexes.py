"""Replace indexes beside the running site. For migrations that are not atomic."""

from collections.abc import Callable
from typing import Any

from django.db import migrations, models


def replacing(old: tuple[models.Index, ...], new: tuple[models.Index, ...]) -> migrations.SeparateDatabaseAndState:
    """Return the operation that gives indexes of submissions that keep their names new definitions.

    Each is built beside the old one, whose place it then takes. It can be done again after an interruption.
    """
    return migrations.SeparateDatabaseAndState(
        database_operations=[migrations.RunPython(_building(new), _building(old), atomic=False)],
        state_operations=[
            *(migrations.RemoveIndex(model_name='submission', name=index.name) for index in old),
            *(migrations.AddIndex(model_name='submission', index=index) for index in new),
        ],
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
