"""Facts about the languages for pages."""

from dataclasses import asdict

from django import template
from django.utils.html import format_html_join, json_script
from django.utils.safestring import SafeString
from django.utils.translation import override, pgettext

from judge.grading.languages import LANGUAGES
from problems import languages
from problems.translation import gettext, translated
from web.identity.language import made_once_in_each
from web.presentation.statement import name_for_readers
from web.presentation.visible import with_code

register = template.Library()
register.filter("name_for_readers", name_for_readers)


@register.simple_tag
def language_names() -> str:
    """Return the languages as a choice: "Python, C++ or Rust"."""
    return str(translated(languages.language_names()))


@register.simple_tag
def flushing_ways() -> SafeString:
    """Return how a program flushes its output: "Python: print(..., flush=True); C++: ..."."""
    ways = ((language.short_name, with_code(gettext(language.advice.flushing))) for language in LANGUAGES.values())
    return format_html_join("; ", "{}: {}", ways)


@register.simple_tag
@made_once_in_each
def editor_modes() -> SafeString:
    """Return the editor's mode for each language, and its search's English words with the reader's, for its scripts."""
    with override("en"):
        english = _search_words()
    modes = {language.id: asdict(language.editor) for language in LANGUAGES.values()}
    phrases = dict(zip(english, _search_words(), strict=True))
    return json_script(modes, "editor-modes") + json_script(phrases, "editor-phrases")


def _search_words() -> list[str]:
    return [
        pgettext("editor", "Find"),
        pgettext("editor", "Replace"),
        pgettext("editor", "next"),
        pgettext("editor", "previous"),
        pgettext("editor", "all"),
        pgettext("editor", "match case"),
        pgettext("editor", "regexp"),
        pgettext("editor", "by word"),
        pgettext("editor", "replace"),
        pgettext("editor", "replace all"),
        pgettext("editor", "close"),
        pgettext("editor", "current match"),
        pgettext("editor", "on line"),
        pgettext("editor", "replaced match on line $"),
        pgettext("editor", "replaced $ matches"),
        pgettext("editor", "Go to line"),
        pgettext("editor", "go"),
    ]
