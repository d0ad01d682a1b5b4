"""Turn submissions into an experiment: the same programs on one test case, alternating on the same core."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from judge.grading.experiment.checks import CPU_TIME_MS, MOST_CPU_S
from judge.grading.experiment.spec import CaseRef, ExperimentSpec, RunSettings, Variant
from judge.grading.languages import LANGUAGES
from judge.models import Submission
from problems.models import ProblemVersion

LEAST_ROUNDS, MOST_ROUNDS = 5, 20


class NotRepeatable(Exception):
    """Why these are not run again, as a sentence in the reader's language."""


def most_rounds(submissions: Sequence[Submission]) -> int:
    """Return the maximum of rounds if every run takes as long as it may; less than LEAST_ROUNDS: none."""
    limit_ms = newest_version(submissions).time_limit_ms
    return min(MOST_ROUNDS, MOST_CPU_S * 1_000 // (len(submissions) * limit_ms))


def interleaved_spec(submissions: Sequence[Submission], case: str, rounds: int) -> ExperimentSpec:
    """Return the experiment, under the newest judging version's limits. Raises NotRepeatable."""
    version = newest_version(submissions)
    listed = ", ".join(str(submission.pk) for submission in submissions)
    return ExperimentSpec(
        title=f"Submissions {listed} to {version.title}"[:200],
        question=f"What do they take on {case}, run in turns?",
        variants=tuple(map(_variant, submissions)),
        destinations=(version.stdout,),
        case=CaseRef(version=version.pk, case=case),
        rounds=rounds,
        settings=_settings(version),
    )


def newest_version(submissions: Sequence[Submission]) -> ProblemVersion:
    """Return the newest version that judged any of them."""
    return max((submission.problem_version for submission in submissions), key=lambda version: version.number)


def _variant(submission: Submission) -> Variant:
    try:
        source = bytes(submission.source).decode()
    except UnicodeDecodeError:
        raise NotRepeatable(
            _("The source of submission %(number)s is not valid UTF-8, so it cannot be run again as it is.")
            % {"number": submission.pk}
        ) from None
    name = f"#{submission.pk} {LANGUAGES[submission.language].name.partition(' (')[0]}"
    return Variant(name=name, language=submission.language, source=source, submission=submission.pk)


def _settings(version: ProblemVersion) -> RunSettings:
    """Return the settings; missing ones are the problem's, such as a limit that no spec may have."""
    least, most = CPU_TIME_MS
    if not least <= version.time_limit_ms <= most:
        return RunSettings()
    return RunSettings(cpu_time_ms=version.time_limit_ms)
