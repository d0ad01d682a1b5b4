"""A case looked at while it goes on."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0015_automatic_request"),
    ]

    operations = [
        migrations.AddField(
            model_name="rejudgedcase",
            name="timeline",
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name="testcaseresult",
            name="timeline",
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name="caserequest",
            name="examination",
            field=models.CharField(
                choices=[
                    ("profile", "Profile"),
                    ("buffered", "Buffered"),
                    ("lines", "Lines"),
                    ("timeline", "Timeline"),
                ],
                default="profile",
                max_length=8,
            ),
        ),
    ]
