"""How programs that fail end, in the real jail and in three languages: on a sample in their words, on hidden input not.

Each program fails on the numbers of both cases in the same way. On the hidden case nothing that it said of its input
may be left, and what is said has to be so.
"""

import json
import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.ending_words import end_in_words
from judge.grading.events import CaseJudged, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.explain import in_words, main_cause
from judge.grading.languages import LANGUAGES
from judge.grading.reruns.custom_test import run_on_input
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Judgement
from problems.jsonvalues import to_json
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package

CASES = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("4711 22\n", "4733\n")}
RIGHT = " Its output was right: only the way it ended is wrong."
PYTHON = {
    "value": (
        "a, b = input().split()\nint(a + 'x')",
        "The program failed on {} in line 2: ValueError: invalid literal for int() with base 10: '1x'.",
        "The exception ValueError, which nothing caught, ended the program on {} in line 2.",
    ),
    "a type of its own": (
        "a, b = input().split()\nraise type('Read' + a, (Exception,), {})(b)",
        "The program failed on {} in line 2: Read1: 2.",
        "The program failed on {} in line 2: an exception of a type of its own.",
    ),
    "more input": (
        "while True:\n    a, b = map(int, input().split())\n    print(a + b)",
        "The program failed on {} in line 2: EOFError: EOF when reading a line." + RIGHT,
        "The exception EOFError, which nothing caught, ended the program on {} in line 2." + RIGHT,
    ),
    "exit": (
        "a, b = map(int, input().split())\nprint(a + b)\nexit(a % 100)",
        "The program ended with exit code 1 on {}: any code other than 0 means an error." + RIGHT,
        "The program ended with an exit code other than 0 on {}, which means an error." + RIGHT,
    ),
    "signal": (
        "import os, signal\nos.kill(os.getpid(), signal.SIGUSR1)",
        "SIGUSR1 ended the program on {}.",
        "A signal ended the program on {}.",
    ),
}
_OUTSIDE = (
    "SIGSEGV (segmentation fault) ended the program on {}: it used memory that is not its own, as behind the end of an "
    "array, through an empty pointer, or below a full stack."
)
_DIVIDED = (
    "SIGILL (illegal instruction) ended the program on {}: it came to code that stops it on purpose, such as the "
    "check that ends a division by zero."
)
CPP = {
    "null": (
        '#include <cstdio>\nint main() { int *a = nullptr; scanf("%d", a); }',
        _OUTSIDE,
        _OUTSIDE,
    ),
    "thrown": (
        "#include <vector>\n#include <iostream>\nint main() { int a; std::cin >> a; std::vector<int>(a).at(a); }",
        "The program failed on {}: std::out_of_range: vector::_M_range_check: __n (which is 1) >= this->size() (which "
        "is"
        " 1).",
        "The exception std::out_of_range, which nothing caught, ended the program on {}.",
    ),
    "assertion": (
        "#include <cassert>\n#include <iostream>\nint main() { int a; std::cin >> a; assert(a < 0); }",
        "The program failed on {} in line 3: Assertion `a < 0' failed.",
        "The program failed on {} in line 3: a failed assertion.",
    ),
    "division": (
        "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << std::endl << a / (b & "
        "0); }",
        _DIVIDED + RIGHT,
        _DIVIDED + RIGHT,
    ),
    "returned": (
        "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b; return 255; }",
        "The program ended with exit code 255 on {}, as by `return -1`: any code other than 0 means an error." + RIGHT,
        "The program ended with an exit code other than 0 on {}, which means an error." + RIGHT,
    ),
}
RUST = {
    "panic": (
        "use std::io::*;\nfn main() { let mut s = String::new();\nstdin().read_line(&mut s).unwrap();\n"
        'println!("{}", vec![1; 2][s.len()]); }',
        "The program failed on {} in line 4: index out of bounds: the len is 2 but the index is 4.",
        "The program failed on {} in line 4: index out of bounds.",
    ),
    "a panic of its own words": (
        "use std::io::*;\nfn main() { let mut s = String::new();\nstdin().read_line(&mut s).unwrap(); "
        'panic!("{}", s); }',
        "The program failed on {} in line 3: 1 2.",
        "The program failed on {} in line 3: a panic.",
    ),
}
PROGRAMS = [
    pytest.param(language, *program, id=f"{language}: {name}")
    for language, programs in (("python", PYTHON), ("cpp", CPP), ("rust", RUST))
    for name, program in programs.items()
]
THREADS = {
    "python": """
        import threading
        def work():
            a, b = map(int, input().split())
            print(a + b + [][a])
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """,
    "rust": """
        use std::io::*;
        fn main() {
            let _ = std::thread::spawn(|| { let mut s = String::new(); stdin().read_line(&mut s).unwrap();
                println!("{}", vec![1; 2][s.len()]); }).join();
        }
        """,
}


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return make_package(tmp_path / "package", CASES)


def graded(
    package: Package, language: str, source: str, sandbox: NsjailSandbox, work_root: Path
) -> tuple[dict[str, CaseJudged], GradingFinished]:
    code = textwrap.dedent(source).strip().encode()
    job = GradingJob(package=package, language=language, source=code, profile=ProfilePolicy.NONE)
    events = list(grade(job, sandbox, work_root))
    assert isinstance(events[-1], GradingFinished)
    return {event.name: event for event in events if isinstance(event, CaseJudged)}, events[-1]


