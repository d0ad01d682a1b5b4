"""The growth of a program, by extra runs, and the kind of rerun that makes them."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0036_language'),
    ]

    operations = [
        migrations.AddField(
            model_name='customruncase',
            name='growth',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='rejudgedcase',
            name='growth',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='testcaseresult',
            name='growth',
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name='casererun',
            name='examination',
            field=models.CharField(choices=[('profile', 'Profile'), ('buffered', 'Buffered'), ('fix', 'Fix'), ('lines', 'Lines'), ('cputime', 'CPU time'), ('timeline', 'Timeline'), ('repeats', 'Repeats'), ('growth', 'Growth')], default='profile', max_length=8),
        ),
    ]
