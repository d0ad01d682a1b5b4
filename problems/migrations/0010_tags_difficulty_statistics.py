from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('problems', '0009_exact_numbers'),
    ]

    operations = [
        migrations.AddField(
            model_name='problem',
            name='tags',
            field=models.JSONField(db_default=[], default=list),
        ),
        migrations.AddField(
            model_name='problem',
            name='difficulty',
            field=models.CharField(blank=True, choices=[('first', 'introduction'), ('easy', 'easy'), ('medium', 'medium'), ('hard', 'hard')], db_default='', default='', max_length=8),
        ),
        migrations.AddField(
            model_name='problem',
            name='statistics',
            field=models.CharField(choices=[('boards', 'distributions, the fastest programs and those with the fewest calls'), ('spread', 'distributions only'), ('none', 'how many solved it, nothing else')], db_default='boards', default='boards', max_length=8),
        ),
        migrations.AddField(
            model_name='problemversion',
            name='keywords',
            field=models.JSONField(blank=True, null=True),
        ),
    ]
