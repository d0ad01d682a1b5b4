"""A variant of the site that grades inside the request: an ASGI application for bench/accepting.py alone.

How it works: every address is the product's but the one that takes a submission. That one takes it as the product does
and then grades it before it answers, with the same code as a worker. Each process grades one at a time, since more
would only share its core; who waits, waits in line without holding anything, and whoever hangs up leaves the line, so
hardly anything is graded for nobody. Most would do less: the comparison is with the best that this way can be.

No address of the product leads here: uvicorn is told this module's name by the benchmark alone.
"""

import asyncio
from functools import cache
from pathlib import Path

from web.asgi import application  # sets up Django

__all__ = ["application"]

# isort: split
from asgiref.sync import sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, path

import web.urls
from judge.grading.events import GradingJob, ProfilePolicy
from judge.grading.grading import grade
from judge.models import Submission
from judge.submissions import records
from judge.submissions.records import GradingRecord
from judge.workers.slots import Slot, take_slot
from problems.store.store import PackageStore
from sandbox.nsjail import NsjailSandbox
from web.views.submissions import results

_one_at_a_time = asyncio.Semaphore(1)


async def submit_and_grade(request: HttpRequest, slug: str) -> HttpResponse:
    """The product's answer, after the grading."""
    async with _one_at_a_time:
        return await sync_to_async(_submit_and_grade)(request, slug)


def _submit_and_grade(request: HttpRequest, slug: str) -> HttpResponse:
    answer = results.submit(request, slug)
    if answer.status_code == 302:
        _grade(int(answer["Location"].rstrip("/").rpartition("/")[2]))
    return answer


def _grade(submission_id: int) -> None:
    lease = records.claim(Submission.objects.filter(pk=submission_id), f"in-request/{_slot().number}")
    if lease is None:
        raise RuntimeError(f"submission {submission_id} is somebody else's")
    record = GradingRecord(lease)
    submission = Submission.objects.select_related("problem_version").get(pk=submission_id)
    job = GradingJob(
        package=PackageStore(settings.STORE_DIR).open(submission.problem_version.digest),
        language=submission.language,
        source=bytes(submission.source),
        profile=ProfilePolicy.LATER,
        cpu=_slot().cpu,
    )
    for event in grade(job, NsjailSandbox(settings.WORK_DIR), _slot().folder):
        record.write(event)


@cache
def _slot() -> Slot:
    return take_slot(Path(settings.WORK_DIR))


urlpatterns: list[URLPattern | URLResolver] = [
    path("problems/<slug:slug>/submit", submit_and_grade, name="submit"),
    *web.urls.urlpatterns,
]
handler400, handler403 = web.urls.handler400, web.urls.handler403
handler404, handler500 = web.urls.handler404, web.urls.handler500
settings.ROOT_URLCONF = __name__
