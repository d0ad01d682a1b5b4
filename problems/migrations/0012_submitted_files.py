"""What a package says of the file of a submission, by language: its name, and the code to begin with."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("problems", "0011_growth_generator"),
    ]

    operations = [
        migrations.AddField(
            model_name="problemversion", name="submitted", field=models.JSONField(db_default={}, default=dict)
        ),
        migrations.AddField(
            model_name="problemversion", name="starters", field=models.JSONField(db_default={}, default=dict)
        ),
    ]
