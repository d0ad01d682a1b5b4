"""Submit a program; a submission's page, live while it is judged; the list of submissions, also as a file."""

import json
from functools import partial
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from judge.reruns.kinds import RerunKind
from judge.submissions import intake
from web import access
from web.forms.filters import SubmissionFilter
from web.live.stream import event_stream
from web.presentation.pages.etag import etag_of, requests_about, submission_look
from web.presentation.pages.exports import SubmissionExport
from web.presentation.proof.lines import speedscope
from web.presentation.result.cases import Cases
from web.presentation.result.reader import reader_of, shows_rerun
from web.presentation.result.report import Report, report
from web.presentation.result.sentences import place_caption
from web.presentation.sources import download_name, name_of
from web.server.streaming import download
from web.views.problems.problems import open_problem, problem_page, problem_to_take_for, submit_form
from web.views.problems.sent_again import say_if_sent_again

_FIELDS = {"language": "language", "source": "source"}  # the code of a refusal -> the field it belongs beside


def submit(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the program into the queue and go to its page; what is wrong with it is said beside the form."""
    problem = problem_to_take_for(request.user, slug)
    form = submit_form(problem, request.user, request.POST, request.FILES)
    status = 422
    if form.is_valid():
        program = form.program()
        if mismatch := form.mismatch(program):
            problem = open_problem(request.user, slug)
            filled = {"language": mismatch.chosen.id, "source": mismatch.text, "file_name": mismatch.file_name}
            form = submit_form(problem, request.user, initial=filled)
            return problem_page(request, problem, form, status=422, mismatch=mismatch)
        try:
            user, source = cast(User, request.user), program.source
            submission = intake.submit(user, problem, program.language, source, program.file_name)
        except intake.IntakeRefused as refusal:
            form.add_error(_FIELDS.get(refusal.code), refusal.message)
            status = 429 if refusal.code == "busy" else 422
        else:
            say_if_sent_again(request, submission)
            return redirect("submission", submission.pk)
    return problem_page(request, open_problem(request.user, slug), form, status=status)


def recognise(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask the editor's reader in which language a program is; 204 if it may be in the chosen one, 422 if it is none."""
    form = submit_form(problem_to_take_for(request.user, slug), request.user, request.POST)
    if not form.is_valid():
        return HttpResponse(status=422)
    mismatch = form.mismatch(form.program())
    if mismatch is None:
        return HttpResponse(status=204)
    return render(request, "problems/mismatch.html", {"mismatch": mismatch})


@never_cache
def submission(request: HttpRequest, submission_id: int) -> HttpResponse:
    """Show the result page: what is known so far, then live until it is done."""
    submission = _readable(request, submission_id)
    requests = requests_about(submission)
    mark = etag_of(submission, requests)
    context = {
        "report": report(submission, request.user, requests),
        "mark": mark,
        "previous": _previous(submission),
        "nav": "submissions",
    }
    return render(request, "result/page.html", context)


def submission_source(request: HttpRequest, submission_id: int) -> HttpResponseBase:
    """Return the source as a file, byte for byte as it was sent."""
    submission = _readable(request, submission_id)
    return download(request, iter([submission.sent_source]), name=download_name(submission), media_type="text/plain")


@never_cache
def submission_speedscope(request: HttpRequest, submission_id: int, position: int) -> HttpResponseBase:
    """Return the CPU time of one case by line as a file for speedscope, with the numbers that this reader sees."""
    submission = _readable(request, submission_id)
    cases = Cases(submission=submission, reader=reader_of(submission, request.user, ()))
    case = next((case for case in cases.measured if case.position == position), None)
    view, times = (case.line_times, case.result.line_times) if case else (None, None)
    if case is None or view is None or times is None:
        raise Http404
    content = speedscope(view, times, submission.source_text, name_of(submission) or submission.language, case.shown)
    name = f"submission-{submission.pk}-case-{view.case_number}.speedscope.json"
    return download(request, iter([json.dumps(content).encode()]), name=name, media_type="application/json")


@never_cache
def submission_live(request: HttpRequest, submission_id: int) -> HttpResponse:
    """Return the changing part of the result page; without a trigger once nothing more comes.

    204 when the page already shows (`?shown=`, its mark, and `?caption=`) what there is to show.
    """
    submission = _readable(request, submission_id)
    requests = requests_about(submission)
    mark = etag_of(submission, requests)
    caption = request.GET.get("caption")
    is_same = mark and mark == request.GET.get("shown")
    if is_same and (caption is None or caption == place_caption(submission_id)):
        return HttpResponse(status=204)
    return _live(request, report(submission, request.user, requests), mark)


@require_GET
async def submission_events(request: HttpRequest, submission_id: int) -> StreamingHttpResponse:
    """Send server-sent events: "news" whenever the page should fetch its changing part again (see `web.live`)."""
    submission = await access.readable_submissions(request.user).only("pk").filter(pk=submission_id).afirst()
    if submission is None:
        raise Http404
    caption = partial(place_caption, submission_id)
    return event_stream(request, submission.channel, submission_look(submission_id), caption)


def examine_case(request: HttpRequest, submission_id: int, position: int, examination: str) -> HttpResponse:
    """Have one case run once more, for what `RerunKind` names."""
    if examination not in set(RerunKind):
        raise Http404
    submission = _readable(request, submission_id)
    result = get_object_or_404(submission.results.filter(attempt=submission.attempt), position=position)
    if not access.sight_of(request.user, submission.problem).sees_numbers(result):
        raise Http404
    if not shows_rerun(access.explained(request.user, submission.problem), RerunKind(examination)):
        raise Http404
    is_growth = examination == RerunKind.GROWTH  # of the whole program: one case keeps it
    if is_growth and reader_of(submission, request.user, ()).requests.growth_position != position:
        raise Http404
    refusals = {}
    try:
        intake.request_examination(result, RerunKind(examination), request.user)  # type: ignore[arg-type]  # a reader is never anonymous
    except intake.IntakeRefused as refused:
        refusals[position, examination] = refused.message
    if request.headers.get("HX-Request"):
        submission = _readable(request, submission_id)
        requests = requests_about(submission)
        mark = etag_of(submission, requests)
        return _live(request, report(submission, request.user, requests, refusals), mark)
    for refusal in refusals.values():
        messages.error(request, refusal)
    return redirect(f"{reverse('submission', args=[submission_id])}#case-{position + 1}")


@never_cache
def submission_list(request: HttpRequest) -> HttpResponse:
    """Show the user's own submissions, newest first; to staff everybody's."""
    form = SubmissionFilter(request.GET, user=request.user)
    return render(request, "submissions/list.html", {"form": form, "page": form.page(), "nav": "submissions"})


def _readable(request: HttpRequest, submission_id: int) -> Submission:
    """Return the submission if this reader may read it. Raises Http404."""
    return get_object_or_404(access.readable_submissions(request.user).with_version(), pk=submission_id)


def _previous(submission: Submission) -> Submission | None:
    """Return the same person's submission to the same problem before this one, the last that was run: its number.

    None for one that is not done: there is nothing to compare yet.
    """
    if not submission.is_done:
        return None
    same = Submission.objects.filter(user_id=submission.user_id, problem_id=submission.problem_id, status=Status.DONE)
    run = same.exclude(verdict__in=[verdict for verdict in Verdict if not verdict.record.is_judged])
    return run.filter(pk__lt=submission.pk).order_by("-pk").only("pk").first()


def _live(request: HttpRequest, report: Report, mark: str) -> HttpResponse:
    """Return the part that changes."""
    context = {"report": report, "mark": mark, "previous": _previous(report.submission), "is_update": True}
    return render(request, "result/live.html", context)


@never_cache
def submission_csv(request: HttpRequest) -> HttpResponseBase:
    """Return all submissions that fit the filter, however many; the list reports errors of a filter."""
    form = SubmissionFilter(request.GET, user=request.user)
    if form.errors:
        return redirect(f"{reverse('submission_list')}?{request.GET.urlencode()}")
    lines = SubmissionExport(request.user).chunks(form.keys)
    return download(request, lines, name="submissions.csv", media_type="text/csv; charset=utf-8")
