"""What the sender of a program called its file."""

from django.db import migrations, models


def _file_name() -> models.Field:  # type: ignore[type-arg]  # generic in the stubs only
    return models.CharField(blank=True, db_default="", default="", max_length=100)


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0047_case_ending"),
    ]

    operations = [
        migrations.AddField(model_name="submission", name="file_name", field=_file_name()),
        migrations.AddField(model_name="customrun", name="file_name", field=_file_name()),
    ]
