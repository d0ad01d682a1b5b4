"""The digest of an uploaded archive's bytes, by which the same archive is recognised."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0048_file_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="packageupload",
            name="sent_digest",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    ]
