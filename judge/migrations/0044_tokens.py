"""The tokens of a source, read once by a worker, and an index of the sources that nobody has read."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('judge', '0043_turns_by_status'),
    ]

    operations = [
        migrations.AddField(
            model_name='customrun',
            name='tokens',
            field=models.TextField(editable=False, null=True),
        ),
        migrations.AddField(
            model_name='submission',
            name='tokens',
            field=models.TextField(editable=False, null=True),
        ),
        AddIndexConcurrently(
            model_name='submission',
            index=models.Index(
                condition=models.Q(('status', 'done'), ('tokens__isnull', True)),
                fields=['-id'],
                name='submission_unread',
            ),
        ),
    ]
