from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('problems', '0010_tags_difficulty_statistics'),
    ]

    operations = [
        migrations.AddField(
            model_name='problemversion',
            name='has_growth_generator',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
