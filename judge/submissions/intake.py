"""Accept work: check the common rules, write the row, notify workers after the commit.

A source is bytes, in an encoding that `judge.grading.source_text` reads. The row holds it in UTF-8, as it is compiled,
and the bytes that were sent if they are others. NUL bytes are refused: compilers disagree about them.

Work that one person sends twice, by a button pressed twice or a page loaded again, is taken once: it is compared with
what its sender sent within settings.SENT_AGAIN_S. Whoever takes work in holds the sender's row first, so of two
requests at the same moment the second one waits for the first one's commit and finds its row. Later the same is new
work: a program may be judged again on purpose.
"""

import logging
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import AbstractBaseUser
from django.db import connection, transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _, ngettext

from judge.grading import languages
from judge.grading.languages import Language
from judge.grading.source_text import SourceRefused, SourceText, take_source
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, QueuedWork, Status, Submission, TestCaseResult, WorkerNode
from judge.models.assignments import sees_problem
from judge.observability import logs
from judge.queue import fairness, wakeup
from judge.reruns.kinds import RerunKind
from problems.models import Problem, ProblemVersion

_LATEST = 100  # rows of one person among which the same is looked for, so that an index finds them
_WorkT = TypeVar("_WorkT", bound=QueuedWork)
_logger = logging.getLogger(__name__)

# As a text: each submission asks this, and Django would take longer to write two queries than PostgreSQL to answer.
_IN_FLIGHT = """
SELECT (SELECT count(*) FROM judge_submission WHERE user_id = %(user)s AND NOT status = 'done')
     + (SELECT count(*) FROM judge_caserequest request
          JOIN judge_submission submission ON submission.id = request.submission_id
         WHERE submission.user_id = %(user)s AND NOT request.is_automatic AND NOT request.status = 'done')
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class SentProgram:
    """A program as its author sent it. `file_name`: what the file was called, "" for none."""

    language: str
    source: bytes
    file_name: str = ""


class IntakeRefused(Exception):
    """Why the work was refused: `message` is a sentence in the sender's language, `code` one word for programs."""

    def __init__(self, message: str, code: str) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


def submit(user: AbstractBaseUser, problem: Problem, language: str, source: bytes, file_name: str = "") -> Submission:
    """Queue a submission to a problem, as just read, and notify workers after the commit.

    `file_name`: what its sender called it. What was just sent is not taken twice: its row is returned. Raises
    IntakeRefused.
    """
    version, text = take_program(user, problem, language, source)
    program = {"language": language, "source": text.content, "encoding": text.encoding.value}
    program["file_name"] = kept_name(language, file_name)
    with transaction.atomic():
        hold(user)
        own = Submission.objects.filter(user=user.pk).exclude(verdict=Verdict.JE)
        if sent := sent_before(own, problem_version=version, **program):
            return sent
        check_in_flight(user)
        submission = Submission(
            user_id=user.pk, problem=problem, problem_version=version, original=text.original, **program
        )
        fairness.take_turn(submission)
        submission.save()
        transaction.on_commit(partial(_accepted, submission))
    return submission


def take_program(
    user: AbstractBaseUser, problem: Problem, language: str, source: bytes
) -> tuple[ProblemVersion, SourceText]:
    """Return the version that judges a program for the problem, as just read, and its source. Raises IntakeRefused."""
    if problem.current_version is None or not sees_problem(user, problem):
        raise IntakeRefused(_("This problem is not open for submissions."), "problem")
    version = problem.current_version
    _check_language(language, version)
    try:
        text = take_source(source, languages.LANGUAGES[language], min(settings.MAX_SOURCE_BYTES, version.code_bytes))
    except SourceRefused as refused:
        raise IntakeRefused(str(refused), "source") from refused
    return version, text


def kept_name(language: str, file_name: str) -> str:
    """Return the file's name if a program in the language may be called so, "" otherwise."""
    return file_name if languages.is_usable(languages.LANGUAGES[language], file_name) else ""


def _accepted(submission: Submission) -> None:
    with logs.about_work(submission):
        size, encoding = len(submission.source), submission.encoding
        equal = (submission.language, size, submission.problem_version_id, encoding)
        _logger.info("accepted: %s, %s bytes, version %s, sent in %s", *equal)
    wakeup.notify(submission)


