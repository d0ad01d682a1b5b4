"""The language that an account chose for its pages."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0035_counts_later'),
    ]

    operations = [
        migrations.AddField(
            model_name='preferences',
            name='language',
            field=models.CharField(blank=True, default='', max_length=10),
        ),
    ]
