"""Draw the fields of forms without templates: of a page with three lists to choose from, most of the time was theirs.

The HTML is that of Django's own templates (tests/web/forms/test_form_renderer.py compares them). What is not in
`_DRAWN` is still drawn by them.
"""

from collections.abc import Callable, Mapping
from html import escape  # Django's looks first whether it may have to wait
from typing import Any

from django.forms.renderers import DjangoTemplates
from django.http import HttpRequest
from django.utils.formats import localize
from django.utils.html import conditional_escape
from django.utils.safestring import SafeData

_WIDGETS = "django/forms/widgets"
_INPUTS = (
    "text",
    "number",
    "email",
    "url",
    "password",
    "hidden",
    "file",
    "search",
    "tel",
    "color",
    "checkbox",
    "input",
)


class Renderer(DjangoTemplates):
    """The renderer of all forms (settings.FORM_RENDERER)."""

    def render(self, template_name: str, context: dict[str, Any], request: HttpRequest | None = None) -> str:
        """Return the HTML of what this template draws."""
        draw = _DRAWN.get(template_name)
        if draw is None or context.get("widget", {}).get("is_initial"):  # a file that is there already
            return str(super().render(template_name, context, request))
        return draw(context)


def _text(value: Any) -> str:
    """Return a value as text of a page: `{{ value }}`."""
    return escape(value) if type(value) is str else conditional_escape(localize(value))


def _plain(value: object) -> str:
    """Return a value as text without a language's own digits: `{{ value|stringformat:'s' }}`."""
    return value if isinstance(value, SafeData) and isinstance(value, str) else escape(f"{value}")


def _attributes(attributes: Mapping[str, Any] | None) -> str:
    """Return them as in a start tag: one that is True has no value, one that is False is left out."""
    if not attributes:
        return ""
    drawn = (
        f" {_text(name)}" if value is True else f' {_text(name)}="{_plain(value)}"'
        for name, value in attributes.items()
        if value is not False
    )
    return "".join(drawn)


def _input(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    value = "" if widget["value"] is None else f' value="{_plain(widget["value"])}"'
    return f'<input type="{_text(widget["type"])}" name="{_text(widget["name"])}"{value}{_attributes(widget["attrs"])}>'


def _file(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    return f'<input type="{_text(widget["type"])}" name="{_text(widget["name"])}"{_attributes(widget["attrs"])}>'


def _textarea(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    value = _text(widget["value"]) if widget["value"] else ""
    return f'<textarea name="{_text(widget["name"])}"{_attributes(widget["attrs"])}>\n{value}</textarea>'


def _select(context: Mapping[str, Any]) -> str:
    widget = context["widget"]
    drawn = [f'<select name="{_text(widget["name"])}"{_attributes(widget["attrs"])}>']
    for name, options, _index in widget["optgroups"]:
        if name:
            drawn.append(f'\n  <optgroup label="{_text(name)}">')
        for option in options:
            attributes = _attributes(option["attrs"])
            drawn.append(
                f'\n  <option value="{_plain(option["value"])}"{attributes}>{_text(option["label"])}</option>\n'
            )
        if name:
            drawn.append("\n  </optgroup>")
    return f"{''.join(drawn)}\n</select>"


def _label(context: Mapping[str, Any]) -> str:
    label, tag = _text(context["label"]), _text(context["tag"])
    return f"<{tag}{_attributes(context['attrs'])}>{label}</{tag}>" if context["use_tag"] else label.strip()


def _errors(context: Mapping[str, Any]) -> str:
    errors = context["errors"]
    if not errors:
        return ""
    place = f' id="{_text(errors.field_id)}_error"' if errors.field_id else ""
    items = "".join(f"<li>{_text(error)}</li>" for error in errors)
    return f'<ul class="{_text(context["error_class"])}"{place}>{items}</ul>'


_DRAWN: dict[str, Callable[[Mapping[str, Any]], str]] = {
    **{f"{_WIDGETS}/{name}.html": _input for name in _INPUTS},
    f"{_WIDGETS}/clearable_file_input.html": _file,
    f"{_WIDGETS}/textarea.html": _textarea,
    f"{_WIDGETS}/select.html": _select,
    "django/forms/label.html": _label,
    "django/forms/errors/list/default.html": _errors,
}
