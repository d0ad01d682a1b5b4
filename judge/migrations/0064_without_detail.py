"""The sentence on how a case ended, whose values are in `ending` now, goes."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("judge", "0063_endings_as_values"),
    ]

    operations = [
        migrations.RemoveField(model_name=name, name="detail")
        for name in ("customruncase", "rejudgedcase", "testcaseresult")
    ]
