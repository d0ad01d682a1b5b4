"""The read calls of an empty program, which a page takes from those of a case in words."""

from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, GradingJob, ProfilePolicy
from judge.grading.languages import LANGUAGES
from judge.grading.submission.grading import grade
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import make_package

EMPTY = {"cpp": "int main() {}", "rust": "fn main() {}", "python": "pass"}


@pytest.mark.jail
@pytest.mark.each
@pytest.mark.parametrize("language", LANGUAGES)
def test_about_so_many_reads_load_an_empty_program(
    language: str, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, {"sample/1": ("", "1\n")})
    job = GradingJob(
        package=package, language=language, source=EMPTY[language].encode(), cpu=0, profile=ProfilePolicy.NONE
    )
    (case,) = (event for event in grade(job, sandbox, work_root) if isinstance(event, CaseJudged))
    told = LANGUAGES[language].start_reads
    assert told / 2 <= case.io.read_calls <= told * 2
