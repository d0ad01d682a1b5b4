"""The order of an assignment's problems: a model in the place of the table that Django had made, with all its rows.

Rows that are there have position 0: their problems stand in the order of their titles, as before.
"""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("problems", "0013_audience"),
        ("judge", "0057_upload_part_of"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.CreateModel(
                    name="AssignedProblem",
                    fields=[
                        (
                            "id",
                            models.BigAutoField(
                                auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                            ),
                        ),
                        (
                            "assignment",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="assigned",
                                to="judge.assignment",
                            ),
                        ),
                        (
                            "problem",
                            models.ForeignKey(
                                on_delete=django.db.models.deletion.CASCADE,
                                related_name="assigned",
                                to="problems.problem",
                            ),
                        ),
                    ],
                    options={"db_table": "judge_assignment_problems", "unique_together": {("assignment", "problem")}},
                ),
                migrations.AlterField(
                    model_name="assignment",
                    name="problems",
                    field=models.ManyToManyField(
                        related_name="+", through="judge.AssignedProblem", to="problems.problem"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="assignedproblem",
            name="position",
            field=models.PositiveSmallIntegerField(db_default=0, default=0),
        ),
    ]
