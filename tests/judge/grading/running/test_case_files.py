"""What a test case and a package bring for the program: arguments, files, code; and what its stdout is."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import CaseJudged, CaseProfiled as Profiled, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.running.execution import core_shortage
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package, with_included

INTERACTOR = "import sys\nprint(1, flush=True)\nsys.exit(42 if sys.stdin.read().split() == ['a b', 'one'] else 43)"


def judged(
    package: Package,
    source: str,
    sandbox: NsjailSandbox,
    work_root: Path,
    language: str = "python",
    profile: ProfilePolicy = ProfilePolicy.NONE,
) -> tuple[GradingFinished, list[CaseJudged], list[Profiled]]:
    job = GradingJob(package=package, language=language, source=source.encode(), profile=profile, cpu=0)
    *events, finished = grade(job, sandbox, work_root)
    assert isinstance(finished, GradingFinished)
    cases = [event for event in events if isinstance(event, CaseJudged)]
    return finished, cases, [event for event in events if isinstance(event, Profiled)]


def with_files(folder: Path, *, is_interactive: bool = False) -> Package:
    """A package whose first case has an argument and a file, the second another file of that name, the third none."""
    cases = {"sample/1": ("", "a b one\n"), "secret/1": ("", "two\n"), "secret/2": ("", "none\n")}
    validator = ("talk.py", INTERACTOR.replace("['a b', 'one']", "['a', 'b', 'one']")) if is_interactive else None
    package = make_package(folder, cases, validator=validator, is_interactive=is_interactive)
    for name, content in (("1", "one"), ("2", "two")):
        (folder / name).write_text(content)
        (folder / name).chmod(0o600)
    first, second, third = package.test_cases
    first = replace(first, args=("a b",), files=(("data.txt", folder / "1"),))
    second = replace(second, files=(("data.txt", folder / "2"), ("more", folder / "1")))
    return replace(package, test_cases=(first, second, third) if not is_interactive else (first,))


READS = """
import os, sys
files = os.listdir()
print(*sys.argv[1:], open("data.txt").read() if files else "none")
"""


def test_the_program_finds_its_arguments_and_its_files(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    finished, cases, _ = judged(with_files(tmp_path), READS, sandbox, work_root)
    assert [case.verdict.value for case in cases] == ["AC", "AC", "AC"], [case.stderr for case in cases]
    assert finished.verdict is Verdict.AC


def test_what_the_case_before_had_is_gone(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    looks = """
import os

