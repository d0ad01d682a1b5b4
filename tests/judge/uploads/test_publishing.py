"""Verified packages that become problems, and who may do that."""

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.utils import timezone

from judge.models import PackageUpload, Status
from judge.uploads import uploads
from judge.uploads.uploads import UploadRefused
from problems.models import Audience, Problem, ProblemVersion
from tests.judge.uploads.conftest import SOLVED

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("silent_wakeup", "store")]
together = pytest.mark.django_db(transaction=True)
UploadMaker = Callable[..., PackageUpload]


def test_clean_package_becomes_a_problem(verified: UploadMaker, author: User) -> None:
    upload = verified()
    version = uploads.publish(upload, author)
    upload.refresh_from_db()
    assert (version.problem.slug, version.problem.owner, version.title) == ("double", author, "Twice")
    assert (upload.published_version, upload.published_by, upload.is_decided) == (version, author, True)
    assert version.problem.current_version == version


def test_name_can_be_chosen_and_the_problem_hidden(verified: UploadMaker, author: User) -> None:
    version = uploads.publish(verified(), author, slug="other", audience=Audience.HIDDEN)
    assert (version.problem.slug, version.problem.audience) == ("other", Audience.HIDDEN)


def test_package_with_a_report_that_is_not_clean_needs_a_reason(verified: UploadMaker, author: User) -> None:
    upload = verified(is_clean=False)
    for reason in ("", "  \n"):
        with pytest.raises(UploadRefused, match="give a reason"):
            uploads.publish(upload, author, reason)
    uploads.publish(upload, author, " The slow one is meant to be slow. ")
    upload.refresh_from_db()
    assert upload.reason == "The slow one is meant to be slow."


def test_package_by_which_no_program_gets_a_verdict_is_not_published_for_any_reason(
    verified: UploadMaker, author: User
) -> None:
    upload = verified(is_clean=False, report=replace(SOLVED, no_verdicts="check.py: does not compile\nline 1: error"))
    words = "No program gets a verdict by this package, so it cannot be published: check.py: does not compile$"
    with pytest.raises(UploadRefused, match=words):
        uploads.publish(upload, author, "The class begins in ten minutes.")
    assert not Problem.objects.exists()


@pytest.mark.parametrize(
    "columns",
    [
        {"status": Status.QUEUED},
        {"status": Status.JUDGING},
        {"digest": ""},
        {"report": None},
        {"discarded_at": timezone.now()},
        {"published_at": timezone.now()},
    ],
)
def test_what_is_not_verified_or_decided_is_not_published(
    verified: UploadMaker, author: User, columns: dict[str, object]
) -> None:
    with pytest.raises(UploadRefused):
        uploads.publish(verified(**columns), author, "because")
    assert not Problem.objects.exists()


def test_name_of_somebody_elses_problem_is_refused(verified: UploadMaker, author: User) -> None:
    Problem.objects.create(slug="double", title="Theirs", owner=User.objects.create_user("bob"))
    with pytest.raises(UploadRefused, match="double is the name of a problem of somebody else"):
        uploads.publish(verified(), author)


def test_replacing_makes_the_next_version_whatever_the_name(verified: UploadMaker, author: User) -> None:
    first = uploads.publish(verified(), author, slug="own")
    second = uploads.publish(verified({"data/secret/1.ans": "43\n"}, replaces=first.problem), author)
    assert (second.number, second.problem.slug) == (2, "own")


def test_problem_of_somebody_else_is_not_replaced(verified: UploadMaker, author: User) -> None:
    theirs = Problem.objects.create(slug="theirs", title="Theirs", owner=User.objects.create_user("bob"))
    with pytest.raises(UploadRefused, match="is not yours"):
        uploads.publish(verified(replaces=theirs), author)


@together
def test_two_who_publish_at_once_publish_once(verified: UploadMaker, author: User) -> None:
    upload = verified()
    start = threading.Barrier(2)
    refused: list[str] = []

    def run() -> None:
        start.wait()
        try:
            uploads.publish(upload, author)
        except UploadRefused as error:
            refused.append(str(error))
        connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["This upload is published already."]
    assert ProblemVersion.objects.count() == 1
