"""The kinds of reruns are records of `judge.reruns.kinds`; a row names one."""

from django.db import migrations, models


class Migration(migrations.Migration):
    """See above."""

    dependencies = [("judge", "0050_zone_of_the_browser")]
    operations = [migrations.AlterField("casererun", "examination", models.CharField(max_length=8))]