print(*(open(f"/files/{number}").read() for number in range(3) if os.path.exists(f"/files/{number}")))
"""
    first, second = make_package(tmp_path, {"sample/1": ("", "secret"), "sample/2": ("", "")}).test_cases
    (tmp_path / "words").write_text("secret")
    first = replace(first, files=(("words", tmp_path / "words"),))
    package = replace(make_package(tmp_path, {"sample/1": ("", "secret")}), test_cases=(first, second))
    _, cases, _ = judged(package, looks, sandbox, work_root)
    assert [case.output for case in cases] == [b"secret\n", b"\n"]


def test_so_it_does_in_a_conversation_and_under_the_meter(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_files(tmp_path, is_interactive=True)
    _, cases, profiles = judged(package, READS, sandbox, work_root, profile=ProfilePolicy.ALL)
    assert [case.verdict.value for case in cases] == ["AC"], cases[0].judge_message
    assert profiles[0].result is not None, profiles[0].problem
    assert profiles[0].result.streams["stdout"].bytes == len("a b one\n")


def test_to_place_them_is_not_the_programs_doing(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    quiet = "int main() {}"
    _, cases, profiles = judged(with_files(tmp_path), quiet, sandbox, work_root, "cpp", ProfilePolicy.ALL)
    with_two, without = cases[1], cases[2]
    assert with_two.io == without.io
    counted = [profiled.result for profiled in profiles]
    assert counted[1] is not None
    assert counted[1] == counted[2]


@pytest.mark.parametrize(
    ("language", "source", "included"),
    [
        (
            "python",
            "import given\nprint(given.double(int(input().split()[0])))",
            {"given.py": "def double(n): return 2 * n"},
        ),
        (
            "python",
            "def solve(n): return 2 * n",
            {"__main__.py": "import main\nprint(main.solve(int(input().split()[0])))"},
        ),
        (
            "cpp",
            '#include "given.h"\nint solve(int n) { return twice(n); }',
            {
                "given.h": "inline int twice(int n) { return 2 * n; }\nint solve(int);",
                "driver.cpp": '#include "given.h"\n#include <iostream>\n'
                "int main() { int n; std::cin >> n; std::cout << solve(n); }",
            },
        ),
        (
            "rust",
            "mod given;\nfn main() { let mut s = String::new(); std::io::stdin().read_line(&mut s).unwrap();"
            " println!(\"{}\", given::double(s.split(' ').next().unwrap().trim().parse().unwrap())); }",
            {"given.rs": "pub fn double(n: i64) -> i64 { 2 * n }"},
        ),
        (
            "python",
            "assert open('table.txt').read() == 'data'\nprint(2 * int(input().split()[0]))",
            {"table.txt": "data"},
        ),
    ],
)
def test_a_submission_is_built_with_what_the_package_includes(
    tmp_path: Path, language: str, source: str, included: dict[str, str], sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, {"sample/1": ("4\n", "8\n")})
    for name, content in included.items():
        (tmp_path / name).write_text(content)
    package = with_included(package, language, *(tmp_path / name for name in included))
    finished, cases, _ = judged(package, source, sandbox, work_root, language)
    assert finished.verdict is Verdict.AC, (finished, cases)


@pytest.mark.parametrize(("stdout", "kind"), [("file", "reg"), ("pipe", "fifo"), ("terminal", "chr")])
def test_stdout_is_what_the_problem_says(
    tmp_path: Path, stdout: str, kind: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    asks = "import os, stat\nmode = os.fstat(1).st_mode\n" + "\n".join(
        f"if stat.S_IS{name}(mode): print('{name.lower()}')" for name in ("REG", "FIFO", "CHR")
    )
    package = make_package(tmp_path, {"sample/1": ("", f"{kind}\n")}, limits=replace(LIMITS, stdout=stdout))
    _, cases, profiles = judged(package, asks, sandbox, work_root, profile=ProfilePolicy.ALL)
    assert [case.verdict.value for case in cases] == ["AC"], cases[0].output
    assert profiles[0].result is not None
    assert profiles[0].result.streams["stdout"].bytes == len(kind) + 1


def test_a_run_may_use_as_many_cores_as_the_problem_says(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    asks = "import os\nprint(len(os.sched_getaffinity(0)))"
    here = len(os.sched_getaffinity(0))
    for cores in (1, 2, 1_000):
        package = make_package(tmp_path, {"sample/1": ("", "1")}, limits=replace(LIMITS, cores=cores))
        _, (case,), _ = judged(package, asks, sandbox, work_root)
        assert case.output == b"%d\n" % min(cores, here)
        assert (core_shortage(cores) or "") in case.judge_message
        assert bool(core_shortage(cores)) is (cores > here)
    assert core_shortage(1_000) == f"The problem lets a run use 1000 cores; this worker has {here}."


@pytest.mark.parametrize("part", ["args", "validator_args"])
@pytest.mark.parametrize("is_interactive", [False, True])
def test_more_than_a_jail_takes_is_the_packages_fault(
    tmp_path: Path, part: str, is_interactive: bool, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_files(tmp_path, is_interactive=is_interactive)
    checks = ("check.py", "import sys\nsys.exit(42)")
    checked = make_package(tmp_path / "checked", validator=checks, is_interactive=is_interactive)
    many = ("x",) * 4_000
    cases = tuple(
        replace(case, args=many) if part == "args" else replace(case, validator_args=many)
        for case in package.test_cases
    )
    package = replace(package, test_cases=cases, output_validator=checked.output_validator)
    finished, _, _ = judged(package, "print()", sandbox, work_root)
    assert finished.verdict is Verdict.JE
    assert "data/sample/1.in: cannot be given to a program: a command needs" in finished.judge_message
