"""How each case ended, as values, and the kind of rerun that finds the line of a crash."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0046_turns'),
    ]

    operations = [
        migrations.AddField(
            model_name='customruncase',
            name='ending',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='rejudgedcase',
            name='ending',
            field=models.JSONField(null=True),
        ),
        migrations.AddField(
            model_name='testcaseresult',
            name='ending',
            field=models.JSONField(null=True),
        ),
        migrations.AlterField(
            model_name='casererun',
            name='examination',
            field=models.CharField(choices=[('profile', 'Profile'), ('buffered', 'Buffered'), ('fix', 'Fix'), ('lines', 'Lines'), ('cputime', 'CPU time'), ('timeline', 'Timeline'), ('repeats', 'Repeats'), ('growth', 'Growth'), ('crash', 'Crash')], default='profile', max_length=8),
        ),
    ]
