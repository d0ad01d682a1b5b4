from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('judge', '0022_queued_again'),
    ]

    operations = [
        migrations.CreateModel(
            name='UnwantedPackage',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.CharField(max_length=64)),
            ],
        ),
    ]
