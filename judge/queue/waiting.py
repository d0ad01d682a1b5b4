"""How long a waiting submission still waits: those before it, and how long the last ones took."""

from django.db.models import F, Q, Sum
from django.db.models.functions import Coalesce

from judge.models import Status, Submission, WorkerNode

_NEWEST = 200  # submissions that are looked at
_LEAST = 5  # fewer judged ones say nothing


def submissions_ahead(submission: Submission) -> int:
    """Return how many queued submissions come before this one (`judge.queue.fairness`); others may still pass."""
    earlier = Q(turn__lt=submission.turn) | Q(turn=submission.turn, pk__lt=submission.pk)
    return Submission.objects.filter(earlier, status=Status.QUEUED).count()


def expected_wait_s(ahead: int) -> float | None:
    """Return the wait behind so many submissions, by how long the newest judged ones took; None: too few are known."""
    newest = Submission.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
    recent = Submission.objects.filter(pk__gt=newest - _NEWEST, status=Status.DONE, started_at__isnull=False)
    spans = recent.annotate(took=F("finished_at") - F("started_at")).values_list("took", flat=True)
    seconds: list[float] = sorted(span.total_seconds() for span in spans if span is not None)
    if len(seconds) < _LEAST:
        return None
    at_once = WorkerNode.objects.grading().aggregate(number=Sum(Coalesce("processes", 1)))["number"] or 1
    return ahead * sum(seconds) / len(seconds) / int(at_once)
