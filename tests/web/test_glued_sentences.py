"""`make lint` finds sentences that are glued from parts, and leaves whole ones alone."""

import pytest

from tests.glued_sentences import ALLOWED, ROOT, glued, glued_in_module, glued_in_template


@pytest.mark.parametrize(
    "text",
    [
        '{% translate "Judged in" %} {{ time }} {% translate "by a worker." %}',
        '{% translate "Judged in" %} <strong>{{ time }}</strong>',
        '{{ count }} {% translate "submissions" %}',
        '{% translate "Judged" %}{% if late %}, {% translate "too late" %}{% endif %}',
        "{% blocktranslate %}Judged in {{ time }}{% endblocktranslate %} {{ place }}",
    ],
)
def test_parts_in_templates_are_found(text: str) -> None:
    assert list(glued_in_template(text))


@pytest.mark.parametrize(
    "text",
    [
        '{% translate "Judged." %} {{ sentence }} {% translate "Next" %}',
        '<dt>{% translate "Judged in" %}</dt><dd>{{ time }}</dd>',
        '{% if late %}{% translate "late" %}{% else %}{% translate "in time" %}{% endif %}',
        "{% blocktranslate with time=it %}Judged in {{ time }} by {{ worker }}.{% endblocktranslate %}",
    ],
)
def test_whole_sentences_in_templates_are_left_alone(text: str) -> None:
    assert list(glued_in_template(text)) == []


@pytest.mark.parametrize(
    "text",
    [
        '_("Judged in ") + time',
        'words + _("at %(place)s") % {"place": place}',
        "f\"{_('Judged in')} {time}\"",
        '", ".join(_(word) for word in words)',
        '", ".join([_("one"), _("two")])',
    ],
)
def test_parts_in_modules_are_found(text: str) -> None:
    assert list(glued_in_module(text))


@pytest.mark.parametrize(
    "text", ['_("Judged in %(time)s.") % {"time": time}', '" ".join([_("One."), _("Two.")])', 'f"{_(title)}"']
)
def test_whole_sentences_in_modules_are_left_alone(text: str) -> None:
    assert list(glued_in_module(text)) == []


def test_nothing_is_glued_and_each_allowed_place_exists() -> None:
    assert list(glued()) == []
    assert all(part in (ROOT / place).read_text("utf-8") for place, part in ALLOWED)
