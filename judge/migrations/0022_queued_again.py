from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0021_indexes_of_lists'),
    ]

    operations = [
        migrations.AddField(
            model_name='submission',
            name='queued_again_at',
            field=models.DateTimeField(editable=False, null=True),
        ),
    ]
