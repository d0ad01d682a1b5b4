"""Workers with roles: who grades and who counts calls by name, and who wakes whom."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from judge.models import (
    CaseRerun,
    PackageUpload,
    QueuedWork,
    Status,
    Submission,
    TestCaseResult,
    WorkerNode,
    WorkerRole,
)
from judge.queue import capability, fairness, leases, wakeup
from judge.reruns.kinds import RerunKind
from problems.models import Problem
from sandbox.errors import MeterProblem, MeterStop

MakeSubmission = Callable[..., Submission]
MakeResult = Callable[[Submission], TestCaseResult]

pytestmark = pytest.mark.usefixtures("silent_wakeup")


def _worker(role: WorkerRole, **columns: object) -> WorkerNode:
    now = timezone.now()
    given = {"name": role.value, "started_at": now, "last_seen_at": now, "languages": {"python": "here"}, "role": role}
    return WorkerNode.objects.create(**{**given, **columns})


def _takes(kind: type[QueuedWork], name: str) -> list[int]:
    taken = iter(lambda: leases.claim(capability.judgeable(kind, name), f"{name}/0"), None)
    return [lease.id for lease in taken]


@pytest.fixture
def reruns(make_submission: MakeSubmission, make_result: MakeResult) -> dict[RerunKind, CaseRerun]:
    """One of each kind, all of one case."""
    case = make_result(make_submission(status=Status.DONE))
    return {kind: CaseRerun.objects.of(case, examination=kind) for kind in RerunKind}


def test_a_worker_takes_the_reruns_of_its_role(reruns: dict[RerunKind, CaseRerun]) -> None:
    for role in WorkerRole:
        _worker(role)
    others = [rerun.pk for kind, rerun in reruns.items() if kind is not RerunKind.PROFILE]
    assert _takes(CaseRerun, "profile") == [reruns[RerunKind.PROFILE].pk]
    assert _takes(CaseRerun, "grade") == others
    CaseRerun.objects.update(status=Status.QUEUED)
    assert _takes(CaseRerun, "both") == [rerun.pk for rerun in reruns.values()]


def test_who_only_counts_takes_nothing_else(make_submission: MakeSubmission, author: User) -> None:
    _worker(WorkerRole.PROFILE)
    submission, upload = make_submission(), PackageUpload.objects.create(owner=author, size=9)
    assert _takes(Submission, "profile") == _takes(PackageUpload, "profile") == []
    _worker(WorkerRole.GRADE)
    assert (_takes(Submission, "grade"), _takes(PackageUpload, "grade")) == ([submission.pk], [upload.pk])


def test_a_small_host_counts_what_large_ones_grade(reruns: dict[RerunKind, CaseRerun], problem: Problem) -> None:
    _worker(WorkerRole.PROFILE, cores=1)
    _worker(WorkerRole.GRADE, cores=8)
    problem.versions.update(cores=4)
    assert _takes(CaseRerun, "profile") == [reruns[RerunKind.PROFILE].pk]


def test_a_wake_up_reaches_a_worker_of_the_right_role(
    make_submission: MakeSubmission, reruns: dict[RerunKind, CaseRerun]
) -> None:
    _worker(WorkerRole.GRADE)
    _worker(WorkerRole.PROFILE)
    CaseRerun.objects.exclude(examination=RerunKind.PROFILE).delete()
    make_submission()
    capability.pass_on(CaseRerun, "grade")
    assert wakeup.unread_wakeups(node="profile") == 1
    capability.pass_on(Submission, "profile")
    assert wakeup.unread_wakeups(node="grade") == 1


def test_a_host_without_a_meter_leaves_counting_to_one_that_has_it(reruns: dict[RerunKind, CaseRerun]) -> None:
    _worker(WorkerRole.BOTH, name="blind", meter_reason=MeterProblem(code=MeterStop.NOT_ROOT))
    profile = reruns[RerunKind.PROFILE].pk
    _worker(WorkerRole.GRADE, name="sees, but does not count")
    assert profile in _takes(CaseRerun, "blind")  # nobody else could: it says why not
    CaseRerun.objects.update(status=Status.QUEUED)
    _worker(WorkerRole.PROFILE, name="sees")
    assert profile not in _takes(CaseRerun, "blind")
    assert _takes(CaseRerun, "sees") == [profile]


def test_only_who_grades_has_room_for_programs(db: None) -> None:
    _worker(WorkerRole.PROFILE, cores=64)
    _worker(WorkerRole.GRADE, cores=2)
    assert WorkerNode.objects.grading().largest().cores == 2
    assert [node.name for node in WorkerNode.objects.grading()] == ["grade"]
    assert [node.name for node in WorkerNode.objects.counting()] == ["profile"]


def test_counts_that_nobody_asked_for_are_overdue_after_a_while(reruns: dict[RerunKind, CaseRerun]) -> None:
    CaseRerun.objects.update(is_automatic=True)
    rows = CaseRerun.objects.filter(fairness.overdue_counts())
    assert not rows.exists()
    CaseRerun.objects.update(created_at=timezone.now() - 2 * fairness.COUNTS_WAIT)
    assert list(rows) == [reruns[RerunKind.PROFILE]]
    CaseRerun.objects.update(is_automatic=False)
    assert not rows.all().exists()  # it goes before others anyway
