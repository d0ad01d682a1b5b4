"""A rejudge's submissions judged without a worker: the events of a grading, written as a worker writes them."""

from judge.grading.events import CaseJudged, CompileFinished, GradingFinished
from judge.grading.verdicts import Verdict
from judge.models import Rejudge, RejudgedSubmission, Submission, TestCaseResult
from judge.submissions import records
from judge.submissions.records import GradingRecord
from sandbox.types import IoProfile, Usage

WORKER = "tally@test/0"


def claimed(rejudged: RejudgedSubmission) -> GradingRecord[RejudgedSubmission]:
    """The record of an attempt that has just begun."""
    lease = records.claim(RejudgedSubmission.objects.filter(pk=rejudged.pk), WORKER)
    assert lease is not None
    return GradingRecord(lease)


def judge(rejudged: RejudgedSubmission, verdict: Verdict, *, score: float | None = None, user_time_us: int = 7) -> None:
    """Let one submission of a rejudge come to this verdict, in one test case of this CPU time."""
    record = claimed(rejudged)
    record.write(CompileFinished(ok=True, message="ok", wall_time_us=5, toolchain="Python 3", cases=1))
    record.write(
        CaseJudged(
            name="secret/1",
            is_sample=False,
            verdict=verdict,
            usage=Usage(user_time_us=user_time_us, wall_time_us=9, peak_memory_bytes=4_096),
            io=IoProfile(),
            exit_code=0,
            signal=None,
            stdout_bytes=2,
            stderr_bytes=0,
            judge_message="said by the checker",
        )
    )
    record.write(GradingFinished(verdict=verdict, explanation=(), score=score))


def judge_all(rejudge: Rejudge, verdict: Verdict) -> None:
    """Let every submission of a rejudge come to this verdict."""
    for rejudged in rejudge.submissions.unfinished():
        judge(rejudged, verdict)


def everything() -> list[object]:
    """All that pages, lists, counts and exports of students read."""
    return [*Submission.objects.order_by("pk").values(), *TestCaseResult.objects.order_by("pk").values()]
