"""Experiments as rows: people's own, and each time that one is run. A worker's part: `judge.experiments.recording`.

Whoever is signed in may run an experiment, the variants changed as one likes; making and publishing one is for those
who may publish problems. A run on a test case is made of submissions only that its user may read, as they were sent:
anything else would read numbers off a hidden case that no submission has.
"""

from dataclasses import replace
from functools import partial

from django.contrib.auth.models import AbstractBaseUser
from django.db import transaction
from django.utils.translation import gettext as _, ngettext

from judge.experiments.interleaving import most_time_ms
from judge.grading import languages
from judge.grading.experiment.checks import check
from judge.grading.experiment.spec import Compared, ExperimentSpec, RunSettings, SpecError
from judge.grading.words import time_limit
from judge.models import Experiment, ExperimentRun, Status, Submission
from judge.queue import fairness, wakeup
from judge.submissions import intake
from judge.submissions.intake import IntakeRefused
from problems.models import ProblemVersion
from problems.roles import may_publish
from problems.translation import Sentence

MOST_UNFINISHED = 2  # runs of one person
KEPT_RUNS = 100  # of one person, the latest; and as many that are shared
SUBMISSIONS = "submissions"  # the key of a comparison of submissions


def start(
    user: AbstractBaseUser,
    spec: ExperimentSpec,
    key: str,
    *,
    base: ExperimentSpec | None = None,
    compared: Compared | None = None,
) -> ExperimentRun:
    """Take a run into the queue and notify workers after the commit; the oldest of many goes. Raises IntakeRefused.

    What was just sent is not taken twice: its row is returned. `base`: the experiment that it is, or is a change of;
    None: of none, and the usual settings are meant.
    `compared`: of a comparison of submissions.
    """
    try:
        check(spec)
    except SpecError as error:
        refusal = _("This experiment cannot be run: %(errors)s.") % {"errors": error.translated()}
        raise IntakeRefused(refusal, "spec") from error
    _check_share_of_host(user, spec.settings, base.settings if base else RunSettings())
    offered = {language.id for language in intake.offer().languages}
    if missing := next((variant.language for variant in spec.variants if variant.language not in offered), None):
        name = languages.LANGUAGES[missing].name
        raise IntakeRefused(_("This judge cannot run %(language)s at the moment.") % {"language": name}, "language")
    _check_case(user, spec)
    columns = {"key": key, "spec": spec}
    with transaction.atomic():
        intake.hold(user)
        unfinished = ExperimentRun.objects.filter(user=user.pk).exclude(status=Status.DONE)  # else it is run again
        if sent := intake.sent_before(unfinished, **columns):
            return sent
        intake.check_in_flight(user)
        _check_unfinished(user)
        # delete the oldest runs that are not shared: each run holds its sources and input
        own = ExperimentRun.objects.filter(user=user.pk, status=Status.DONE, is_shared=False).order_by("-pk")
        ExperimentRun.objects.filter(pk__in=list(own.values_list("pk", flat=True)[KEPT_RUNS - 1 :])).delete()
        run = ExperimentRun(user_id=user.pk, total_runs=spec.total_runs, compared=compared, **columns)
        fairness.take_turn(run)
        run.save()
        transaction.on_commit(partial(wakeup.notify, run))
    return run


def share(run: ExperimentRun, user: AbstractBaseUser) -> None:
    """Let everybody who is signed in read it, the sources included. Raises IntakeRefused."""
    _check_is_own(run, user)
    ids = {variant.submission for variant in run.spec.variants if variant.submission}
    if Submission.objects.filter(pk__in=ids).exclude(user=run.user_id).exists():
        raise IntakeRefused(_("This run holds submissions of others, so it cannot be shared."), "others")
    if ExperimentRun.objects.filter(user=run.user_id, is_shared=True).count() >= KEPT_RUNS:
        refusal = ngettext(
            "%(number)s run is shared already, which is as many as one person may.",
            "%(number)s runs are shared already, which is as many as one person may.",
            KEPT_RUNS,
        )
        raise IntakeRefused(refusal % {"number": KEPT_RUNS}, "many")
    run.is_shared = True
    run.save(update_fields=["is_shared"])


def unshare(run: ExperimentRun, user: AbstractBaseUser) -> None:
    """Let nobody but its owner and staff read it any more. Raises IntakeRefused."""
    _check_is_own(run, user)
    run.is_shared = False
    run.save(update_fields=["is_shared"])


