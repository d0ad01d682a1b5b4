"""Forms that have a case run once more: `{% examine_form case "fix" _("Try a fix") %}`, `{% rerun_offers case %}`.

With `asks_itself` a script presses the button when somebody opens the case.
"""

from dataclasses import dataclass

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.safestring import SafeString

from judge.reruns.kinds import RerunKind
from web.presentation.result.case import CaseView
from web.templatetags.drawing import drawn

register = template.Library()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Form:
    """One form. `what` and `problem`, why the last rerun failed, are shown in a list only."""

    address: str
    id: str
    button: str
    asks_itself: bool
    what: str = ""
    problem: str = ""


@register.simple_tag(takes_context=True)
def examine_form(
    context: Context, case: CaseView, examination: str, words: str, place: str = "", *, asks_itself: bool = False
) -> SafeString:
    """Return the form with one button. `place`: the beginning of its id, where the page has two of them."""
    address, name = _address_and_id(context, case, RerunKind(examination))
    form = _Form(address=address, id=f"{place}{name}", button=words, asks_itself=asks_itself)
    return drawn("rerun_forms", forms=[form], case=case, csrf_token=context["csrf_token"])


@register.simple_tag(takes_context=True)
def rerun_offers(context: Context, case: CaseView) -> SafeString:
    """Return what may be asked for of a case, as the items of a list, but for what the page offers above its cases."""
    above = context["report"].proofs.kinds_of(case)
    forms = []
    for offer in case.offers:
        if offer.examination not in above:
            address, name = _address_and_id(context, case, offer.examination)
            forms.append(
                _Form(
                    address=address,
                    id=name,
                    button=offer.button,
                    asks_itself=offer.asks_itself,
                    what=offer.what,
                    problem=offer.problem,
                )
            )
    return drawn("rerun_forms", forms=forms, case=case, csrf_token=context["csrf_token"], is_list=True)


def _address_and_id(context: Context, case: CaseView, kind: RerunKind) -> tuple[str, str]:
    place = (context["report"].submission.pk, case.position, kind.value)
    return reverse("examine_case", args=place), f"{kind.value}-{case.number}"
