"""What came of running a case with nothing of its output left in a buffer."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """See above."""

    dependencies = [("judge", "0067_without_meter_problem")]
    operations = [
        migrations.AddField(case, "unbuffered", models.JSONField(null=True))
        for case in ("customruncase", "rejudgedcase", "testcaseresult")
    ]
