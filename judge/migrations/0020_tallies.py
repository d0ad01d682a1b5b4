"""How many submissions got which verdict, kept by triggers: a count over a million rows takes longer than a page may.

The triggers only append what is added and what is gone, and lock nothing: two verdicts of one problem never wait for
each other. `judge.workers.reaper` adds up what was appended.
"""

import django.db.models.deletion
from django.db import migrations, models

_TRIGGERS = """
CREATE FUNCTION judge_tally_many() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO judge_tally (problem_id, language, verdict, number)
    SELECT problem_id, language, verdict, CASE TG_OP WHEN 'DELETE' THEN -count(*) ELSE count(*) END
    FROM changed WHERE status = 'done' GROUP BY 1, 2, 3;
    RETURN NULL;
END $$;

CREATE FUNCTION judge_tally_one() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO judge_tally (problem_id, language, verdict, number)
    SELECT OLD.problem_id, OLD.language, OLD.verdict, -1 WHERE OLD.status = 'done'
    UNION ALL
    SELECT NEW.problem_id, NEW.language, NEW.verdict, 1 WHERE NEW.status = 'done';
    RETURN NULL;
END $$;

CREATE TRIGGER judge_tally_inserted AFTER INSERT ON judge_submission
REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION judge_tally_many();

CREATE TRIGGER judge_tally_deleted AFTER DELETE ON judge_submission
REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION judge_tally_many();

-- row by row, since most updates are no verdict: renewed leases, steps of the grading
CREATE TRIGGER judge_tally_updated AFTER UPDATE ON judge_submission
FOR EACH ROW WHEN (
    (OLD.status = 'done' OR NEW.status = 'done')
    AND (OLD.status, OLD.verdict, OLD.problem_id, OLD.language)
        IS DISTINCT FROM (NEW.status, NEW.verdict, NEW.problem_id, NEW.language)
) EXECUTE FUNCTION judge_tally_one();

INSERT INTO judge_tally (problem_id, language, verdict, number)
SELECT problem_id, language, verdict, count(*) FROM judge_submission WHERE status = 'done' GROUP BY 1, 2, 3;
"""
_NO_TRIGGERS = """
DROP TRIGGER judge_tally_inserted ON judge_submission;
DROP TRIGGER judge_tally_updated ON judge_submission;
DROP TRIGGER judge_tally_deleted ON judge_submission;
DROP FUNCTION judge_tally_many, judge_tally_one;
"""


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0019_counts'),
        ('problems', '0007_call_limits'),
    ]

    operations = [
        migrations.CreateModel(
            name='Tally',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('language', models.CharField(max_length=16)),
                ('verdict', models.CharField(max_length=3)),
                ('number', models.BigIntegerField()),
                ('problem', models.ForeignKey(db_index=False, db_constraint=False, on_delete=django.db.models.deletion.CASCADE, related_name='tallies', to='problems.problem')),
            ],
            options={
                'indexes': [models.Index(fields=['problem', 'language', 'verdict'], name='tally_of_verdict')],
            },
        ),
        migrations.RunSQL(_TRIGGERS, _NO_TRIGGERS),
    ]
