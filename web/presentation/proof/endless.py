"""What came of looking whether the state of a program repeats, in a few sentences."""

from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from judge.models import TestCaseResult
from web.access.rounding import Rounding
from web.presentation.units import count


@dataclass(frozen=True, kw_only=True, slots=True)
class EndlessView:
    """The statement, the line that it is about (0: not known), and further remarks."""

    headline: str
    line: int
    remarks: list[str]


def endless_view(result: TestCaseResult, rounding: Rounding) -> EndlessView | None:
    """Return what was seen of a case; None when its state was not seen to repeat."""
    states = result.states
    if states is None:
        return None
    visits = rounding.count(states.visits)
    if states.line:
        headline = ngettext(
            "At line %(line)s the state of your program repeated after the next visit: it never ends.",
            "At line %(line)s the state of your program repeated after %(visits)s visits: it never ends.",
            visits,
        )
    else:
        headline = _("The state of your program repeated: it never ends.")
    remarks = [
        _(
            "All variables and all other memory that the program can change were compared. Nothing from outside took "
            "part between the two moments: no input, no clock, no other thread."
        )
    ]
    if states.reads:
        remarks.append(_("In between it asked for input, of which there was none left."))
    if states.writes:
        remarks.append(_("In between it only printed, each time the same."))
    values = {"line": states.line, "visits": count(visits)}
    return EndlessView(headline=headline % values if states.line else headline, line=states.line, remarks=remarks)
