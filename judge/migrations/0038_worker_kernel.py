"""The kernel of each worker's host, which the page of workers shows."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0037_growth'),
    ]

    operations = [
        migrations.AddField(
            model_name='workernode',
            name='kernel',
            field=models.CharField(blank=True, db_default='', max_length=200),
        ),
    ]
