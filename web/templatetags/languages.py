"""Facts about the languages for pages: `{% language_names %}`, `{% flushing_ways %}`, `{% editor_modes %}`,
`{% telltales %}`.
"""

from functools import cache

from django import template
from django.utils.html import format_html_join, json_script
from django.utils.safestring import SafeString

from judge.grading.languages import LANGUAGES
from problems import languages
from problems.translation import gettext, translated
from web.presentation.visible import with_code

register = template.Library()


@register.simple_tag
def language_names() -> str:
    """Return the languages as a choice: "Python, C++ or Rust"."""
    return str(translated(languages.language_names()))


@register.simple_tag
def flushing_ways() -> SafeString:
    """Return how a program flushes its output: "Python: print(..., flush=True); C++: ..."."""
    ways = ((each.short_name, with_code(gettext(each.advice.flushing))) for each in LANGUAGES.values())
    return format_html_join("; ", "{}: {}", ways)


@register.simple_tag
@cache
def editor_modes() -> SafeString:
    """Return the editor's mode for each language, for web/frontend/languages.js."""
    return json_script({each.id: each.editor_mode for each in LANGUAGES.values()}, "editor-modes")


@register.simple_tag
@cache
def telltales() -> SafeString:
    """Return the marks of each language, for web/frontend/mismatch.js."""
    marks = {each.id: {"name": each.short_name, "marks": each.telltales} for each in LANGUAGES.values()}
    return json_script(marks, "telltales")
