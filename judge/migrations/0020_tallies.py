"""How many submissions got which verdict, kept by triggers: a count over a million rows takes longer than a page may.

Two transactions that change a problem's numbers wait for each other once, at the problem's lock, before they touch any
of them: else one that goes from AC to WA and one that goes from WA to AC would wait for each other for ever.
"""

import django.db.models.deletion
from django.db import migrations, models

_TRIGGERS = """
CREATE FUNCTION judge_tally_many() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(20020, problem) FROM (
        SELECT DISTINCT (problem_id % 2147483647)::int AS problem FROM changed WHERE status = 'done' ORDER BY 1
    ) AS problems;
    INSERT INTO judge_tally AS t (problem_id, language, verdict, number)
    SELECT problem_id, language, verdict, count(*) FROM changed WHERE status = 'done' AND TG_OP = 'INSERT'
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT (problem_id, language, verdict) DO UPDATE SET number = t.number + excluded.number;
    UPDATE judge_tally AS t SET number = t.number - gone.number FROM (
        SELECT problem_id, language, verdict, count(*) AS number FROM changed WHERE status = 'done' AND TG_OP = 'DELETE'
        GROUP BY 1, 2, 3
    ) AS gone
    WHERE (t.problem_id, t.language, t.verdict) = (gone.problem_id, gone.language, gone.verdict);
    RETURN NULL;
END $$;

CREATE FUNCTION judge_tally_one() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(20020, (NEW.problem_id % 2147483647)::int);
    IF OLD.status = 'done' THEN
        UPDATE judge_tally SET number = number - 1
        WHERE problem_id = OLD.problem_id AND language = OLD.language AND verdict = OLD.verdict;
    END IF;
    IF NEW.status = 'done' THEN
        INSERT INTO judge_tally AS t (problem_id, language, verdict, number)
        VALUES (NEW.problem_id, NEW.language, NEW.verdict, 1)
        ON CONFLICT (problem_id, language, verdict) DO UPDATE SET number = t.number + 1;
    END IF;
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
                ('problem', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.CASCADE, related_name='tallies', to='problems.problem')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('problem', 'language', 'verdict'), name='one_tally_per_verdict')],
            },
        ),
        migrations.RunSQL(_TRIGGERS, _NO_TRIGGERS),
    ]
