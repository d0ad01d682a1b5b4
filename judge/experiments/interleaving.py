"""Turn submissions into an experiment: the same programs on one test case, alternating on the same core.

Where one of them was stopped at the time limit, all get more time, as a rerun with output buffered does: the ratio of a
stopped run to a whole one says nothing.
"""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from judge.grading.experiment.checks import CPU_TIME_MS, MOST_CPU_S
from judge.grading.experiment.spec import CaseRef, ExperimentSpec, RunSettings, Variant
from judge.grading.languages import LANGUAGES
from judge.models import Submission
from problems.models import ProblemVersion

LEAST_ROUNDS, MOST_ROUNDS = 5, 20
_TIME_FACTOR = 10  # so many times the limit, where one was stopped at it
_LONGEST_MS = 8_000  # but no more than this for a run, since there are many


class NotRepeatable(Exception):
    """Why these are not run again, as a sentence in the reader's language."""


def most_rounds(submissions: Sequence[Submission]) -> int:
    """Return the maximum of rounds if every run takes as long as it may; less than LEAST_ROUNDS: none."""
    return min(MOST_ROUNDS, MOST_CPU_S * 1_000 // (len(submissions) * _cpu_time_ms(submissions)))


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
        settings=_settings(_cpu_time_ms(submissions)),
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


def _cpu_time_ms(submissions: Sequence[Submission]) -> int:
    """Return the CPU time that a run may take: the limit, or more where it stopped one of them."""
    limit_ms = newest_version(submissions).time_limit_ms
    slowest_us = max(submission.max_cpu_time_us or 0 for submission in submissions)
    if slowest_us <= limit_ms * 1_000:
        return limit_ms
    return max(limit_ms, min(limit_ms * _TIME_FACTOR, _LONGEST_MS))


def _settings(cpu_time_ms: int) -> RunSettings:
    """Return the settings; missing ones are the problem's, such as a limit that no spec may have."""
    least, most = CPU_TIME_MS
    if not least <= cpu_time_ms <= most:
        return RunSettings()
    return RunSettings(cpu_time_ms=cpu_time_ms)
