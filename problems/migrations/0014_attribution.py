"""Authors, license and rights owner as a sentence for each reader, beside the English line."""

from typing import Any

from django.db import migrations, models

from problems.translation import Sentence, joined, quoted

_LICENSE, _OWNER = "license ", "rights owner "  # how the parts of a line begin
_IN_WORDS = ("unknown", "public domain", "educational", "permission")
_AT_ONCE = 1_000  # rows


def _read_lines(apps: Any, schema_editor: Any) -> None:
    model = apps.get_model("problems", "ProblemVersion")
    rows = model.objects.filter(attribution__isnull=True).exclude(credits="").order_by("pk").only("credits")
    while versions := list(rows[:_AT_ONCE]):
        for version in versions:
            version.attribution = joined(map(_part, version.credits.split("; "))).as_json()
        model.objects.bulk_update(versions, ["attribution"])


def _part(text: str) -> Sentence:
    if text.startswith(_LICENSE):
        name = text.removeprefix(_LICENSE)
        return Sentence("license %(name)s", name=Sentence(name) if name in _IN_WORDS else name)
    if text.startswith(_OWNER):
        return Sentence("rights owner %(name)s", name=text.removeprefix(_OWNER))
    return quoted(text)


class Migration(migrations.Migration):

    dependencies = [
        ("problems", "0013_audience"),
    ]

    operations = [
        migrations.AddField(
            model_name="problemversion", name="attribution", field=models.JSONField(blank=True, null=True)
        ),
        migrations.RunPython(_read_lines, migrations.RunPython.noop),
    ]
