"""Sentences about what an unfinished submission waits for, what its worker adds to each run, and what expired."""

from dataclasses import dataclass

from django.conf import settings
from django.utils.timezone import localtime
from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.grading.languages import LANGUAGES
from judge.models import CaseRerun, Status, Submission, WorkerNode
from judge.queue import leases, waiting
from judge.reruns.kinds import RerunKind
from judge.retention import expired_of
from web.presentation.units import count, duration

_FEW_S = 8
_MINUTES_FROM_S = 115  # below, tens of seconds
NO_WORKER = gettext_noop("No worker is running; your submission is kept and will be judged when one starts.")
NO_WORKER_FOR_REQUEST = gettext_noop("No worker is running; your request is kept and will be served when one starts.")


@dataclass(frozen=True, kw_only=True, slots=True)
class Waiting:
    """Where an unfinished submission is. `is_stuck`: it needs somebody to start something on our side."""

    title: str
    sentence: str
    is_stuck: bool = False
    has_place: bool = False  # the sentence is `place_caption`, which changes as the queue moves


def language_name(language_id: str) -> str:
    """Return a language's name for people; its id if this version does not have it."""
    return LANGUAGES[language_id].name if language_id in LANGUAGES else language_id


def waiting_for(submission: Submission, judged_cases: int) -> Waiting:
    """Return what this unfinished submission waits for, or its progress."""
    if submission.status == Status.QUEUED:
        title, queue = _("Waiting in the queue"), waiting.lately()
        if not queue.has_worker:
            return Waiting(title=title, sentence=_(NO_WORKER), is_stuck=True)
        if not queue.can_judge(submission.language):
            words = _(
                "No running worker can run %(language)s; your submission is kept and will be judged when one can."
            )
            sentence = words % {"language": language_name(submission.language)}
            return Waiting(title=title, sentence=sentence, is_stuck=True)
        if submission.failures:
            sentence = _(
                "Judging failed because of an error in Tally, not in your program. Tally retries it automatically "
                "(attempt %(number)s of %(most)s)."
            ) % {"number": submission.failures + 1, "most": settings.MAX_ATTEMPTS}
            return Waiting(title=title, sentence=sentence)
        return Waiting(title=title, sentence=_place(queue.place_of(submission)), has_place=True)
    title = _("Judging")
    if Submission.objects.filter(leases.run_out(), pk=submission.pk).exists():
        sentence = _("The worker that was judging this has stopped answering. Tally judges it again automatically.")
        if not WorkerNode.objects.grading().exists():
            return Waiting(title=title, sentence=_(NO_WORKER), is_stuck=True)
        return Waiting(title=title, sentence=sentence)
    if submission.compile_ok is None:
        return Waiting(title=title, sentence=_("Compiling your program."))
    total = submission.test_case_count or 0
    if judged_cases >= total:
        return Waiting(title=title, sentence=_("All test cases are judged. The verdict follows."))
    sentence = ngettext(
        "%(judged)s of %(total)s test case judged so far.", "%(judged)s of %(total)s test cases judged so far.", total
    )
    return Waiting(title=title, sentence=sentence % {"judged": judged_cases, "total": count(total)})


def examination_waiting(submission: Submission, examination: RerunKind) -> str:
    """Return what the open requests of this kind, about a submission's cases, wait for."""
    nodes = WorkerNode.objects
    if not (nodes.counting() if examination is RerunKind.PROFILE else nodes.grading()).exists():
        return _(NO_WORKER_FOR_REQUEST)
    open_requests = CaseRerun.objects.filter(submission=submission, examination=examination)
    if open_requests.filter(status=Status.JUDGING).exists():
        return _(examination.record.under_way)
    return _("It waits for its turn.")


def overhead_of(submission: Submission) -> str:
    """Return what the worker's sandbox adds to the runs, and how much the times include; empty if not measured."""
    wall, added, empty = submission.overhead_wall_us, submission.overhead_cpu_us, submission.empty_cpu_us
    if wall is None or added is None or empty is None:
        return ""
    return ngettext(
        "This worker adds %(wall)s to each run, which the times shown exclude. The CPU time shown includes %(empty)s "
        "for starting and ending a process; without the sandbox this takes %(bare)s. Median of %(runs)s run at "
        "the start of the worker.",
        "This worker adds %(wall)s to each run, which the times shown exclude. The CPU time shown includes %(empty)s "
        "for starting and ending a process; without the sandbox this takes %(bare)s. Medians of %(runs)s runs at "
        "the start of the worker.",
        submission.overhead_runs or 0,
    ) % {
        "wall": duration(wall),
        "empty": duration(empty),
        "bare": duration(empty - added),
        "runs": submission.overhead_runs,
    }


def place_caption(submission_id: int) -> str:
    """Return the sentence on a waiting submission's place as it is now; empty where it does not wait."""
    place = waiting.lately().place_of_id(submission_id)
    return _place(place) if place else ""


def _place(place: waiting.Place) -> str:
    """Return the place and the expected wait, which promises no more than an estimate can."""
    parts: dict[str, object] = {"place": count(place.ahead + 1)}
    if place.wait_s is None:
        words = _("Number %(place)s in the queue. The wait is not known: too few submissions have been judged so far.")
        return words % parts
    if place.wait_s < _FEW_S:
        return _("Number %(place)s in the queue. Expected to begin in a few seconds.") % parts
    if place.wait_s < _MINUTES_FROM_S:
        seconds = round(place.wait_s / 10) * 10
        words = ngettext(
            "Number %(place)s in the queue. Expected to begin in about %(seconds)s second.",
            "Number %(place)s in the queue. Expected to begin in about %(seconds)s seconds.",
            seconds,
        )
        return words % {**parts, "seconds": seconds}
    minutes = round(place.wait_s / 60)
    words = ngettext(
        "Number %(place)s in the queue. Expected to begin in about %(minutes)s minute.",
        "Number %(place)s in the queue. Expected to begin in about %(minutes)s minutes.",
        minutes,
    )
    return words % {**parts, "minutes": count(minutes)}


def expired_note(submission: Submission) -> str:
    """Return the sentence for a judged submission without results; "" if it lost none by age."""
    expired = expired_of(submission)
    if expired is None:
        return ""
    sentence = ngettext(
        "The details of the test cases were deleted on %(date)s: this site keeps them for %(number)s day. The verdict,"
        " the source, the findings and the totals stay.",
        "The details of the test cases were deleted on %(date)s: this site keeps them for %(number)s days. The verdict,"
        " the source, the findings and the totals stay.",
        expired.kept_days,
    )
    return sentence % {"date": f"{localtime(expired.expired_at):%Y-%m-%d}", "number": f"{expired.kept_days:,}"}
