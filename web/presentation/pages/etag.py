"""The etag of a result page: one word that changes whenever the page would look different."""

from collections.abc import Collection, Sequence

from django.conf import settings
from django.db.models import Count
from django.utils.crypto import salted_hmac
from django.utils.translation import override

from judge.models import CaseRerun, CustomRun, Status, Submission
from judge.reruns.kinds import RerunKind
from web.live.hub import DONE, SharedLook
from web.presentation.pages.custom_run import waiting_for_run
from web.presentation.result.sentences import examination_waiting, waiting_for

_LENGTH = 20


def submission_look(submission_id: int) -> SharedLook:
    """Return the look of a submission's stream: the mark while it is unfinished or a rerun is under way, then DONE.

    To be asked for before the rows that are shown are read: then a change in between makes the mark an old one. It is
    the same for readers of every language, since a live page's stream does not know its reader's.
    """
    return SharedLook(see=_submission_etags, key=submission_id)


def _submission_etags(ids: Collection[int]) -> dict[int, str]:
    submissions = list(Submission.objects.defer("source", "explanation").filter(pk__in=ids))
    requests = _requests_about(submissions)
    return {submission.pk: etag_of(submission, requests[submission.pk]) for submission in submissions}


def requests_about(submission: Submission) -> list[CaseRerun]:
    """Return all reruns of its cases, the oldest first."""
    return _requests_about([submission])[submission.pk]


def _requests_about(submissions: Collection[Submission]) -> dict[int, list[CaseRerun]]:
    requests: dict[int, list[CaseRerun]] = {submission.pk: [] for submission in submissions}
    touched = [submission.pk for submission in submissions if not submission.is_untouched]
    for request in CaseRerun.objects.filter(submission__in=touched).order_by("pk"):
        requests[request.submission_id].append(request)
    return requests


def etag_of(submission: Submission, requests: Sequence[CaseRerun]) -> str:
    """Return the mark of a page that shows these rows, and the cases that are read after this."""
    with override(settings.LANGUAGE_CODE):
        open_ones = {request.examination for request in requests if not request.is_done}
        if submission.is_done and not open_ones:
            return DONE
        state = (
            submission.status,
            submission.attempt,
            submission.failures,
            submission.compile_ok,
            submission.test_case_count,
            submission.meter_reason,
            [(request.pk, request.examination, request.status) for request in requests],
            _progress(submission),
            [examination_waiting(submission, RerunKind(kind)) for kind in sorted(open_ones)],
        )
    # Keyed: whoever reads it shall not find out by trying what it was made of.
    return salted_hmac("web.presentation.pages.etag", repr(state)).hexdigest()[:_LENGTH]


def custom_run_etag(run_id: int) -> str:
    """Return the mark of an unfinished custom run, else DONE; as `submission_look`."""
    run = CustomRun.objects.defer("source", "input", "explanation").filter(pk=run_id).first()
    if run is None or run.is_done:
        return DONE
    with override(settings.LANGUAGE_CODE):
        counted = run.results.filter(attempt=run.attempt).aggregate(judged=Count("pk"), counted=Count("profile"))
        state = (run.status, run.attempt, run.failures, run.compile_ok, waiting_for_run(run).sentence, counted)
    return salted_hmac("web.presentation.pages.etag", repr(state)).hexdigest()[:_LENGTH]


def _progress(submission: Submission) -> tuple[object, ...]:
    if submission.is_done:
        return ()
    if submission.status == Status.QUEUED:
        waiting = waiting_for(submission, 0)
        return (waiting.has_place or waiting.sentence,)  # what moves by itself is no news: it is the page's caption
    rows = submission.results.filter(attempt=submission.attempt).aggregate(judged=Count("pk"), counted=Count("profile"))
    return (waiting_for(submission, rows["judged"]).sentence, rows["judged"], rows["counted"])
