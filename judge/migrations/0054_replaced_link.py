"""The links to join that were replaced, so that they can say so."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judge", "0053_publish_for_assignments")]

    operations = [
        migrations.CreateModel(
            name="ReplacedLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("token", models.CharField(max_length=32, unique=True)),
                (
                    "assignment",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="replaced_links",
                        to="judge.assignment",
                    ),
                ),
            ],
        ),
    ]
