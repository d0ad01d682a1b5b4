"""Why a compiler left no program, as a code and its values. Processes of before leave it null."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0060_worker_without_speed"),
    ]

    operations = [
        migrations.AddField(model_name=name, name="compile_problem", field=models.JSONField(null=True))
        for name in ("customrun", "rejudgedsubmission", "submission")
    ]
