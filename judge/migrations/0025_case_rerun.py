"""The model CaseRequest is called CaseRerun now. Its table keeps its name: processes of the version before use it."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judge", "0024_invitations")]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel(old_name="CaseRequest", new_name="CaseRerun"),
                migrations.AlterModelTable(name="casererun", table="judge_caserequest"),
            ]
        )
    ]
