"""How often each line ran on a case, at several sizes."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """See above."""

    dependencies = [("judge", "0068_unbuffered")]
    operations = [
        migrations.AddField(case, "counted_work", models.JSONField(null=True))
        for case in ("customruncase", "rejudgedcase", "testcaseresult")
    ]