def save_experiment(user: AbstractBaseUser, spec: ExperimentSpec, experiment: Experiment | None = None) -> Experiment:
    """Keep an experiment of the user's own, or a change of one. Raises SpecError, IntakeRefused."""
    if experiment is not None:
        _check_may_change(user, experiment)
    elif not may_publish(user):
        raise IntakeRefused(_("Only those who may publish problems may make experiments."), "permission")
    check(spec)
    if spec.case is not None:
        raise SpecError({"case": Sentence("must be empty: an experiment of one's own brings its input")})
    own = replace(spec, variants=tuple(replace(variant, submission=None) for variant in spec.variants))
    if experiment is None:
        return Experiment.objects.create(owner_id=user.pk, spec=own)
    experiment.spec = own
    experiment.save(update_fields=["spec", "changed_at"])
    return experiment


def publish(experiment: Experiment, user: AbstractBaseUser, *, is_published: bool = True) -> None:
    """Let everybody see and run it, or nobody but its owner any more. Raises IntakeRefused."""
    _check_may_change(user, experiment)
    experiment.is_published = is_published
    experiment.save(update_fields=["is_published"])


def delete(experiment: Experiment, user: AbstractBaseUser) -> None:
    """Remove it; the runs that were made of it stay their users'. Raises IntakeRefused."""
    _check_may_change(user, experiment)
    experiment.delete()


def _check_may_change(user: AbstractBaseUser, experiment: Experiment) -> None:
    if not Experiment.objects.manageable_by(user).filter(pk=experiment.pk).exists():
        raise IntakeRefused(_("There is no such experiment of yours."), "permission")


def _check_is_own(run: ExperimentRun, user: AbstractBaseUser) -> None:
    if not ExperimentRun.objects.owned_by(user).filter(pk=run.pk).exists():
        raise IntakeRefused(_("There is no such run."), "run")


def _check_share_of_host(user: AbstractBaseUser, requested: RunSettings, base: RunSettings) -> None:
    """Refuse more cores than the original's except to makers: submissions are judged on the others meanwhile."""
    if not may_publish(user) and (requested.cores > base.cores or requested.processes > base.processes):
        refusal = _(
            "A change may use as many cores and processes as the experiment itself, %(cores)s and %(processes)s,"
            " and no more."
        )
        raise IntakeRefused(refusal % {"cores": base.cores, "processes": base.processes}, "share")


def _check_case(user: AbstractBaseUser, spec: ExperimentSpec) -> None:
    """Refuse a test case unless all variants are submissions, unchanged, of the version that has it."""
    if spec.case is None:
        return
    version = ProblemVersion.objects.filter(pk=spec.case.version).first()
    readable = Submission.objects.readable_by(user).filter(problem=version.problem_id if version else None)
    by_id = readable.in_bulk([variant.submission for variant in spec.variants])
    for variant in spec.variants:
        submission = by_id.get(variant.submission or 0)
        sent = (variant.language, variant.source)
        if submission is None or (submission.language, submission.source_text) != sent:
            refusal = _("Only submissions that you may read, as they were sent, can be run on a test case.")
            raise IntakeRefused(refusal, "case")
        try:
            bytes(submission.source).decode()
        except UnicodeDecodeError:
            refusal = _("The source of submission %(number)s is not UTF-8, so it cannot be kept here.")
            raise IntakeRefused(refusal % {"number": submission.pk}, "utf8") from None
    if version is not None and spec.case.cpu_time_ms > most_time_ms(version):
        refusal = _("A run on this test case may take at most %(most)s of CPU time.")
        raise IntakeRefused(refusal % {"most": time_limit(most_time_ms(version))}, "time")
    if version is None or version.pk not in {submission.problem_version_id for submission in by_id.values()}:
        raise IntakeRefused(_("None of these submissions was judged on this test case."), "case")


def _check_unfinished(user: AbstractBaseUser) -> None:
    unfinished = ExperimentRun.objects.filter(user=user.pk).exclude(status=Status.DONE).count()
    if unfinished >= MOST_UNFINISHED:
        refusal = ngettext(
            "You have %(number)s experiment waiting or running, which is as many as one person may have at once."
            " Start this one when it is done.",
            "You have %(number)s experiments waiting or running, which is as many as one person may have at once."
            " Start this one when one of them is done.",
            unfinished,
        )
        raise IntakeRefused(refusal % {"number": unfinished}, "busy")
