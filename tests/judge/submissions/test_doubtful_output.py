"""A wrong output that a buffer may have changed: judged, run again without one and explained by the queue's tasks."""

import pytest

from judge.models import CaseRerun, Status, Submission
from judge.reruns.kinds import RerunKind
from judge.workers import tasks
from tests.judge.submissions.test_late_evidence import Judge, judge, problem  # noqa: F401  # fixtures

pytestmark = [pytest.mark.jail, pytest.mark.usefixtures("silent_wakeup", "living_worker")]
LOSES = b"import os\nprint(sum(map(int, input().split())))\nos._exit(0)\n"
PRINTS_NOTHING = b"import os\ninput()\nprint(end='')\nos._exit(0)\n"


def carry_out(submission: Submission) -> CaseRerun:
    request = CaseRerun.objects.get(result__submission=submission, examination=RerunKind.TWIN)
    assert request.is_automatic
    tasks.examine_case.apply(args=[request.pk], throw=True)
    request.refresh_from_db()
    submission.refresh_from_db()
    assert (request.status, request.problem) == (Status.DONE, "")
    return request


def test_the_twin_comes_by_itself_and_proves_what_was_lost(judge: Judge) -> None:  # noqa: F811  # the fixture
    submission = judge(LOSES)
    assert (submission.verdict, submission.cause) == ("WA", "lost-buffer")
    (before,) = (finding for finding in submission.explanation if finding.code == "lost-buffer")
    assert "change" not in before.evidence
    carry_out(submission)
    (after,) = (finding for finding in submission.explanation if finding.code == "lost-buffer")
    assert (after.evidence["change"], after.evidence["is_right"], after.lines) == ("lost", True, (3,))
    assert submission.cause == "lost-buffer"


def test_the_twin_takes_back_what_it_disproves(judge: Judge) -> None:  # noqa: F811  # the fixture
    submission = judge(PRINTS_NOTHING)
    assert submission.cause == "lost-buffer"
    carry_out(submission)
    assert submission.cause == ""
    assert "lost-buffer" not in {finding.code for finding in submission.explanation}


def test_a_program_that_only_prints_something_else_is_not_run_again(judge: Judge) -> None:  # noqa: F811  # the fixture
    assert judge(b"print(1)\n").verdict == "WA"
    assert not CaseRerun.objects.exists()
