"""Experiments that people made, and the runs of all experiments.

Written by `judge.experiments.actions`, and by workers in `judge.experiments.recording`, only.
"""

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast
from django.utils.translation import gettext_noop

from judge.grading.experiment.results import RunMeasured, VariantFailed
from judge.grading.experiment.spec import Compared, ExperimentSpec
from judge.models.assignments import visible_problems
from judge.models.queue import UNFINISHED, QueuedWork
from problems.columns import RecordField
from problems.models import AuthorsQuerySet, ProblemVersion
from problems.roles import is_staff


class ExperimentQuerySet(AuthorsQuerySet["Experiment"]):
    """Sets of people's own experiments; who may manage one may change, publish and delete it."""

    def visible_to(self, user: object) -> "ExperimentQuerySet":
        """Return published experiments and the user's own; staff see all."""
        if is_staff(user):
            return self
        primary_key: int | None = getattr(user, "pk", None)
        return self.filter(models.Q(is_published=True) | models.Q(owner=primary_key, owner__isnull=False))


class Experiment(models.Model):
    """An experiment that somebody made. Those that ship with Tally are files in judge/grading/experiment/library."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    spec = RecordField(ExperimentSpec)
    is_published = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    changed_at = models.DateTimeField(auto_now=True)

    objects = ExperimentQuerySet.as_manager()

    def __str__(self) -> str:
        return f"experiment {self.pk}"

    @property
    def key(self) -> str:
        """The key under which its runs name it."""
        return f"own-{self.pk}"


class ExperimentRunQuerySet(models.QuerySet["ExperimentRun"]):
    """Sets of runs."""

    def readable_by(self, user: object) -> "ExperimentRunQuerySet":
        """Return the user's own runs and shared ones, of visible problems if on a test case; staff read all."""
        if is_staff(user):
            return self
        version = KeyTextTransform("version", KeyTransform("case", "spec"))
        visible = ProblemVersion.objects.filter(problem__in=visible_problems(user))
        is_on_nothing_hidden = models.Q(version=None) | models.Q(version__in=visible.values("pk"))
        primary_key: int | None = getattr(user, "pk", None)
        return self.alias(version=Cast(version, models.BigIntegerField())).filter(
            models.Q(is_on_nothing_hidden, is_shared=True) | models.Q(user=primary_key, user__isnull=False)
        )

    def owned_by(self, user: object) -> "ExperimentRunQuerySet":
        """Return the user's own runs: who started a run decides who else reads its sources."""
        return self.filter(user=getattr(user, "pk", None), user__isnull=False)

    def for_list(self) -> "ExperimentRunQuerySet":
        """Return the runs without programs and results, some MB each; with `title`, and `measured`: how many were."""
        number = models.Func("runs", function="jsonb_array_length", output_field=models.IntegerField())
        titled = self.annotate(title=KeyTextTransform("title", "spec"), measured=number)
        return titled.defer("spec", "runs", "failed")


class ExperimentRun(QueuedWork):
    """One run of an experiment, with all its measurements. `key` names the experiment.

    The keys: of a ready one its folder's name ("e1-leftover-print"), "own-<id>" of `Experiment`, "submissions" of a
    comparison of submissions.
    """

    TASK = "judge.run_experiment"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="experiment_runs")
    key = models.CharField(max_length=64)
    spec = RecordField(ExperimentSpec)  # as it was run, the sources included
    total_runs = models.PositiveIntegerField()
    runs = RecordField(tuple[RunMeasured, ...], default=list)  # in the order in which they were made
    failed = RecordField(tuple[VariantFailed, ...], default=list)
    toolchains = RecordField(dict[str, str], default=dict)  # by language, as they named themselves
    machine = RecordField(dict[str, Any], default=dict)  # what they ran on, in any words: results.describe
    compared = RecordField(Compared, null=True)  # of a comparison of submissions
    problem = models.CharField(max_length=300, blank=True)  # why it could not be carried out
    is_shared = models.BooleanField(default=False)  # everybody who is signed in may read it

    objects = ExperimentRunQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(fields=["key", "-id"], name="experiment_run_by_key"),
            models.Index(fields=["user", "-id"], name="experiment_run_by_user"),
            models.Index(fields=["status", "next_try_at"], name="experiment_unfinished", condition=UNFINISHED),
        ]

    def __str__(self) -> str:
        return f"run {self.pk} of {self.key}"

    @property
    def channel(self) -> str:
        return f"experiment:{self.pk}"

    def start_over(self) -> list[str]:
        """Forget what an earlier attempt measured: its worker may have been another machine."""
        return self.note(runs=(), failed=(), toolchains={}, machine={}, problem="")

    def give_up(self, why: str) -> None:
        """Say that it failed; the reason is in the worker's log."""
        self.problem = gettext_noop("This run failed because of an error of ours. Start it again in a moment.")