@pytest.mark.each
@pytest.mark.parametrize(("language", "source", "on_sample", "on_hidden"), PROGRAMS)
def test_a_program_that_fails_says_what_ended_it(
    package: Package,
    sandbox: NsjailSandbox,
    work_root: Path,
    language: str,
    source: str,
    on_sample: str,
    on_hidden: str,
) -> None:
    cases, _ = graded(package, language, source, sandbox, work_root)
    for name, words in (("sample/1", on_sample), ("secret/1", on_hidden)):
        ending = cases[name].ending
        assert ending
        assert cases[name].verdict.value == "RE"
        assert end_in_words(ending, LANGUAGES[language], name) == words.format(name)
    hidden = json.dumps(to_json(cases["secret/1"].ending))
    assert "4711" not in hidden
    assert "22" not in hidden


@pytest.mark.parametrize("language", THREADS)
def test_a_thread_that_dies_alone_is_named_also_on_hidden_input(
    package: Package, sandbox: NsjailSandbox, work_root: Path, language: str
) -> None:
    cases, finished = graded(package, language, THREADS[language], sandbox, work_root)
    lost = {"python": "`IndexError`", "rust": "index out of bounds"}[language]
    assert {case.verdict.value for case in cases.values()} == {"WA"}
    (finding,) = [finding for finding in finished.explanation if finding.code == "lost-part"]
    assert finding.lines == (4,)
    assert f"a thread of your program ended with {lost}" in in_words(finding, LANGUAGES[language]).text
    assert main_cause(finished.explanation, finished.verdict) == "lost-part"
    hidden = cases["secret/1"].ending
    assert hidden
    assert hidden.lost
    assert (hidden.lost.line, hidden.lost.message) == (4, "")


def test_a_validator_of_the_package_decides_whether_the_output_was_right(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    validator = "import sys\nsys.exit(42 if '7' in sys.stdin.read() else 43)"
    package = make_package(tmp_path / "package", CASES, validator=("check.py", validator))
    for printed, is_right in (("7", True), ("8", False)):
        cases, _ = graded(package, "python", f"print({printed})\nexit(3)", sandbox, work_root)
        assert {case.ending.is_output_right for case in cases.values() if case.ending} == {is_right}


def test_an_output_that_is_worth_a_part_of_the_points_is_not_all_right() -> None:
    assert Judgement(is_accepted=True).is_full
    assert Judgement(is_accepted=True, multiplier=1).is_full
    assert not Judgement(is_accepted=True, score=0.5).is_full
    assert not Judgement(is_accepted=True, multiplier=0.5).is_full
    assert not Judgement(is_accepted=False).is_full


def test_a_validator_that_fails_on_half_an_output_says_nothing_of_it(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path / "package", CASES, validator=("check.py", "raise SystemExit(9)"))
    cases, finished = graded(package, "python", "print(3)\nexit(3)", sandbox, work_root)
    assert finished.verdict.value == "RE"
    assert not [case for case in cases.values() if case.ending and case.ending.is_output_right]


def test_of_an_own_input_nobody_knows_whether_the_output_was_right(
    package: Package, sandbox: NsjailSandbox, work_root: Path
) -> None:
    job = GradingJob(package=package, language="python", source=b"print(3)\nexit(3)", profile=ProfilePolicy.NONE)
    events = list(run_on_input(job, b"1 2\n", sandbox, work_root))
    (case,) = [event for event in events if isinstance(event, CaseJudged)]
    assert case.ending
    assert (case.ending.exit_code, case.ending.is_output_right) == (3, False)


def test_a_cached_recursion_meets_the_stack_of_python_whatever_the_memory_limit(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    source = """
        import sys
        from functools import lru_cache
        sys.setrecursionlimit(10**6)
        @lru_cache(None)
        def f(n):
            return 0 if n == 0 else f(n - 1) + 1
        print(f(200_000))
        """
    limits = replace(LIMITS, memory_bytes=1 << 30, time_limit_ms=4_000)
    package = make_package(tmp_path / "package", CASES, limits=limits)
    _, finished = graded(package, "python", source, sandbox, work_root)
    (finding,) = [finding for finding in finished.explanation if finding.code == "stack-overflow"]
    said = in_words(finding, LANGUAGES["python"])
    assert "SIGSEGV ended sample/1" in said.text
    assert "The stack of a Python program has 32 MiB, whatever the memory limit is" in said.text
    assert finding.lines


def test_a_recursion_error_is_no_matter_of_memory(package: Package, sandbox: NsjailSandbox, work_root: Path) -> None:
    _, finished = graded(
        package, "python", "def f(n):\n    return 0 if n == 0 else f(n - 1) + 1\nprint(f(10**5))", sandbox, work_root
    )
    (finding,) = [finding for finding in finished.explanation if finding.code == "recursion-limit"]
    assert "Neither the memory limit nor the size of the stack was the cause" in in_words(finding, None).text
    assert finding.lines == (2,)


def test_a_missing_return_is_named_by_the_compilers_warning_and_nothing_is_to_be_gathered(
    package: Package, sandbox: NsjailSandbox, work_root: Path
) -> None:
    source = """
        #include <iostream>
        int add(int a, int b) { if (a > 10000) return a; std::cout << a + b << std::endl; }
        int main() {
            int a, b;
            std::cin >> a >> b;
            add(a, b);
        }
        """
    _, finished = graded(package, "cpp", source, sandbox, work_root)
    said = {finding.code: in_words(finding, LANGUAGES["cpp"]) for finding in finished.explanation}
    (finding,) = [finding for finding in finished.explanation if finding.code == "compiler-warning"]
    assert finding.lines == (2,)
    assert "can end without `return`" in said["compiler-warning"].text
    assert not [code for code, words in said.items() if "ather" in words.advice or "loop" in words.advice]
