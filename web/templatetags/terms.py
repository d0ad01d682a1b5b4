"""Explain terms where they are used: `{% term "kernel" %}` is a button, `{{ measure|term_id }}` names a number's term.

`{% term_notes %}` has the notes that the buttons open, once per page. They are popovers: no script is needed.
"""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judge.grading.measures import Measure
from web.presentation.terms import TERM_OF_MEASURE, TERMS, Term

register = template.Library()


@register.simple_tag
def term(term_id: str) -> SafeString:
    """Return the button that opens the note of a term; nothing for no term."""
    if not term_id:
        return SafeString()
    known = TERMS[term_id]
    label = _("What is this: %(term)s?") % {"term": known.name}
    return format_html(
        '<button class="term" type="button" popovertarget="term-{}" aria-label="{}">?</button>', term_id, label
    )


@register.filter
def term_id(measure: Measure) -> str:
    """Return the term of a number of a run; empty where there is none."""
    return TERM_OF_MEASURE.get(measure.name, "")


@register.inclusion_tag("partials/term_notes.html")
def term_notes() -> dict[str, list[Term]]:
    """Return the notes of all terms."""
    return {"terms": list(TERMS.values())}
