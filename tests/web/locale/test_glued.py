"""`tests.glued` finds sentences that are glued from parts."""

import pytest

from tests.glued import in_module, in_template


@pytest.mark.parametrize(
    ("source", "glued"),
    [
        ('{% translate "a" %} {{ x }} {% translate "b" %}', ["a + {}", "{} + b"]),
        ('{% translate "Rounds" %} <b>{{ n }}</b>', ["Rounds + {}"]),
        ('<b>{{ n }}</b> {% translate "runs" %}', ["{} + runs"]),
        ('{{ n }}{% if x %} {% translate "done" %}{% endif %}', ["{} + done"]),
        ('{% translate "Reload" %} <a href="">{% translate "now" %}</a>', ["Reload + now"]),
        ('<i title="{{ n }} {% translate "runs" %}"></i>', ["{} + runs"]),
        ("{% blocktranslate %}Of {{ n }}{% endblocktranslate %} {% translate 'runs' %}", ["Of {} + runs"]),
    ],
)
def test_glued_parts_of_a_template_are_found(source: str, glued: list[str]) -> None:
    assert in_template(source) == glued


@pytest.mark.parametrize(
    "source",
    [
        '{% translate "Rounds:" %} {{ n }}',
        '{% translate "It failed." %} {{ sentence }}',
        '<p>{% translate "Rounds" %}</p> {{ n }}',
        '{{ a }} · {% translate "done" %}',
        '{{ a }} &middot; {% translate "done" %}',
        '{{ title }} <span class="tag">{% translate "hidden" %}</span>',
        "{% if x %}{{ a }}{% else %}{% translate 'none' %}{% endif %}",
        '<a href="/">{% translate "Edit" %}</a> {{ n }}',
        '<span>{% translate "reads" %}</span><span>{% translate "writes" %}</span>',
        "{% blocktranslate %}{{ n }} runs of {{ m }}{% endblocktranslate %}",
        '{% translate "runs" as words %}{{ n }} {{ words }}',
    ],
)
def test_whole_sentences_and_labels_of_a_template_are_passed_over(source: str) -> None:
    assert in_template(source) == []


@pytest.mark.parametrize(
    ("source", "is_glued"),
    [
        ('_("Rounds") + number', True),
        ("f\"{_('Rounds')} {number}\"", True),
        ("f\"{number} {ngettext('run', 'runs', number)}\"", True),
        ('"%s of %s" % (_("a"), b)', True),
        ('" ".join([_("It is"), number])', True),
        ('"It is " + (_("late at %(time)s") % {"time": time})', True),
        ("f\"{_('Rounds')}: {number}\"", False),
        ("f\"{_('It failed.')} {sentence}\"", False),
        ('", ".join([_("one"), _("another")])', False),
        ('_("It is %(time)s") % {"time": time}', False),
        ('names + [_("none")]', False),
        ('def f(n):\n    words = _("Rounds")\n    return f"{words} {n}"', True),
        ('def f(n):\n    words = _("Rounds: %(n)s.") % {"n": n}\n    return f"{words} {n}"', False),
        ("f\"<b>{_('Rounds')}</b>\"", False),
    ],
)
def test_glued_parts_of_a_module_are_told_from_whole_ones(source: str, is_glued: bool) -> None:
    assert bool(in_module(source)) == is_glued
