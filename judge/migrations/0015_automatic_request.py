"""Which examinations of a case nobody asked for."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0014_assignments"),
    ]

    operations = [
        migrations.AddField(
            model_name="caserequest",
            name="is_automatic",
            field=models.BooleanField(default=False),
        ),
    ]
