"""How long a queued submission waits: by turns, and by what the newest judged ones took."""

from datetime import timedelta

import pytest
from django.utils import timezone

from judge.models import Status, Submission, WorkerNode
from judge.queue import waiting

from .conftest import SubmissionMaker

pytestmark = pytest.mark.django_db


def test_those_ahead_are_counted_by_turn_and_then_by_number(make_submission: SubmissionMaker) -> None:
    first, second, third = make_submission(turn=1), make_submission(turn=0), make_submission(turn=1)
    assert [waiting.submissions_ahead(each) for each in (first, second, third)] == [1, 0, 2]


def test_wait_follows_what_the_newest_took_and_how_many_are_judged_at_once(make_submission: SubmissionMaker) -> None:
    assert waiting.expected_wait_s(3) is None, "nothing is known yet"
    now = timezone.now()
    for _ in range(5):
        make_submission(status=Status.DONE, verdict="AC", started_at=now - timedelta(seconds=4), finished_at=now)
    assert waiting.expected_wait_s(3) == pytest.approx(12)
    WorkerNode.objects.create(name="w", started_at=now, last_seen_at=now, processes=2)
    assert waiting.expected_wait_s(3) == pytest.approx(6)
    assert Submission.objects.count() == 5
