"""What came of running a case with nothing of its output left in a buffer, in one sentence."""

from django.utils.translation import gettext as _, gettext_noop

from judge.grading.events import BufferChange
from judge.models import TestCaseResult

_CHANGES = {
    BufferChange.NONE: gettext_noop("With nothing left in a buffer, the program wrote the same to the byte."),
    BufferChange.LOST: gettext_noop(
        "With nothing left in a buffer, the program wrote more: some of its output was lost in the buffer."
    ),
    BufferChange.DOUBLED: gettext_noop(
        "With nothing left in a buffer, the program wrote less: some of its output was written more than once."
    ),
    BufferChange.REORDERED: gettext_noop(
        "With nothing left in a buffer, the program wrote the same bytes in another order: that in which it prints."
    ),
    BufferChange.OTHER: gettext_noop("With nothing left in a buffer, the program wrote something else."),
}


def unbuffered_words(result: TestCaseResult) -> str:
    """Return what the rerun of a case showed; "" when there is none. It tells no number."""
    twin = result.unbuffered
    if twin is None:
        return ""
    text = _(_CHANGES[twin.change])
    if twin.is_right and twin.change is not BufferChange.NONE:
        right = _("That output is right.")
        return f"{text} {right}"
    return text
