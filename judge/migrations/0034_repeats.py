"""Runs of a case near its time limit: those before its verdict, further ones, and the kind of rerun that makes them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0032_explanation_level'),
    ]

    operations = [
        migrations.AddField(
            model_name='customruncase',
            name='repeats',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='customruncase',
            name='run_times',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='rejudgedcase',
            name='repeats',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='rejudgedcase',
            name='run_times',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='testcaseresult',
            name='repeats',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='testcaseresult',
            name='run_times',
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name='casererun',
            name='examination',
            field=models.CharField(choices=[('profile', 'Profile'), ('buffered', 'Buffered'), ('fix', 'Fix'), ('lines', 'Lines'), ('cputime', 'CPU time'), ('timeline', 'Timeline'), ('repeats', 'Repeats')], default='profile', max_length=8),
        ),
    ]
