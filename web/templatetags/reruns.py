"""Forms that have a case run once more: `{% examine_form case "fix" _("Try a fix") %}`, `{% rerun_offers case %}`.

What stands in the place of the button afterwards has its id, so that the focus goes there. With `asks_itself` a script
presses the button when somebody opens the case.
"""

from collections.abc import Callable
from html import escape

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from judge.reruns.kinds import RerunKind
from web.presentation.result.case import CaseView

register = template.Library()


@register.simple_tag(takes_context=True)
def examine_form(
    context: Context, case: CaseView, examination: str, words: str, place: str = "", *, asks_itself: bool = False
) -> SafeString:
    """Return the form with one button. `place`: the beginning of its id, where the page has two of them."""
    form = _forms(context, case)(examination, str(words), place, asks_itself=asks_itself)
    return mark_safe(form)  # noqa: S308 - its parts are escaped


def _forms(context: Context, case: CaseView) -> Callable[..., str]:
    """Return a function that returns the form of a kind of rerun of this case."""
    submission, token = context["report"].submission.pk, escape(str(context["csrf_token"]))
    name = escape(case.name)

    def form(examination: str, words: str, place: str = "", *, asks_itself: bool = False) -> str:
        kind = RerunKind(examination).value
        mark = "data-ask-when-opened" if asks_itself else ""
        address = reverse("examine_case", args=(submission, case.position, kind))
        return (
            f'<form method="post" action="{address}" hx-post="{address}" hx-target="#live" hx-swap="outerHTML"'
            f' hx-sync="this:drop" {mark}><input type="hidden" name="csrfmiddlewaretoken" value="{token}">'
            f'<button class="plain small" id="{place}{kind}-{case.number}" type="submit">{escape(words)}'
            f'<span class="visually-hidden"> ({name})</span></button></form>'
        )

    return form


@register.simple_tag(takes_context=True)
def rerun_offers(context: Context, case: CaseView) -> SafeString:
    """Return what may be asked for of a case, as the items of a list, but for what the page offers above its cases."""
    above = context["report"].proofs.kinds_of(case)
    items, form = [], _forms(context, case)
    for offer in (each for each in case.offers if each.examination not in above):
        problem = f'<p class="note warning" role="alert">{escape(offer.problem)}</p>' if offer.problem else ""
        asked = form(offer.examination, offer.button, asks_itself=offer.asks_itself)
        items.append(f'<li>{problem}{asked}<p class="soft">{escape(offer.what)}</p></li>\n')
    return mark_safe("".join(items))  # noqa: S308 - its parts are escaped
