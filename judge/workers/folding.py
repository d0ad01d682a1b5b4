"""Roll up append-only counters into one row each: a counter updated by everybody would make everybody wait.

How it works: the rows of a sum are deleted and the sum is inserted in one statement, so a reader sees either. Any
number of workers may do it at once: a row that another one folds is skipped.
"""

from django.db import connection, models

from judge.models import Count, Tally


def fold() -> None:
    """Merge all rows of the same counter into one. Raises django.db.Error."""
    _fold(Tally, keys=("problem_id", "language", "verdict"), numbers=("number",))
    _fold(Count, keys=("what", "first", "second"), numbers=("number", "total_us"))


def _fold(model: type[models.Model], *, keys: tuple[str, ...], numbers: tuple[str, ...]) -> None:
    table, key, number = model._meta.db_table, ", ".join(keys), ", ".join(numbers)
    sums = ", ".join(f"sum({each})" for each in numbers)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""
            WITH many AS (SELECT {key} FROM {table} GROUP BY {key} HAVING count(*) > 1),
            mine AS (SELECT id FROM {table} WHERE ({key}) IN (SELECT * FROM many) ORDER BY id FOR UPDATE SKIP LOCKED),
            gone AS (DELETE FROM {table} USING mine WHERE {table}.id = mine.id RETURNING {key}, {number})
            INSERT INTO {table} ({key}, {number})
            SELECT {key}, {sums} FROM gone GROUP BY {key} HAVING {sums.split(", ")[0]} <> 0
            """  # noqa: S608 - of names that stand above
        )
