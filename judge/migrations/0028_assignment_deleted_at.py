"""A deleted assignment stays for a while, so that deleting can be undone. NULL for all that are there."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judge", "0027_preferences")]

    operations = [
        migrations.AddField(
            model_name="assignment",
            name="deleted_at",
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
