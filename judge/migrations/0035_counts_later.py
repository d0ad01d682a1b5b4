"""Calls by name that are counted after the verdict: the cases that wait for it, how each run ended, who counts."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0034_repeats'),
    ]

    operations = [
        migrations.AddField(
            model_name='customrun',
            name='awaits_counts',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name='rejudgedsubmission',
            name='awaits_counts',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name='submission',
            name='awaits_counts',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name='customruncase',
            name='exit_code',
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name='rejudgedcase',
            name='exit_code',
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name='testcaseresult',
            name='exit_code',
            field=models.IntegerField(null=True),
        ),
        migrations.AddField(
            model_name='workernode',
            name='role',
            field=models.CharField(choices=[('grade', 'grades'), ('profile', 'counts system calls'), ('both', 'grades and counts system calls')], db_default='both', default='both', max_length=7),
        ),
    ]
