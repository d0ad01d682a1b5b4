"""Submissions, their results and the queue as rows. The row is the truth, the broker is a doorbell.

Written by `judge.records`, `judge.intake` and `judge.rejudging` only.
"""

from judge.models.judged import JudgedProgram, MeasuredCase
from judge.models.nodes import WithOverhead, WorkerNode, WorkerNodeQuerySet
from judge.models.queue import Precedence, QueuedWork, Status
from judge.models.rejudges import Rejudge, RejudgedCase, RejudgedSubmission, RejudgedSubmissionQuerySet
from judge.models.submissions import ProfileRequest, Submission, SubmissionQuerySet, TestCaseResult

KINDS: tuple[type[QueuedWork], ...] = (Submission, ProfileRequest, RejudgedSubmission)  # all that workers take

__all__ = [
    "KINDS",
    "JudgedProgram",
    "MeasuredCase",
    "Precedence",
    "ProfileRequest",
    "QueuedWork",
    "Rejudge",
    "RejudgedCase",
    "RejudgedSubmission",
    "RejudgedSubmissionQuerySet",
    "Status",
    "Submission",
    "SubmissionQuerySet",
    "TestCaseResult",
    "WithOverhead",
    "WorkerNode",
    "WorkerNodeQuerySet",
]
