"""`web.forms.renderer` draws what Django's templates draw."""

from typing import Any

import pytest
from django import forms
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.forms.renderers import DjangoTemplates, get_default_renderer
from django.utils.datastructures import MultiValueDict
from django.utils.safestring import mark_safe
from django.utils.translation import gettext_lazy

from web.forms.renderer import _DRAWN, Renderer

_ODD = '<b>"o\'dd" & Söhne</b>'


class _Form(forms.Form):
    """Fields of every kind, with names, values and attributes that need escaping."""

    text = forms.CharField(label=_ODD, help_text=_ODD, max_length=20, required=False)
    secret = forms.CharField(widget=forms.PasswordInput(attrs={"autocomplete": "off"}), required=False)
    mail = forms.EmailField(required=False)
    address = forms.URLField(required=False, assume_scheme="https")
    number = forms.IntegerField(min_value=-5, max_value=1_000_000)
    exact = forms.FloatField(localize=True, required=False)
    day = forms.DateField(required=False)
    hidden = forms.CharField(widget=forms.HiddenInput, required=False)
    long = forms.CharField(widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false"}), required=False)
    file = forms.FileField(required=False)
    chosen = forms.BooleanField(required=False, label=gettext_lazy("Verdict"))
    one = forms.ChoiceField(
        choices=[
            ("", gettext_lazy("All verdicts")),
            (1_000_000, 1_000_000),
            (_ODD, _ODD),
            ("group", [("a", "A"), ("b", mark_safe("<i>B</i>"))]),
        ],
        required=False,
    )
    many = forms.MultipleChoiceField(choices=[("a", "A"), ("b", "B")], required=False)
    rest = forms.ChoiceField(choices=[("a", "A")], widget=forms.RadioSelect, required=False)


def _drawn(renderer: DjangoTemplates, data: dict[str, Any] | None, **more: Any) -> list[str]:
    sent: list[UploadedFile[bytes]] = [SimpleUploadedFile("a.txt", b"")]
    form = _Form(data, MultiValueDict({"file": sent}) if data is not None else None, renderer=renderer, **more)
    form.fields["text"].widget.attrs |= {"disabled": True, "data-off": False, "placeholder": gettext_lazy("Verdict")}
    if data is not None:
        form.add_error("text", _ODD)
        form.add_error("text", mark_safe("<em>said</em>"))
        form.add_error(None, "of all")
    pieces = [str(form.non_field_errors())]
    for field in form:
        pieces += [str(field), str(field.label_tag()), str(field.label_tag(attrs={"class": _ODD})), str(field.errors)]
    return pieces


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"text": _ODD, "number": "12x", "exact": "1.5", "long": f"\n{_ODD}\n", "one": _ODD, "many": ["a", "b"]},
        {"text": "", "number": "7", "day": "2026-11-23", "chosen": "on", "one": "b", "hidden": "0", "many": "none"},
    ],
    ids=["unbound", "empty", "odd", "plain"],
)
def test_fields_look_like_those_of_djangos_templates(data: dict[str, Any] | None) -> None:
    initial = {"text": "begun", "number": 1_234_567, "exact": 1234.5, "chosen": True, "one": 1_000_000, "many": ["b"]}
    assert _drawn(Renderer(), data, initial=initial) == _drawn(DjangoTemplates(), data, initial=initial)
    assert _drawn(Renderer(), data, auto_id=False) == _drawn(DjangoTemplates(), data, auto_id=False)
    assert _drawn(Renderer(), data, prefix="p", label_suffix=" ...") == _drawn(
        DjangoTemplates(), data, prefix="p", label_suffix=" ..."
    )


def test_all_forms_are_drawn_without_templates(monkeypatch: pytest.MonkeyPatch) -> None:
    renderer = get_default_renderer()
    assert isinstance(renderer, Renderer)
    monkeypatch.setattr(DjangoTemplates, "get_template", lambda *_: pytest.fail("a template was asked for"))
    assert "<select" in str(_Form(renderer=renderer)["one"])
    assert len(_DRAWN) > 10
