"""The set that an uploaded package came in."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0056_removal"),
    ]

    operations = [
        migrations.AddField(
            model_name="packageupload",
            name="part_of",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="judge.packageupload"
            ),
        ),
    ]
