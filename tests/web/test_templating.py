"""Templates with the expressions of `web.templating` render what Django's own do."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import Enum, StrEnum
from typing import Any

import pytest
from django.core.exceptions import ObjectDoesNotExist
from django.template import Context, Engine, Template, TemplateDoesNotExist, VariableDoesNotExist
from django.template.loader import get_template
from django.utils.functional import SimpleLazyObject
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy, override

from web.templating import Loader


class _Letter(StrEnum):
    A = "<a>"


class _Kind(Enum):
    ONE = 1
    do_not_call_in_templates = True


class _Html:
    def __html__(self) -> str:
        return "<html>"

    def __str__(self) -> str:
        return "<str>"


@dataclass
class _Thing:
    name: str = "<b>'&\""
    inner: Any = None
    items: list[int] = field(default_factory=lambda: [1, 2])  # a name that mappings have too

    def method(self) -> str:
        return "called & done"

    def needs(self, number: int) -> int:
        return number

    def delete(self) -> None:
        raise AssertionError("a template called what alters data")

    delete.alters_data = True  # type: ignore[attr-defined]

    def broken(self) -> None:
        raise TypeError("inside")

    @property
    def gone(self) -> None:
        raise ObjectDoesNotExist

    @property
    def wrong(self) -> None:
        raise ValueError("a property fails")

    @property
    def lacking(self) -> None:
        raise AttributeError("a property lacks something")


class _Items:
    """What has items as well as attributes."""

    number = 7

    def __getitem__(self, name: str) -> str:
        if name == "key":
            return "item"
        raise KeyError(name)


def _values() -> dict[str, Any]:
    return {
        "text": "<i>&'\"", "safe": mark_safe("<i>"), "nothing": None, "number": 1_234_567, "part": 1234.5, "yes": True,
        "thing": _Thing(inner=_Thing(name="inner", inner={"key": "<k>", "items": "own"})), "items": _Items(),
        "letter": _Letter.A, "kind": _Kind, "html": _Html(), "lazy": gettext_lazy("Monday"), "list": ["<x>", "y"],
        "pairs": {"a": 1, "b": 2}, "moment": datetime(2026, 11, 26, 12, 30, tzinfo=UTC), "type": _Thing,
        "later": SimpleLazyObject(_Thing), "function": lambda: "<f>", "rows": iter(["r"]),
    }  # fmt: skip


SAME = [
    "{{ text }} {{ safe }} {{ nothing }} {{ number }} {{ part }} {{ yes }} {{ letter }} {{ html }}"
    "{{ lazy }} {{ moment }}",
    "{% localize off %}{{ number }} {{ part }} {{ yes }}{% endlocalize %}{% localize on %}{{ number }}"
    "{% endlocalize %}",
    "{% autoescape off %}{{ text }} {{ html }} {{ thing.name }} {{ number }}{% endautoescape %}",
    "{{ thing.name }} {{ thing.inner.name }} {{ thing.inner.inner.key }} {{ thing.inner.inner.items }}"
    "{{ thing.items }}",
    "{{ thing.method }} {{ thing.needs }} {{ thing.delete }} {{ function }} {{ type.name }} {{ later.name }}",
    "{{ thing.items.0 }} {{ list.1 }} {{ list.9 }} {{ items.key }} {{ items.number }} {{ items.none }} {{ pairs.a }}",
    "{{ kind.ONE.value }} {{ kind.ONE.name }} {{ letter.value }} {{ letter.upper }}",
    "{{ missing }} {{ missing.name }} {{ thing.missing }} {{ nothing.name }} {{ thing.gone }} {{ thing.gone.more }}",
    "{{ missing|default:'d' }} {{ nothing|default_if_none:text }} {{ text|upper }} {{ safe|upper }} {{ text|safe }}",
    "{{ text|default:number }} {{ list|join:text }} {{ list|join:safe }} {{ text|linebreaks }}{{ thing.name|length }}",
    "{{ moment|date:'Y-m-d H:i' }} {{ number|add:1 }} {{ 'lite<r>al' }} {{ 'it<r>'|upper }} {{ 12 }}{{ 1.5 }} {{ -3 }}",
    '{{ _("Monday") }} {{ _("Monday")|upper }} {% translate "Monday" %} {{ True }} {{ None }}',
    "{% for each in list %}{{ forloop.counter }}{{ forloop.last }}{{ each }}"
    "{{ forloop.parentloop.counter }}{% endfor %}",
    "{% for name, number in pairs.items %}{{ name }}{{ number }}{% empty %}none{% endfor %}{% for a in no %}{% empty %}"
    "n{% endfor %}{% for row in rows %}{{ row }}{% endfor %}",
    "{% if missing %}a{% elif thing.missing == 'x' %}b{% elif number > 3 and thing.inner %}c{% endif %}{% if not no %}"
    "d{% endif %}{% if 'a' in pairs %}e{% endif %}{% if missing == None %}f{% endif %}",
    "{% with x=thing.inner y=text|upper %}{{ x.name }}{{ y }}{% include 'part' with z=x only %}{% endwith %}",
    "{% firstof missing text %}{% cycle 'a' text as c %}{{ c }}{% ifchanged text %}{{ text }}{% endifchanged %}",
    "{% filter upper %}{{ text }}{% endfilter %}{% widthratio number 2 3 %}{% now 'Y' as year %}{{ year }}",
    "{% extends 'base' %}{% block body %}{{ block.super }}{{ text }}{% endblock %}",
]
RAISING = [
    "{{ text|default:missing }}",
    "{{ thing.wrong }}",
    "{{ thing.broken }}",
    "{% if thing.wrong %}{% endif %}",
    "{{ thing.lacking }}",
]
_PARTS = {"part": "[{{ z.name }}{{ text }}]", "base": "<{% block body %}{{ number }}{% endblock %}>"}


def _engine(loader: str, template: str, **more: Any) -> Engine:
    templates = {**_PARTS, "it": template}
    return Engine(
        loaders=[(loader, [("django.template.loaders.locmem.Loader", templates)])],
        builtins=["django.templatetags.i18n", "django.templatetags.l10n"],
        **more,
    )


def _both(template: str, **more: Any) -> Iterator[Template]:
    for loader in ("web.templating.Loader", "django.template.loaders.cached.Loader"):
        yield _engine(loader, template, **more).get_template("it")


@pytest.mark.parametrize("template", SAME)
@pytest.mark.parametrize("invalid", ["", "no %s!"])
def test_templates_render_what_djangos_do(template: str, invalid: str) -> None:
    for language in ("en", "de"):
        with override(language):
            own, djangos = (each.render(Context(_values())) for each in _both(template, string_if_invalid=invalid))
        assert own == djangos


@pytest.mark.parametrize("template", RAISING)
def test_what_raises_there_raises_here(template: str) -> None:
    raised = []
    for each in _both(template):
        with pytest.raises((ValueError, TypeError, AttributeError, VariableDoesNotExist)) as caught:
            each.render(Context(_values()))
        raised.append((caught.type, str(caught.value.args[0])))
    assert raised[0] == raised[1]


def test_a_row_that_is_not_there_is_asked_for_once() -> None:
    asked = []

    def ask() -> None:
        asked.append(1)
        raise ObjectDoesNotExist

    own, _djangos = _both("[{{ it.row }}]")
    assert own.render(Context({"it": {"row": ask}})) == "[]"
    assert asked == [1]


def test_the_expressions_are_ours_unless_the_engine_debugs() -> None:
    kinds = [type(each.nodelist[0]).__module__ for each in _both("{{ text }}")]
    assert kinds == ["web.templating", "django.template.base"]
    debugged = [type(each.nodelist[0]).__module__ for each in _both("{{ text }}", debug=True)]
    assert debugged == ["django.template.base"] * 2


def test_the_site_renders_with_them_and_keeps_each_template() -> None:
    page = get_template("base.html")
    (loader,) = page.template.engine.template_loaders  # type: ignore[attr-defined]
    assert isinstance(loader, Loader)
    assert get_template("base.html").template is page.template  # type: ignore[attr-defined]
    with pytest.raises(TemplateDoesNotExist):
        get_template("no such page.html")