def request_examination(result: TestCaseResult, examination: RerunKind, user: AbstractBaseUser) -> CaseRerun:
    """Request a rerun of one case. Raises IntakeRefused.

    An open request is returned as it is. But one that is the judge's own and waits becomes that of whoever asks.
    """
    if not Submission.objects.readable_by(user).filter(pk=result.submission_id).exists():
        raise IntakeRefused(_("There is no such test case."), "result")
    if not result.submission.is_done:
        raise IntakeRefused(_("The submission is still being judged. Ask again when it is done."), "unfinished")
    if examination.is_known_of(result):
        raise IntakeRefused(_(examination.record.already), "known")
    with transaction.atomic():
        # Held until the end: its owner and a member of the staff may ask at the same moment.
        case = TestCaseResult.objects.filter(submission=result.submission_id, pk=result.pk)
        if not case.select_for_update(no_key=True).first():
            raise IntakeRefused(_("The submission was judged again just now. Load its page again."), "result")
        open_request = result.requests.filter(examination=examination).exclude(status=Status.DONE).first()
        if open_request:
            # the open request; one that nobody asked for becomes this person's unless it is already running
            if open_request.is_automatic and open_request.status == Status.QUEUED:
                hold(user)
                check_in_flight(user)
                if CaseRerun.objects.filter(pk=open_request.pk, status=Status.QUEUED).update(is_automatic=False):
                    open_request.is_automatic, open_request.user_id = False, user.pk
                    fairness.take_turn(open_request)
                    open_request.save(update_fields=["user", "turn", "expected_ms"])
                    transaction.on_commit(partial(wakeup.notify, open_request))
            return open_request
        hold(user)
        check_in_flight(user)
        request = queue_rerun(result, examination, user.pk)
        transaction.on_commit(partial(wakeup.notify, request))
    return request


def queue_rerun(
    result: TestCaseResult, examination: RerunKind, user_id: int, *, is_automatic: bool = False
) -> CaseRerun:
    """Write a rerun of a case that takes this person's turn."""
    rerun = CaseRerun(
        submission_id=result.submission_id,
        result=result,
        user_id=user_id,
        examination=examination,
        is_automatic=is_automatic,
    )
    fairness.take_turn(rerun)
    rerun.save()
    return rerun


@dataclass(frozen=True, kw_only=True, slots=True)
class Offer:
    """The languages that can be judged now. `is_alive`: whether a worker takes submissions."""

    languages: list[Language]
    is_alive: bool


def offer() -> Offer:
    """Return the enabled languages that a living worker has; all enabled ones while no worker is alive."""
    on = [language for language in languages.LANGUAGES.values() if language.id not in settings.DISABLED_LANGUAGES]
    there = list(WorkerNode.objects.grading().values_list("languages", flat=True))
    judged = [language for language in on if not there or any(language.id in ids for ids in there)]
    return Offer(languages=judged, is_alive=bool(there))


def _check_language(language: str, version: ProblemVersion) -> None:
    record = languages.LANGUAGES.get(language)
    if record is None:
        raise IntakeRefused(_("There is no such language. Choose one from the list."), "language")
    if version.languages is not None and language not in version.languages:
        names = [languages.LANGUAGES[key].name for key in version.languages if key in languages.LANGUAGES]
        if not names:
            raise IntakeRefused(_("This problem may be solved in no language that this judge runs."), "language")
        *others, last = names
        words = _("This problem may be solved only in %(languages)s or %(last)s.")
        if not others:
            words = _("This problem may be solved only in %(language)s.")
        parts = {"languages": ", ".join(others), "last": last, "language": last}
        raise IntakeRefused(words % parts, "language")
    if language in settings.DISABLED_LANGUAGES:
        raise IntakeRefused(_("%(language)s is switched off on this judge.") % {"language": record.name}, "language")
    if record not in offer().languages:
        raise IntakeRefused(
            _("No worker of this judge can run %(language)s at the moment.") % {"language": record.name}, "language"
        )


def hold(user: AbstractBaseUser) -> None:
    """Hold the user's row until the transaction's end, so that what is counted of the user's stays true."""
    # No-key: rows that only point at the user, such as another's comment, are not held up.
    get_user_model()._default_manager.select_for_update(no_key=True).values_list("pk").get(pk=user.pk)


def check_in_flight(user: AbstractBaseUser) -> None:
    """Raises IntakeRefused over the cap. Call in a transaction that holds the user."""
    with connection.cursor() as cursor:
        cursor.execute(_IN_FLIGHT, {"user": user.pk})
        (in_flight,) = cursor.fetchone()
    if in_flight >= settings.MAX_IN_FLIGHT_PER_USER:
        raise IntakeRefused(
            ngettext(
                "You have %(number)s submission or profile waiting or running, which is as many as one person"
                " may have at once. Send this one again when it is done.",
                "You have %(number)s submissions and profiles waiting or running, which is as many as one person"
                " may have at once. Send this one again when one of them is done.",
                in_flight,
            )
            % {"number": in_flight},
            "busy",
        )


def sent_before(rows: "QuerySet[_WorkT]", **content: Any) -> _WorkT | None:
    """Return the row among one person's `rows` that was just made of this content, marked as sent again; or None.

    Call in a transaction that holds the person's row.
    """
    latest = rows.order_by("-pk").values("pk")[:_LATEST]
    same = rows.filter(pk__in=latest, created_at__gt=Now() - timedelta(seconds=settings.SENT_AGAIN_S), **content)
    first: _WorkT | None = same.order_by("pk").first()
    if first is not None:
        first.is_sent_again = True
    return first
