"""CPU time by source line: a column of each case, and the kind of rerun that fills it."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0029_write_calls_of_accepted'),
    ]

    operations = [
        migrations.AddField(
            model_name='customruncase',
            name='line_times',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='rejudgedcase',
            name='line_times',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='testcaseresult',
            name='line_times',
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name='casererun',
            name='examination',
            field=models.CharField(choices=[('profile', 'Profile'), ('buffered', 'Buffered'), ('lines', 'Lines'), ('cputime', 'CPU time'), ('timeline', 'Timeline')], default='profile', max_length=8),
        ),
    ]
