"""Submissions, their results and the queue as rows. The row is the truth; the broker only wakes workers up.

Written by `judge.submissions.records`, `judge.submissions.intake`, `judge.rejudging.rejudging`,
`judge.uploads.uploads`, `judge.uploads.package_gc`, `judge.uploads.importing`, `judge.submissions.comparisons`,
`judge.experiments.actions`, `judge.experiments.recording` and `judge.observability.counting` only; `Tally` by the
database itself, `Invitation` and `SignUp` by `web` (`web.signing_up`).
"""

from judge.models.assignments import Assignment, AssignmentQuerySet
from judge.models.comparisons import SharedComparison, SharedComparisonQuerySet, SharedSide
from judge.models.counts import Count
from judge.models.experiments import Experiment, ExperimentQuerySet, ExperimentRun, ExperimentRunQuerySet
from judge.models.invitations import Invitation, InvitationQuerySet, SignUp
from judge.models.judged import JudgedProgram, MeasuredCase
from judge.models.nodes import WithOverhead, WorkerNode, WorkerNodeQuerySet
from judge.models.queue import Precedence, QueuedWork, Status
from judge.models.rejudges import Rejudge, RejudgedCase, RejudgedSubmission, RejudgedSubmissionQuerySet
from judge.models.submissions import CaseRerun, RerunKind, Submission, SubmissionQuerySet, TestCaseResult
from judge.models.tallies import Tally
from judge.models.uploads import PackageUpload, PackageUploadQuerySet, UnwantedPackage, WhenClean

# all that workers take
KINDS: tuple[type[QueuedWork], ...] = (Submission, CaseRerun, PackageUpload, RejudgedSubmission, ExperimentRun)

__all__ = [
    "KINDS",
    "Assignment",
    "AssignmentQuerySet",
    "CaseRerun",
    "Count",
    "Experiment",
    "ExperimentQuerySet",
    "ExperimentRun",
    "ExperimentRunQuerySet",
    "Invitation",
    "InvitationQuerySet",
    "JudgedProgram",
    "MeasuredCase",
    "PackageUpload",
    "PackageUploadQuerySet",
    "Precedence",
    "QueuedWork",
    "Rejudge",
    "RejudgedCase",
    "RejudgedSubmission",
    "RejudgedSubmissionQuerySet",
    "RerunKind",
    "SharedComparison",
    "SharedComparisonQuerySet",
    "SharedSide",
    "SignUp",
    "Status",
    "Submission",
    "SubmissionQuerySet",
    "Tally",
    "TestCaseResult",
    "UnwantedPackage",
    "WhenClean",
    "WithOverhead",
    "WorkerNode",
    "WorkerNodeQuerySet",
]
