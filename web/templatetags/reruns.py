"""Forms that have a case run once more: `{% examine_form case "fix" _("Try a fix") %}`, `{% rerun_offers case %}`.

With `asks_itself` a script presses the button when somebody opens the case.
"""

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.safestring import SafeString

from judge.reruns.kinds import RerunKind
from web.presentation.result.case import CaseView
from web.templatetags.drawing import drawn

register = template.Library()
_SHOWN = ("button", "asks_itself", "what", "problem")  # of an offer; the last two, why a rerun failed, in a list only


@register.simple_tag(takes_context=True)
def examine_form(
    context: Context, case: CaseView, examination: str, words: str, place: str = "", *, asks_itself: bool = False
) -> SafeString:
    """Return the form with one button. `place`: the beginning of its id, where the page has two of them."""
    form = _form(context, case, RerunKind(examination), place, button=words, asks_itself=asks_itself)
    return drawn("rerun_forms", forms=[form], case=case, csrf_token=context["csrf_token"])


@register.simple_tag(takes_context=True)
def rerun_offers(context: Context, case: CaseView) -> SafeString:
    """Return what may be asked for of a case, as the items of a list, but for what the page offers above its cases."""
    above = context["report"].proofs.kinds_of(case)
    forms = [
        _form(context, case, offer.examination, **{name: getattr(offer, name) for name in _SHOWN})
        for offer in case.offers
        if offer.examination not in above
    ]
    return drawn("rerun_forms", forms=forms, case=case, csrf_token=context["csrf_token"], is_list=True)


def _form(context: Context, case: CaseView, kind: RerunKind, place: str = "", **shown: object) -> dict[str, object]:
    address = reverse("examine_case", args=(context["report"].submission.pk, case.position, kind.value))
    return {"address": address, "id": f"{place}{kind.value}-{case.number}", **shown}
