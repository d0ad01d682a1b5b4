"""Whether the whole state of a case's program repeated, so that it never ends."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """See above."""

    dependencies = [("judge", "0069_counted_work")]
    operations = [
        migrations.AddField(case, "states", models.JSONField(null=True))
        for case in ("customruncase", "rejudgedcase", "testcaseresult")
    ]
