"""The tokens of a source: read while it is graded if nobody waits, else when the queue is empty."""

from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.bounded import reader_in
from judge.models import Status, Submission
from judge.submissions import records
from sandbox.image.reading import Reader
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.conftest import SubmissionMaker

pytestmark = pytest.mark.jail


@pytest.fixture
def idle_reader() -> Reader:
    work_root: Path = settings.WORK_DIR
    return reader_in(NsjailSandbox(work_root), work_root)


def done(make_submission: SubmissionMaker, source: bytes) -> Submission:
    submission = make_submission(source=source)
    Submission.objects.filter(pk=submission.pk).update(status=Status.DONE)
    return submission


def test_sources_that_nobody_has_read_are_read_once(make_submission: SubmissionMaker, idle_reader: Reader) -> None:
    submission = done(make_submission, b"x = 1\n")
    empty = done(make_submission, b"\xff\xfe" * 20)
    queued = make_submission(source=b"y = 2\n")
    assert records.read_left_out(idle_reader, lambda: True) == 2
    tokens = {row.pk: row.tokens for row in Submission.objects.all()}
    assert tokens == {submission.pk: "[4,1,2]", empty.pk: "", queued.pk: None}
    assert records.read_left_out(idle_reader, lambda: True) == 0


def test_nothing_is_read_while_somebody_waits(make_submission: SubmissionMaker, idle_reader: Reader) -> None:
    first, second = done(make_submission, b"x = 1\n"), done(make_submission, b"x = 2\n")
    looks: list[None] = []

    def is_idle() -> bool:
        looks.append(None)
        return len(looks) == 1

    assert records.read_left_out(idle_reader, is_idle) == 1
    tokens = {row.pk: row.tokens for row in Submission.objects.all()}
    assert tokens == {first.pk: None, second.pk: "[4,1,2]"}  # the newest first: somebody looks at it
