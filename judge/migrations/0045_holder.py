"""Who holds a worker's name."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0044_tokens'),
    ]

    operations = [
        migrations.AddField(
            model_name='workernode',
            name='holder',
            field=models.CharField(blank=True, db_default='', default='', max_length=120),
        ),
    ]
