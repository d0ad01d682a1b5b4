"""An account that never chose a time zone has its browser's. Until now UTC was the default, stored with other choices."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def let_the_default_be_the_browsers(apps: Apps, _: BaseDatabaseSchemaEditor) -> None:
    """Rewrite the rows of the old default; who wants UTC chooses it again."""
    apps.get_model("judge", "Preferences").objects.filter(time_zone="UTC").update(time_zone="")


class Migration(migrations.Migration):
    """See above."""

    dependencies = [("judge", "0049_upload_sent_digest")]
    operations = [
        migrations.AlterField("preferences", "time_zone", models.CharField(blank=True, default="", max_length=64)),
        migrations.RunPython(let_the_default_be_the_browsers, migrations.RunPython.noop),
    ]
