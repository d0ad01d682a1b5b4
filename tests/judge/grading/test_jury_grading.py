"""What grading does for the setter's own submissions only: folders, all cases, slowness measured beyond the limit."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, GradingJob, ProfilePolicy
from judge.grading.submission.grading import grade
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package

FOLDERS = {
    "python": {
        "solve.py": "import rules\nprint(rules.total(input()))",
        "rules.py": "def total(s): return eval(s.replace(' ', '+'))",
    },
    "cpp": {
        "sum.cc": (
            '#include <iostream>\n#include "add.h"\n'
            "int main() { int a, b; std::cin >> a >> b; std::cout << add(a, b); }"
        ),
        "add.cpp": '#include "add.h"\nint add(int a, int b) { return a + b; }',
        "add.h": "int add(int a, int b);",
    },
    "rust": {
        "start.rs": (
            "mod add;\nfn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();"
            ' println!("{}", add::add(&s)); }'
        ),
        "add.rs": "pub fn add(s: &str) -> i64 { s.split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum() }",
    },
}


def verdicts(job: GradingJob, sandbox: NsjailSandbox, work_root: Path) -> list[CaseJudged]:
    return [event for event in grade(job, sandbox, work_root) if isinstance(event, CaseJudged)]


def job_of(package: Package, source: str) -> GradingJob:
    return GradingJob(package=package, language="python", source=source.encode(), profile=ProfilePolicy.NONE)


@pytest.mark.parametrize("language", FOLDERS)
def test_a_program_of_several_files_is_compiled_as_one(
    tmp_path: Path, language: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    files = tuple((name, source.encode()) for name, source in FOLDERS[language].items())
    job = replace(job_of(make_package(tmp_path), ""), language=language, source=files[0][1], files=files)
    assert [case.verdict.value for case in verdicts(job, sandbox, work_root)] == ["AC", "AC", "AC"]


def test_all_cases_are_run_when_asked(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    cases = {f"secret/{number}": ("1 2\n", "3\n") for number in range(4)}
    package = make_package(tmp_path, cases, limits=replace(LIMITS, time_limit_ms=50))
    job = job_of(package, "while True: pass")
    assert len(verdicts(job, sandbox, work_root)) == 2
    assert len(verdicts(replace(job, runs_all=True), sandbox, work_root)) == 4


def test_a_run_over_its_limit_goes_on_as_far_as_asked(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    limits = replace(LIMITS, time_limit_ms=200)
    package = make_package(tmp_path, {"secret/1": ("", "")}, limits=limits)
    job = job_of(package, "while True: pass")
    (usual,) = verdicts(job, sandbox, work_root)
    (longer,) = verdicts(replace(job, overrun_percent=100), sandbox, work_root)
    assert (usual.verdict.value, longer.verdict.value) == ("TLE", "TLE")
    assert usual.usage.cpu_time_us < 1.7 * limits.time_limit_ms * 1_000 < longer.usage.cpu_time_us
