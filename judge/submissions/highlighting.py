"""Read the tokens of sources that were graded while others waited: their pages show plain text until then.

A submission's source is read while it is compiled, if nobody waits at that moment. In a rush it is left out, since it
would take a tenth of the time that the queue needs; whoever finds the queue empty afterwards reads the newest ones.
"""

from collections.abc import Callable

from judge.grading.bounded import read_source
from judge.grading.languages import LANGUAGES
from judge.models import Status, Submission
from judge.submissions.records import tokens_json
from sandbox.image.reading import Reader

_AT_ONCE = 20


def read_left_out(reader: Reader, is_idle: Callable[[], bool]) -> int:
    """Read the newest sources that nobody has read, as long as nobody waits; return how many. Raises
    django.db.Error.
    """
    number = 0
    unread = Submission.objects.filter(status=Status.DONE, tokens=None, language__in=LANGUAGES).order_by("-pk")
    for submission in unread.only("source", "language")[:_AT_ONCE]:
        if not is_idle():
            break
        tokens = read_source(reader, bytes(submission.source), LANGUAGES[submission.language]).tokens
        number += Submission.objects.filter(pk=submission.pk, tokens=None).update(tokens=tokens_json(tokens))
    return number
