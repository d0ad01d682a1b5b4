from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judge", "0058_assigned_problem")]

    operations = [migrations.RemoveField(model_name="workernode", name="speed")]
