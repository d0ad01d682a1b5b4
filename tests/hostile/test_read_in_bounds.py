"""Programs made to burden whoever reads what they leave: the rerun that samples their CPU time ends, and the process
that asked for it has hardly anything to do.
"""

import resource
import time
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from judge.grading.bounded import read_source, reader_in
from judge.grading.events import GradingJob, LineTimes, RerunEnded
from judge.grading.languages import LANGUAGES, language_of_file
from judge.grading.reruns.line_times import measure_line_times
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package
from web.presentation.sources import source_lines

CASES = Path(__file__).with_name("cases")
SAMPLED = [
    "found_t3_01_line_table_bignum.py",
    "found_t3_02_file_names_of_code.py",
    "found_t3_03_cfi_burn.cpp",
    "found_t3_04_map_storm.cpp",
    "found_t3_06_lines_forged_by_name.cpp",
]
HONEST = b"def main():\n    while True:\n        pass\nmain()\n"
LIMIT_MS = 1_000
MOST_MIB = 64  # that reading any of them may add to this process


@pytest.fixture(scope="module")
def sandbox() -> NsjailSandbox:
    return NsjailSandbox(settings.WORK_DIR)


def sample(sandbox: NsjailSandbox, folder: Path, language: str, source: bytes) -> tuple[RerunEnded[LineTimes], float]:
    """Sample a program on a case, and return the CPU time in seconds that this process itself used for it."""
    package = make_package(folder, {"secret/1": ("1\n", "1\n")})
    package = replace(package, limits=replace(LIMITS, time_limit_ms=LIMIT_MS))
    job = GradingJob(package=package, language=language, source=source, cpu=0, judged_wall_us=LIMIT_MS * 1_000)
    begun = time.process_time()
    event = measure_line_times(job, "secret/1", sandbox, settings.WORK_DIR)
    return event, time.process_time() - begun


@pytest.mark.each
@pytest.mark.parametrize("file", SAMPLED)
def test_sampling_a_hostile_program_costs_the_worker_no_more_than_an_honest_one(
    file: str, sandbox: NsjailSandbox, tmp_path: Path
) -> None:
    language = language_of_file(file)
    assert language is not None
    honest, usual_s = sample(sandbox, tmp_path / "honest", "python", HONEST)
    assert honest.result is not None
    before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    event, own_s = sample(sandbox, tmp_path / "hostile", language.id, (CASES / file).read_bytes())
    assert (event.result is None) == bool(event.problem)
    assert own_s < max(5 * usual_s, LIMIT_MS / 1_000)  # the program itself used more
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib < MOST_MIB * 1_024


def test_a_source_made_to_stall_a_highlighter_is_shown(sandbox: NsjailSandbox) -> None:
    source = (CASES / "found_t3_08_raw_strings.cpp").read_bytes()
    read = read_source(reader_in(sandbox, settings.WORK_DIR), source, LANGUAGES["cpp"])
    lines = source_lines(source.decode(), str(list(read.tokens)) if read.tokens else "")
    assert len(lines) == source.count(b"\n")
    assert any("found_t3_08" in line for line in lines)
