"""Choose the next submission by start-time fair queueing between users.

How it works: a submission gets its `turn` when it is taken in. The waiting ones are judged by (turn, id). Whoever comes
with nothing in the queue gets the least turn there is; each further one of the same user comes a turn later. So ahead
of a user's only submission there is at most one of each other user, however many these have sent.

Judging is not begun anew for somebody else, but between two steps of it the submission of a user who has more in the
queue lets others pass: those who have nothing being judged and whose turn is no later. For each that is left in the
queue one may pass, so whoever sends a second one does not wait for a whole class. The promise: one user's 500
submissions delay another user's single one by one running case at most, or by LOOK_EVERY_S of quicker ones.

Turns alone let a second submission wait for ever while others come with nothing in the queue again and again. So every
round of every worker brings forward, of each user who has nothing being judged, the first that has waited for
WAITS_LONG: it gets the least turn, and of these it is older than all that comes later. So whatever a worker can judge
is begun after those that were sent before it, and a few rounds.

Submissions that are taken in at the same moment may not see each other; then one of them may come a turn too early.
"""

from datetime import timedelta

from django.db import connection, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from judge.models import CaseRerun, RerunKind, Status, Submission
from judge.queue import capability, leases

LOOK_EVERY_S = 0.1  # looking costs some ms: steps that are shorter are one
WAITS_LONG = timedelta(minutes=2)
COUNTS_WAIT = timedelta(seconds=10)  # findings that depend on calls by name wait no longer for submissions
_AT_ONCE = 100  # so many may pass between two steps

# As texts: each submission asks them, and Django would take longer to write the queries than PostgreSQL to answer. Of
# each status apart, as the index has them.
_LEAST_TURN = """
SELECT LEAST((SELECT turn FROM judge_submission WHERE status = 'queued' ORDER BY turn, id LIMIT 1),
             (SELECT turn FROM judge_submission WHERE status = 'judging' ORDER BY turn, id LIMIT 1))
"""
_OWN_TURN = """
SELECT turn FROM judge_submission WHERE NOT status = 'done' AND user_id = %s ORDER BY turn DESC LIMIT 1
"""
_TURNS = f"SELECT ({_LEAST_TURN}), ({_OWN_TURN})"
# Likewise: each submission asks this between its steps.
_MORE_OF_THE_USER = """
SELECT count(*) FROM
    (SELECT FROM judge_submission WHERE NOT status = 'done' AND user_id = %s AND NOT id = %s LIMIT %s) AS more
"""


def turn_after(least: int | None, own: int | None) -> int:
    """Return a new submission's turn: `least` of all unfinished ones, `own` the user's greatest; None: none."""
    return max(least or 0, -1 if own is None else own + 1)


def next_turn(user_id: int) -> int:
    """Return the user's next turn. Call with the user's row locked: two submissions of a user never share a turn."""
    with connection.cursor() as cursor:
        cursor.execute(_TURNS, [user_id])
        least, own = cursor.fetchone()
    return turn_after(least, own)


def who_may_pass(judged: Submission, passed: int, node: str) -> list[int]:
    """Return the ids of waiting submissions that go before the next step of the current one, which let `passed` pass.

    Only what the worker `node`, which judges it, can judge.
    """
    with connection.cursor() as cursor:
        cursor.execute(_MORE_OF_THE_USER, [judged.user_id, judged.pk, passed + _AT_ONCE])
        (more,) = cursor.fetchone()
    if more <= passed:
        return []  # as for nearly everybody: asked first, since every other step asks it
    others = leases.in_turn(capability.judgeable(Submission, node))
    others = others.filter(turn__lte=judged.turn).exclude(user=judged.user_id)
    return list(others.filter(~_is_judged()).values_list("pk", flat=True)[: more - passed])


def bring_forward(node: str) -> int:
    """Move long-waiting submissions that the worker `node` can judge to the front; return how many."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(_LEAST_TURN)
            (least,) = cursor.fetchone()
        long = leases.in_turn(capability.judgeable(Submission, node)).filter(created_at__lt=Now() - WAITS_LONG)
        first = long.filter(~_is_judged()).order_by("user", "turn", "pk").distinct("user").values("pk")
        # What somebody takes at this moment needs no help.
        free = Submission.objects.select_for_update(skip_locked=True, no_key=True)
        late = free.filter(leases.due(), pk__in=first, turn__gt=least or 0)
        keys = list(late.values_list("pk", flat=True))
        return Submission.objects.filter(pk__in=keys).update(turn=least or 0)


def overdue_counts() -> Q:
    """Return the automatic reruns that were to count calls by name long ago: they no longer let submissions pass."""
    return Q(examination=RerunKind.PROFILE, is_automatic=True, created_at__lt=Now() - COUNTS_WAIT)


def are_counts_overdue() -> bool:
    """Return whether any such rerun waits, for whatever worker: one statement, not the five of a claim."""
    return leases.waiting(CaseRerun).filter(overdue_counts()).exists()


def _is_judged() -> Exists:
    """Return whether a submission of the same user is being judged."""
    return Exists(Submission.objects.filter(user=OuterRef("user"), status=Status.JUDGING))
