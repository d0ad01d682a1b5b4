"""Explain terms where they are used: `{% term "kernel" %}` is a button.

`{% term_notes %}` has the notes that the buttons open, once per page. They are popovers: no script is needed.
`{% explained_numbers "CASE" "CASES" %}` explains every number that stands at places of `judge.grading.measures`.
"""

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judge.grading.measures import MEASURES, Place
from web.identity.language import made_once_in_each
from web.presentation.terms import HELP, TERMS

register = template.Library()


@register.simple_tag
@made_once_in_each
def term(term_id: str) -> SafeString:
    """Return the button that opens the note of a term; nothing for no term."""
    if not term_id:
        return SafeString()
    name, _sentence = TERMS[term_id]
    label = _("What is this: %(term)s?") % {"term": name}
    return format_html(
        '<button class="term" type="button" popovertarget="term-{}" aria-label="{}">?</button>', term_id, label
    )


@register.simple_tag
@made_once_in_each
def term_notes() -> SafeString:
    """Return the notes of all terms."""
    return format_html_join(
        "\n",
        '<div class="term-note" id="term-{}" popover><p><strong>{}</strong></p><p>{} <a href="{}">{}</a></p></div>',
        ((id, name, words, f"{HELP}#{id}", _("More in the help")) for id, (name, words) in TERMS.items()),
    )


@register.simple_tag
@made_once_in_each
def explained_numbers(*names: str) -> SafeString:
    """Return a list of the numbers that stand at one of the places, each with a sentence on what it is."""
    places = {Place[name] for name in names}
    pairs = ((measure.title, _(measure.explanation)) for measure in MEASURES if measure.places & places)
    items = format_html_join("", "<div><dt>{}</dt><dd>{}</dd></div>", pairs)
    return format_html('<dl class="definitions">{}</dl>', items)
