"""The sentence on why calls are not counted by name, whose values are in `meter_reason` now, goes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0066_read_reasons"),
    ]

    operations = [
        migrations.RemoveField(model_name=name, name="meter_problem")
        for name in ("customrun", "rejudgedsubmission", "submission", "workernode")
    ]
