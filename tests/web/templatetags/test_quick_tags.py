"""The tags of `web.templatetags.quick` render what Django's own do, and `address_of` what `reverse` returns."""

from typing import Any

import pytest
from django.template import Context, Engine
from django.test import RequestFactory
from django.urls import NoReverseMatch, reverse, set_script_prefix
from django.utils.safestring import mark_safe
from django.utils.translation import override

from judge.reruns.kinds import RerunKind
from web.addresses import address_of, named

_I18N = "django.templatetags.i18n"
_OWN = Engine(builtins=[_I18N, "web.templatetags.quick"])
_DJANGOS = Engine(builtins=[_I18N])
_VALUES: dict[str, Any] = {
    "day": "Monday", "number": 3, "one": 1, "big": 1_234_567, "part": 0.5, "odd": "<b>&'\"</b>",
    "safe": mark_safe("<i>i</i>"), "nothing": None, "list": ["a", "b"], "kind": RerunKind.LINE_TIMES, "slug": "sum-of",
    "strange": "a/b c%{}",
}  # fmt: skip
TEMPLATES = [
    '{% translate "Monday" %} {% trans "No such sentence <b>100%</b>" %}',
    '{% translate "It\'s & so" %}{% translate \'A "quoted" one\' %}',
    '{% translate "Monday" as said %}[{{ said }}|{{ said|upper }}]',
    "{% translate day %}{% translate odd %}{% translate day|lower %}{% translate missing %}",
    '{% translate "Monday" noop %}{% translate "May" context "abbrev. month" %}',
    '{% for each in list %}{% translate "Monday" %}{{ each }}{% endfor %}',
    "{% blocktrans %}Monday{% endblocktrans %}",
    "{% blocktrans with a=number b=odd c=safe %}{{ a }} {{ b }} {{ c }} {{ missing }} 100%{% endblocktrans %}{{ a }}",
    "{% blocktrans trimmed with a=big|default:2 %}\n  so\n  {{ a }} {{ part }} {{ nothing }}\n{% endblocktrans %}",
    "{% blocktrans count n=number with x=odd %}{{ n }} {{ x }}{% plural %}{{ n }} of {{ x }}{% endblocktrans %}",
    "{% blocktrans count n=one %}one {{ n }}{% plural %}many {{ n }} {{ day }}{% endblocktrans %}{{ n }}",
    "{% blocktrans asvar said with a=odd %}{{ a }}!{% endblocktrans %}{{ said }}",
    '{% blocktrans context "abbrev. month" %}May{% endblocktrans %}',
    "{% autoescape off %}{% blocktrans with a=odd %}{{ a }}{% endblocktrans %}{% translate day %}{% endautoescape %}",
    "{% url 'home' %} {% url 'problem' slug %} {% url 'submission' number %} {% url 'submission' big %}",
    "{% url 'problem' slug=slug %} {% url 'examine_case' number one kind %}",
    "{% url 'problem_file' slug number strange %}",
    "{% url 'submission' number as here %}<{{ here }}>{% url 'submission' odd as nowhere %}<{{ nowhere }}>",
    "{% csrf_token %}{% for each in list %}{% csrf_token %}{% endfor %}",
]


@pytest.mark.parametrize("language", ["en", "de", None])
@pytest.mark.parametrize("template", TEMPLATES)
def test_tags_render_what_djangos_do(template: str, language: str | None) -> None:
    values = {**_VALUES, "csrf_token": "token<1>"}
    own = _OWN.from_string(template)
    for again in range(2):  # the second time from what was kept
        with override(language):
            assert own.render(Context(values)) == _DJANGOS.from_string(template).render(Context(values)), again


def test_a_template_follows_the_language() -> None:
    template = _OWN.from_string('{% translate "Monday" %} {% blocktranslate %}Monday{% endblocktranslate %}')
    said = []
    for language in ("en", "de", "fr", "de"):
        with override(language):
            said.append(template.render(Context()))
    assert said == ["Monday Monday", "Montag Montag", "lundi lundi", "Montag Montag"]


def test_each_answer_has_its_own_token() -> None:
    template = _OWN.from_string("{% csrf_token %}")
    assert "one" in template.render(Context({"csrf_token": "one"}))
    assert "two" in template.render(Context({"csrf_token": "two"}))
    assert template.render(Context()) == ""


def test_an_address_that_does_not_exist_is_an_error() -> None:
    for values in ({"n": "word"}, {"n": -1}, {"n": 1.5}, {"n": ""}, {}):
        with pytest.raises(NoReverseMatch):
            _OWN.from_string("{% url 'submission' n %}").render(Context(values))
    with pytest.raises(NoReverseMatch):
        _OWN.from_string("{% url 'no such page' %}").render(Context())


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("home", ()),
        ("submission", (1,)),
        ("submission", ("0012",)),
        ("submission", (10**18,)),
        ("examine_case", (12, 0, "fix")),
        ("examine_case", (12, 0, RerunKind.LINES)),
        ("problem", ("a_b-C9",)),
        ("problem", ("70030",)),
        ("problem_file", ("slug", 3, "attachments/a b+c%.txt")),
        ("problem_file", ("slug", 3, "{0}")),
        ("join_assignment", (4, "tOken_-x")),
        ("shared_comparison", ("weird token/..",)),
    ],
)
def test_addresses_are_those_of_reverse(name: str, values: tuple[object, ...]) -> None:
    for _ in range(2):
        try:
            wanted = reverse(name, args=values)
        except NoReverseMatch:
            with pytest.raises(NoReverseMatch):
                address_of(name, *values)
        else:
            assert address_of(name, *values) == wanted


def test_the_name_of_an_address_is_told_by_its_path() -> None:
    for _ in range(2):
        assert named("/submissions/12/") == ("submission", {"submission_id": 12})
        assert named("/problems/") == ("problem_list", {})
        assert named("/no/such/page/") == ("", {})


def test_addresses_follow_the_prefix_of_the_site() -> None:
    request = RequestFactory().get("/")
    assert address_of("submission", 3) == "/submissions/3/"
    set_script_prefix("/below/")
    try:
        assert address_of("submission", 3) == reverse("submission", args=[3]) == "/below/submissions/3/"
        assert _OWN.from_string("{% url 'home' %}").render(Context({"request": request})) == "/below/"
    finally:
        set_script_prefix("/")
