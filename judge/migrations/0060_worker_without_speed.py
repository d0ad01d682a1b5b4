from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("judge", "0059_sentences_in_reports")]

    operations = [migrations.RemoveField(model_name="workernode", name="speed")]
