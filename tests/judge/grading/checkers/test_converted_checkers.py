"""Problems of other formats, converted and judged in the real jail: what right, partly right and wrong programs get."""

import io
from pathlib import Path

import pytest

from problems.archive.upload import staged_package
from problems.loading.loading import load_package
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import graded, verified
from tests.problems.archives import Raw, zipped

TASK = """
name: adder
title: Add them up
time_limit: 2
memory_limit: 256
n_input: 4
infile: ''
outfile: ''
token_mode: disabled
"""
GEN = "#ST: 40\n1\n2\n#ST: 60\n3\n4\n"
CMS_CHECKER = """
#include <fstream>
#include <iostream>
int main(int, char **argv) {
    std::ifstream input(argv[1]), answer(argv[2]), output(argv[3]);
    long a, b, wanted, given;
    input >> a >> b;
    answer >> wanted;
    bool is_read = bool(output >> given);
    double part = is_read && given == wanted ? 1.0 : is_read && given == wanted + 1 ? 0.5 : 0.0;
    std::cout << part << std::endl;
    std::cerr << (part == 1.0 ? "translate:success" : "not quite") << std::endl;
}
"""
SOLUTION = "#include <iostream>\nint main() { long a, b; std::cin >> a >> b; std::cout << a + b << '\\n'; }\n"
RIGHT = b"print(sum(map(int, input().split())))"
ONE_OFF = b"print(sum(map(int, input().split())) + 1)"
NOTHING = b"print('no')"
ONE_OFF_AT_9 = b"a, b = map(int, input().split())\nprint(a + b + (a == 9))"
WRONG_AT_9 = b"a, b = map(int, input().split())\nprint('no' if a == 9 else a + b)"
NUMBERS = [(1, 2), (2, 2), (3, 4), (9, 1)]


def package_of(files: dict[str, str], folder: Path) -> Package:
    """The package that an upload of these files becomes, kept in the folder."""
    archive = io.BytesIO(zipped({}, [Raw(name, text.encode()) for name, text in files.items()]))
    with staged_package(archive, staging_root=folder / "stage", name="adder.zip") as staged:
        assert not any("left out" in warning for warning in staged.warnings)
        return load_package(staged.folder.rename(folder / "adder"))


@pytest.fixture(scope="module")
def cms(tmp_path_factory: pytest.TempPathFactory) -> Package:
    tests = {f"input/input{n}.txt": f"{a} {b}\n" for n, (a, b) in enumerate(NUMBERS)}
    tests |= {f"output/output{n}.txt": f"{a + b}\n" for n, (a, b) in enumerate(NUMBERS)}
    sources = {"check/checker.cpp": CMS_CHECKER, "sol/solution.cpp": SOLUTION, "gen/GEN": GEN}
    files = {f"adder/{name}": text for name, text in {"task.yaml": TASK, **tests, **sources}.items()}
    return package_of(files, tmp_path_factory.mktemp("cms"))


def test_task_of_cms_verifies(cms: Package, sandbox: NsjailSandbox, work_root: Path) -> None:
    report, _, submissions = verified(cms, sandbox, work_root)
    assert report.errors == ()
    assert [(one.submission.name, one.verdict and one.verdict.value, one.score) for one in submissions] == [
        ("accepted/solution.cpp", "AC", 100)
    ]


@pytest.mark.parametrize(
    ("source", "verdict", "score"),
    [
        (RIGHT, "AC", 100),
        (ONE_OFF, "AC", 50),
        (ONE_OFF_AT_9, "AC", 70),
        (WRONG_AT_9, "AC", 40),
        (NOTHING, "WA", 0),
    ],
)
def test_task_of_cms_gives_the_points_that_cms_gives(
    cms: Package, source: bytes, verdict: str, score: float, sandbox: NsjailSandbox, work_root: Path
) -> None:
    finished, _ = graded(cms, source, sandbox, work_root)
    assert (finished.verdict and finished.verdict.value, finished.score, finished.max_score) == (verdict, score, 100)


PYTHON_CHECKER = """
from dmoj.checkers import standard
from dmoj.result import CheckerResult
from dmoj.utils.unicode import utf8text

def check(process_output, judge_output, judge_input, point_value, slack, **kwargs):
    if standard.check(process_output, judge_output, **kwargs):
        return True
    numbers = [int(utf8text(text)) for text in (process_output, judge_output)]
    assert sum(map(int, judge_input.split())) == numbers[1]
    is_near = abs(numbers[0] - numbers[1]) <= slack
    return CheckerResult(is_near, point_value / 2 if is_near else 0, "near" if is_near else "far")
"""
C_CHECKER = """
#include <stdio.h>
int main(int argc, char **argv) {
    long wanted, given;
    FILE *answer = fopen(argv[1], "r"), *output = fopen(argv[2], "r");
    if (fscanf(answer, "%ld", &wanted) != 1 || fscanf(output, "%ld", &given) != 1) return 1;
    if (given == wanted + 1) printf("1\\n2\\n");
    return given != wanted;
}
"""
CASES = "- {in: 0.in, out: 0.out, points: 20}\n- {in: 1.in, out: 1.out, points: 20}\n"
BATCH = "- {points: 60, batched: [{in: 2.in, out: 2.out}, {in: 3.in, out: 3.out}]}\n"
CHECKERS = {
    "python": ("checker: {name: own.py, args: {slack: 1}}\n", {"own.py": PYTHON_CHECKER}),
    "c": ("checker: {name: bridged, args: {files: own.c, lang: C, type: peg}}\n", {"own.c": C_CHECKER}),
}


@pytest.fixture(scope="module", params=sorted(CHECKERS))
def dmoj(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Package:
    line, sources = CHECKERS[request.param]
    tests = {f"{n}.in": f"{a} {b}\n" for n, (a, b) in enumerate(NUMBERS)}
    tests |= {f"{n}.out": f"{a + b}\n" for n, (a, b) in enumerate(NUMBERS)}
    files = {"init.yml": f"{line}test_cases:\n{CASES}{BATCH}", **tests, **sources}
    return package_of(files, tmp_path_factory.mktemp("dmoj"))


def test_problem_of_dmoj_verifies(dmoj: Package, sandbox: NsjailSandbox, work_root: Path) -> None:
    assert verified(dmoj, sandbox, work_root)[0].errors == ()


@pytest.mark.parametrize(
    ("source", "verdict", "score"),
    [(RIGHT, "AC", 100), (ONE_OFF, "AC", 50), (ONE_OFF_AT_9, "AC", 70), (b"print(0)", "WA", 0)],
)
def test_checkers_of_dmoj_give_the_points_that_dmoj_gives(
    dmoj: Package, source: bytes, verdict: str, score: float, sandbox: NsjailSandbox, work_root: Path
) -> None:
    finished, cases = graded(dmoj, source, sandbox, work_root)
    messages = [case.judge_message for case in cases]
    assert (finished.verdict and finished.verdict.value, finished.score) == (verdict, score), messages
