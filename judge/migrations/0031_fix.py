"""A rerun that tries a fix, and what came of it on each case."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0030_line_times'),
    ]

    operations = [
        migrations.AddField(
            model_name='customruncase',
            name='fix',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='rejudgedcase',
            name='fix',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='testcaseresult',
            name='fix',
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name='casererun',
            name='examination',
            field=models.CharField(choices=[('profile', 'Profile'), ('buffered', 'Buffered'), ('fix', 'Fix'), ('lines', 'Lines'), ('cputime', 'CPU time'), ('timeline', 'Timeline')], default='profile', max_length=8),
        ),
    ]
