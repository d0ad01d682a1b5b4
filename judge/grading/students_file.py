"""Which file of a job is the student's: its lines are those that pages name."""

from judge.grading.events import GradingJob
from judge.grading.languages import language_by_id


def students_file(job: GradingJob) -> str:
    """Return the file whose lines count; of several files it is the one shown."""
    return job.files[0][0] if job.files else language_by_id(job.language).source_name


def is_replaced(job: GradingJob) -> bool:
    """Return whether a file of the package's own stands in the place of the student's, so that no line is theirs."""
    return students_file(job) in dict(job.package.included.get(job.language, ()))
