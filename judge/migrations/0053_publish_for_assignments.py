"""A clean package may be published for assignments only."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("judge", "0052_causes_again")]

    operations = [
        migrations.AlterField(
            model_name="packageupload",
            name="when_clean",
            field=models.CharField(
                choices=[
                    ("ask", "Wait for me"),
                    ("publish", "Publish it"),
                    ("assign", "Publish it, for assignments only"),
                    ("hide", "Publish it, hidden"),
                ],
                default="ask",
                max_length=8,
            ),
        ),
    ]
