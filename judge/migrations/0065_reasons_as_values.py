"""Why calls are not counted by name, and what a comparison of submissions compares, as values: their columns."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0064_without_detail"),
    ]

    operations = [
        *(
            migrations.AddField(model_name=name, name="meter_reason", field=models.JSONField(null=True))
            for name in ("customrun", "rejudgedsubmission", "submission", "workernode")
        ),
        migrations.AddField(model_name="experimentrun", name="compared", field=models.JSONField(null=True)),
    ]
