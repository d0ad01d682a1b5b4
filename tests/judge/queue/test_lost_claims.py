"""A claim is committed without waiting for the disk: what if the database forgets it."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from judge.models import Status, Submission
from judge.queue import leases
from judge.queue.leases import LeaseLost

MakeSubmission = Callable[..., Submission]


def setting() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW synchronous_commit")  # the tests' server has it off
        (value,) = cursor.fetchone()
    return str(value)


@pytest.mark.django_db(transaction=True)
def test_only_the_claim_is_committed_without_waiting_for_the_disk(make_submission: MakeSubmission) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO local")
    with CaptureQueriesContext(connection) as claiming:
        assert leases.claim(Submission.objects.filter(pk=make_submission().pk), "here/0") is not None
    assert any("set_config('synchronous_commit', 'off', true)" in query["sql"] for query in claiming.captured_queries)
    assert setting() == "local"
    connection.close()


@pytest.mark.django_db
def test_whose_claim_was_forgotten_writes_nothing_into_the_next_attempt(make_submission: MakeSubmission) -> None:
    submission = make_submission()
    rows = Submission.objects.filter(pk=submission.pk)
    forgotten = leases.claim(rows, "here/0")
    rows.update(status=Status.QUEUED, attempt=0, worker="", lease_until=None)
    lease = leases.claim(rows, "there/0")
    assert forgotten is not None
    assert lease is not None
    assert forgotten.attempt == lease.attempt
    with pytest.raises(LeaseLost), leases.fenced(forgotten):
        pass
    with leases.fenced(lease) as row:
        assert row.worker == "there/0"
