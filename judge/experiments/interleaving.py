"""Turn submissions into an experiment: the same programs on one test case, alternating on the same core.

Where one of them was over the time limit on the case, all get more time, as a rerun with output buffered does: the
ratio of a stopped run to a whole one says nothing. One that is stopped all the same takes at least so much.
"""

from collections.abc import Sequence

from django.db.models import F, Q
from django.utils.translation import gettext as _, gettext_noop

from judge.grading.experiment.checks import MOST_CPU_S
from judge.grading.experiment.spec import CaseRef, Compared, ExperimentSpec, Variant
from judge.grading.languages import LANGUAGES
from judge.grading.running.execution import patient_time_ms
from judge.grading.verdicts import Verdict
from judge.models import Submission, TestCaseResult
from problems.models import ProblemVersion

LEAST_ROUNDS, MOST_ROUNDS = 5, 20
# the texts of its spec in English; pages make them of what is compared
TITLE = gettext_noop("Submissions %(submissions)s to %(problem)s")
QUESTION = gettext_noop("What do they take on %(case)s, run in turns?")
_LONGEST_MS = 10_000  # of a run with more time than the limit: less than of a single rerun, since there are many


class NotRepeatable(Exception):
    """Why these are not run again, as a sentence in the reader's language."""


def most_rounds(submissions: Sequence[Submission]) -> int:
    """Return the maximum of rounds on any case if every run takes as long as it may; less than LEAST_ROUNDS: none."""
    return min(MOST_ROUNDS, MOST_CPU_S * 1_000 // (len(submissions) * _cpu_time_ms(submissions, Q())))


def most_time_ms(version: ProblemVersion) -> int:
    """Return the most CPU time that a run on a case of this version may have."""
    return patient_time_ms(version.time_limit_ms, _LONGEST_MS)


def interleaved_spec(submissions: Sequence[Submission], case: str, rounds: int) -> ExperimentSpec:
    """Return the experiment, under the newest judging version's limits. Raises NotRepeatable."""
    version = newest_version(submissions)
    compared = compared_on(submissions, case)
    return ExperimentSpec(
        title=(TITLE % values_of(compared))[:200],
        question=QUESTION % values_of(compared),
        variants=tuple(map(_variant, submissions)),
        destinations=(version.stdout,),
        case=CaseRef(version=version.pk, case=case, cpu_time_ms=_cpu_time_ms(submissions, Q(name=case))),
        rounds=rounds,
    )


def compared_on(submissions: Sequence[Submission], case: str) -> Compared:
    """Return what the comparison compares, for the texts of its run."""
    numbers = tuple(submission.pk for submission in submissions)
    return Compared(submissions=numbers, problem=newest_version(submissions).title, case=case)


def values_of(compared: Compared) -> dict[str, str]:
    """Return the values of TITLE and QUESTION."""
    listed = ", ".join(map(str, compared.submissions))
    return {"submissions": listed, "problem": compared.problem, "case": compared.case}


def newest_version(submissions: Sequence[Submission]) -> ProblemVersion:
    """Return the newest version that judged any of them."""
    return max((submission.problem_version for submission in submissions), key=lambda version: version.number)


def _variant(submission: Submission) -> Variant:
    try:
        source = bytes(submission.source).decode()
    except UnicodeDecodeError:
        why = _("The source of submission %(number)s is not valid UTF-8, so it cannot be run again as it is.")
        raise NotRepeatable(why % {"number": submission.pk}) from None
    name = f"#{submission.pk} {LANGUAGES[submission.language].name.partition(' (')[0]}"
    return Variant(name=name, language=submission.language, source=source, submission=submission.pk)


def _cpu_time_ms(submissions: Sequence[Submission], cases: Q) -> int:
    """Return the CPU time of a run on these cases: the limit, or more where one of the submissions was over it."""
    version = newest_version(submissions)
    judged = TestCaseResult.objects.filter(cases, submission__in=submissions, attempt=F("submission__attempt"))
    timed = judged.alias(taken_us=F("user_time_us") + F("system_time_us"))
    over = timed.filter(Q(verdict=Verdict.TLE) | Q(taken_us__gt=version.time_limit_ms * 1_000))
    return most_time_ms(version) if over.exists() else version.time_limit_ms
