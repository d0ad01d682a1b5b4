"""Which file of a job is the student's: its lines are those that pages name."""

from judge.grading.events import GradingJob
from judge.grading.languages import file_name, language_by_id


def students_file(job: GradingJob) -> str:
    """Return the file whose lines count; of several files it is the one shown."""
    expected = job.package.submitted.get(job.language)
    return job.files[0][0] if job.files else file_name(language_by_id(job.language), job.file_name, expected)
