"""The cause of what was judged before, by the rule of now, from the findings that each row keeps.

Beside the running site, some rows at a time; can be done again after an interruption. A row in which somebody writes
just now is waited for. No test case is read, and nothing is run again.
"""

from typing import Any

from django.db import migrations, transaction

from judge.grading.events import Finding
from judge.grading.explain import main_cause
from judge.grading.verdicts import Verdict

_AT_ONCE = 1_000  # rows, with their findings


def _decide_again(apps: Any, schema_editor: Any) -> None:
    for name in ("Submission", "RejudgedSubmission", "CustomRun"):
        model, last = apps.get_model("judge", name), 0
        # The first finding is the summary, which is no cause.
        judged = model.objects.filter(status="done", explanation__1__isnull=False).exclude(verdict="")
        rows = judged.only("verdict", "cause", "explanation")
        while some := list(rows.filter(pk__gt=last).order_by("pk")[:_AT_ONCE]):
            last = some[-1].pk
            wrong = [row.pk for row in some if row.cause != _cause_of(row)]
            with transaction.atomic():
                held = list(rows.select_for_update(no_key=True).filter(pk__in=wrong))
                for row in held:
                    row.cause = _cause_of(row)
                model.objects.bulk_update(held, ["cause"])


def _cause_of(row: Any) -> str:
    findings = [Finding(code=each["code"], evidence=each["evidence"]) for each in row.explanation]
    return main_cause(findings, Verdict(row.verdict))


class Migration(migrations.Migration):

    atomic = False

    dependencies = [
        ("judge", "0051_rerun_kinds"),
    ]

    operations = [
        migrations.RunPython(_decide_again, migrations.RunPython.noop),
    ]
