"""Messages for staff as templates with their values, beside their English text."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0061_compile_problem"),
    ]

    operations = [
        migrations.AddField(model_name=name, name="judge_sentence", field=models.JSONField(null=True))
        for name in (
            "customrun",
            "customruncase",
            "rejudgedcase",
            "rejudgedsubmission",
            "submission",
            "testcaseresult",
        )
    ]
