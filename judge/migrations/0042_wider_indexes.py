"""Two indexes of submissions also hold what a class view and the choice for a rejudge by date ask.

So neither reads the table, where of tens of thousands of submissions each lies on another page.
"""

from django.db import migrations, models

from judge.migrations._indexes import replacing

_OF_PROBLEM = ['user', 'language', 'verdict', 'status', 'cause', 'problem_version', 'created_at']
_OLD = (
    models.Index(fields=['problem', '-id'], include=_OF_PROBLEM, name='submission_of_problem'),
    models.Index(fields=['problem', 'created_at'], name='submission_of_problem_time'),
)
_NEW = (
    models.Index(fields=['problem', '-id'], include=[*_OF_PROBLEM, 'score'], name='submission_of_problem'),
    models.Index(
        fields=['problem', 'created_at'],
        include=['id', 'user', 'language', 'verdict', 'status', 'cause', 'score'],
        name='submission_of_problem_time',
    ),
)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('judge', '0041_results_by_time'),
    ]

    operations = [replacing(_OLD, _NEW)]
