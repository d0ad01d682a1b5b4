"""The encoding in which a source was sent, and its original bytes where it was converted to UTF-8."""

from django.db import migrations, models


def _encoding() -> models.Field:  # type: ignore[type-arg]  # generic in the stubs only
    return models.CharField(db_default="utf-8", default="utf-8", max_length=8)


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0039_index_of_finished"),
    ]

    operations = [
        migrations.AddField(model_name="submission", name="encoding", field=_encoding()),
        migrations.AddField(model_name="customrun", name="encoding", field=_encoding()),
        migrations.AddField(model_name="submission", name="original", field=models.BinaryField(null=True)),
    ]
