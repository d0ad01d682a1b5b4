"""The index of turns begins with the status, so that a claim reads the queue in its order.

In a rush, the planner's statistics are of the time before and promise a single queued submission. So the planner
took the index of unfinished ones and sorted all of them, thousands of wide rows for each claim.
"""

from django.db import migrations, models

from judge.migrations._indexes import replacing

_UNFINISHED = ~models.Q(status='done')
_OLD = models.Index(fields=['turn', 'id'], name='submission_turn', condition=_UNFINISHED)
_NEW = models.Index(fields=['status', 'turn', 'id'], name='submission_turn', condition=_UNFINISHED)


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ('judge', '0042_wider_indexes'),
    ]

    operations = [replacing((_OLD,), (_NEW,))]
