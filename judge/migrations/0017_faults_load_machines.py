"""Columns for turns, stages and what workers say of themselves; the index of turns comes with 0021.

Their defaults are the database's too: processes of an older version write rows meanwhile.
"""

from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0016_timeline'),
        ('problems', '0007_call_limits'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name='rejudgedsubmission',
            name='stages',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='submission',
            name='stages',
            field=models.JSONField(db_default={}, default=dict),
        ),
        migrations.AddField(
            model_name='submission',
            name='turn',
            field=models.PositiveBigIntegerField(db_default=0, default=0),
        ),
        migrations.AddField(
            model_name='workernode',
            name='processes',
            field=models.PositiveIntegerField(null=True),
        ),
        migrations.AddField(
            model_name='workernode',
            name='self_test',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name='workernode',
            name='speed',
            field=models.FloatField(null=True),
        ),
    ]
