"""Submissions, their results and the queue as rows. The row is the truth; the broker only wakes workers up.

Written by `judge.submissions.records`, `judge.submissions.intake`, `judge.rejudging.rejudging`,
`judge.uploads.uploads`, `judge.uploads.importing`, `judge.submissions.comparisons`,
`judge.experiments.actions`, `judge.experiments.recording`, `judge.custom_runs`, `judge.retention`,
`judge.removal` and `judge.observability.counting` only; `Tally` by the database itself, `Invitation` and
`SignUp` by `web.identity.signing_up`, `Preferences` by `web.views.account.page`.
"""

from judge.models.assignments import Assignment, AssignmentQuerySet, ExplanationLevel, RemovedStudent, ReplacedLink
from judge.models.comparisons import SharedComparison, SharedComparisonQuerySet, SharedSide
from judge.models.counts import Count, Tally
from judge.models.custom_runs import CustomRun, CustomRunCase, CustomRunQuerySet
from judge.models.experiments import Experiment, ExperimentQuerySet, ExperimentRun, ExperimentRunQuerySet
from judge.models.invitations import Invitation, InvitationQuerySet, SignUp
from judge.models.judged import JudgedProgram, MeasuredCase, SentSource
from judge.models.nodes import WorkerNode, WorkerRole
from judge.models.preferences import Preferences
from judge.models.queue import QueuedWork, Share, Status
from judge.models.rejudges import Rejudge, RejudgedCase, RejudgedSubmission, RejudgedSubmissionQuerySet
from judge.models.removals import Removal
from judge.models.submissions import CaseRerun, ExpiredResults, Submission, SubmissionQuerySet, TestCaseResult
from judge.models.uploads import PackageUpload, PackageUploadQuerySet, UnwantedPackage, WhenClean

# all that workers take
KINDS: tuple[type[QueuedWork], ...] = (
    Submission,
    CaseRerun,
    CustomRun,
    PackageUpload,
    RejudgedSubmission,
    ExperimentRun,
)
