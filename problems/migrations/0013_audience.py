"""Who sees a problem, in place of whether it is hidden."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("problems", "0012_submitted_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="problem",
            name="audience",
            field=models.CharField(
                choices=[
                    ("everybody", "Everybody: lists show it, and no account is needed."),
                    (
                        "assigned",
                        "Assignments only: the students of an assignment with it see it from the opening on, nobody"
                        " else does.",
                    ),
                    ("hidden", "Hidden: only its owner and staff see it, also where an assignment has it."),
                ],
                db_default="everybody",
                default="everybody",
                max_length=9,
            ),
        ),
        migrations.RunSQL(
            "UPDATE problems_problem SET audience = 'hidden' WHERE is_hidden",
            "UPDATE problems_problem SET is_hidden = (audience <> 'everybody')",
        ),
        migrations.RemoveField(model_name="problem", name="is_hidden"),
    ]
