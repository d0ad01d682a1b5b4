"""The trial of fixes: a changed source, compiled and run in the real jail beside the original."""

import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import Finding, FixedRun, GradingJob, RerunEnded
from judge.grading.reruns.fix import (
    FAILS,
    INTERACTIVE,
    NO_FIX,
    NO_GAIN,
    NOT_COMPILED,
    NOT_THE_SAME,
    SEVERAL_PASSES,
    STILL_STOPPED,
    rerun_fixed,
)
from judge.grading.reruns.reasons import worth_fixing
from judge.grading.verdicts import Verdict
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import LIMITS, make_package

LINES = 60_000
ANSWER = "".join(f"{number}\n" for number in range(LINES))
COUNT = f"{LINES}\n" + "1\n" * LINES
FLUSHING = {
    "cpp": """
        #include <iostream>
        int main() { for (int i = 0; i < LINES; i++) std::cout << i << std::endl; }""",
    "python": """
        for i in range(LINES): print(i, flush=True)""",
    "rust": """
        fn main() { for i in 0..LINES { println!("{}", i); } }""",
}
Try = Callable[..., RerunEnded[FixedRun]]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    """A sample that was judged, the case that is tried, and one after it that was not judged."""
    cases = {"sample/1": ("1\n", ANSWER), "secret/1": (COUNT, ANSWER), "secret/2": (COUNT, ANSWER)}
    return make_package(tmp_path, cases, limits=replace(LIMITS, time_limit_ms=2_000))


@pytest.fixture
def tried(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Try:
    """A function that tries the fixes of a program on the second case of the package, or of another one."""

    def run(
        language: str,
        source: str,
        given: Package = package,
        finding: str = "flush-per-line",
        *,
        is_refused: bool = False,
    ) -> RerunEnded[FixedRun]:
        code = textwrap.dedent(source).replace("LINES", str(LINES)).strip().encode("latin-1")
        judged = ("sample/1", "secret/1")
        job = GradingJob(package=given, language=language, source=code, cpu=0, judged_cases=judged, found=(finding,))
        job = replace(job, is_refused=is_refused)
        return rerun_fixed(job, "secret/1", sandbox, work_root)

    return run


def fix_of(tried: RerunEnded[FixedRun]) -> FixedRun:
    assert tried.result is not None, tried.problem
    assert not tried.problem
    return tried.result


def within(package: Package, **limits: int) -> Package:
    return replace(package, limits=replace(package.limits, **limits))  # type: ignore[arg-type]


@pytest.mark.parametrize("language", FLUSHING)
def test_a_program_that_flushes_is_changed_and_faster_with_the_same_bytes(language: str, tried: Try) -> None:
    fix = fix_of(tried(language, FLUSHING[language]))
    assert fix.fixed.usage.cpu_time_us < fix.plain.usage.cpu_time_us
    assert fix.plain.io.write_calls >= LINES
    assert fix.fixed.io.write_calls < LINES / 100
    assert fix.fixed.io.write_bytes == fix.plain.io.write_bytes
    assert (fix.verdict, fix.failed_case, fix.is_whole) == (Verdict.AC, "", True)
    assert (fix.cases, fix.run, fix.compared) == (3, 3, 2)
    assert fix.codes[0] in ("newline-for-endl", "no-flush", "buffered-stdout")
    assert any(line.startswith("-") for line in fix.diff)


def test_fixes_are_combined_until_they_gain(package: Package, tried: Try) -> None:
    source = """
        #include <iostream>
        int main() {
            int n, x;
            std::cin >> n;
            for (int i = 0; i < LINES; i++) {
                std::cin >> x;
                std::cout << i << std::endl;
            }
        }"""
    given = within(package, write_calls=1_000)  # which no one fix keeps: without `endl`, a tied `cin` still flushes
    fix = fix_of(tried("cpp", source, replace(given, test_cases=given.test_cases[1:])))
    assert fix.codes == ("newline-for-endl", "unsync")
    assert fix.plain.verdict is Verdict.SLE
    assert fix.verdict is Verdict.AC


@pytest.mark.thorough
def test_a_change_that_does_not_compile_is_dropped_for_the_next(tried: Try) -> None:
    source = """
        fn main() {
            let show = |i: i32| println!("{}", i);
            let again = |i: i32| println!("{}", i);
            for i in 0..LINES { if i % 2 == 0 { show(i) } else { again(i) } }
        }"""
    fix = fix_of(tried("rust", source))
    assert fix.codes == ("buffered-macros",)  # two closures cannot both have the one buffer
    assert fix.verdict is Verdict.AC


@pytest.mark.parametrize("case", [1, LINES])
def test_a_change_that_shows_another_output_on_some_case_is_dropped(case: int, tried: Try) -> None:
    source = f"""
        for i in range(LINES): print(i, flush=True)
        if int(input()) == {case}: print(len(open(__file__).read()))"""
    said = tried("python", source)
    assert (said.result, said.problem) == (None, NOT_THE_SAME)


@pytest.mark.thorough
def test_a_program_with_its_own_slow_computation_is_still_too_slow(package: Package, tried: Try) -> None:
    source = """
        #include <iostream>
        int main() {
            volatile unsigned x = 1;
            for (int i = 0; i < LINES; i++) {
                for (int k = 0; k < 1500; k++) x = x * 5u + 1u;
                std::cout << i << std::endl;
            }
        }"""
    fix = fix_of(tried("cpp", source, within(package, time_limit_ms=30)))
    assert fix.codes[0] == "newline-for-endl"
    assert (fix.verdict, fix.failed_case) == (Verdict.TLE, "secret/1")
    assert fix.run == 1


@pytest.mark.thorough
def test_a_program_that_is_stopped_with_its_fixes_too_gains_nothing(package: Package, tried: Try) -> None:
    source = """
        #include <iostream>
        int main() { for (volatile int i = 0;; i = i + 1) if (i < LINES) std::cout << i << std::endl; }"""
    said = tried("cpp", source, within(package, time_limit_ms=50))
    assert (said.result, said.problem) == (None, STILL_STOPPED)


def test_a_wrong_program_stays_wrong_however_fast(tried: Try) -> None:
    fix = fix_of(tried("python", "for i in range(LINES): print(-i, flush=True)"))
    assert (fix.verdict, fix.failed_case) == (Verdict.WA, "secret/1")


def test_debugging_output_is_left_out_and_stdout_compared(tried: Try) -> None:
    source = """
        #include <iostream>
        int main() { for (int i = 0; i < LINES; i++) { std::cerr << "at " << i << "\\n"; std::cout << i << '\\n'; } }"""
    fix = fix_of(tried("cpp", source, finding="unbuffered-stderr"))
    assert fix.codes == ("no-debugging",)
    assert not fix.has_all_stderr
    assert fix.fixed.stderr_bytes == 0
    assert fix.verdict is Verdict.AC


@pytest.mark.thorough
def test_what_an_original_that_never_ends_wrote_has_to_be_the_beginning(package: Package, tried: Try) -> None:
    source = """
        #include <iostream>
        int main() {
            std::string line(100, 'x');
            for (int i = 0; i < 5000000; i++) std::cout << (i % 2 ? "" : line) << std::endl;
        }"""
    given = within(package, time_limit_ms=120, output_bytes=1 << 29)
    fix = fix_of(tried("cpp", source, given))
    assert not fix.is_whole
    assert fix.verdict is not Verdict.AC  # it is no right answer either


@pytest.mark.parametrize(
    ("language", "source", "problem"),
    [
        ("python", "import sys\nsys.stdout.write(''.join(f'{i}\\n' for i in range(LINES)))", NO_FIX),
        ("python", "print('\xe4')  # latin-1\nfor i in range(LINES): print(i, flush=True)", NO_FIX),
        ("cpp", "#include <iostream>\nint main() { std::cout << 1 << std::endl; }", NO_GAIN),
        ("cpp", "#include <iostream>\nint main() { std::cout << 1 << std::endl; return 1; }", FAILS),
        ("cpp", "#include <iostream>\nint main() { std::cout << x << std::endl; }", NOT_COMPILED),
    ],
)
def test_why_no_fix_is_shown(language: str, source: str, problem: str, tried: Try) -> None:
    said = tried(language, source)
    assert (said.result, said.problem) == (None, problem)


def test_a_conversation_and_several_passes_are_not_tried(package: Package, tried: Try) -> None:
    assert tried("python", FLUSHING["python"], replace(package, is_interactive=True)).problem == INTERACTIVE
    assert tried("python", FLUSHING["python"], replace(package, most_passes=2)).problem == SEVERAL_PASSES


def test_what_is_tried_without_a_request() -> None:
    flushes = Finding(code="flush-per-line", evidence={"test_case": "secret/1"})
    slow = Finding(code="algorithm", evidence={"test_case": "secret/1"})
    assert worth_fixing([slow, flushes], Verdict.TLE, "cpp") == "secret/1"
    assert worth_fixing([flushes], Verdict.AC, "cpp") == ""
    assert worth_fixing([slow], Verdict.TLE, "cpp") == ""
    assert worth_fixing([flushes], Verdict.TLE, "fortran") == ""


DEBUGGING_ON_STDOUT = {
    "cpp": """
        #include <iostream>
        int main() {
            for (int i = 0; i < LINES; i++) {
                std::cout << "at " << i << std::endl;
                std::cout << i << "\\n";
            }
        }""",
    "python": """
        for i in range(LINES):
            print("at", i)
            print(i)""",
    "rust": """
        fn main() {
            for i in 0..LINES {
                println!("at {}", i);
                println!("{}", i);
            }
        }""",
}


@pytest.mark.parametrize("language", DEBUGGING_ON_STDOUT)
def test_a_print_that_was_left_in_is_left_out_and_the_checker_decides_on_all_cases(language: str, tried: Try) -> None:
    fix = fix_of(tried(language, DEBUGGING_ON_STDOUT[language], is_refused=True))
    assert fix.codes == ("leftover-print",)
    assert fix.plain.verdict is Verdict.WA
    assert (fix.verdict, fix.right, fix.run, fix.cases, fix.compared) == (Verdict.AC, 3, 3, 3, 0)
    taken = [line for line in fix.diff if line.startswith(("-", "+"))]
    assert len(taken) == 1
    assert "at" in taken[0]


def test_without_a_print_the_output_may_be_right_on_some_cases_only(package: Package, tried: Try) -> None:
    source = """
        n = int(input())
        for i in range(LINES):
            print("at", i)
            print(i if n > 1 else -i)"""
    fix = fix_of(tried("python", source, is_refused=True))
    assert (fix.verdict, fix.failed_case, fix.right, fix.run) == (Verdict.WA, "sample/1", 2, 3)


def test_a_wrong_answer_without_a_print_too_many_gets_no_fix(tried: Try) -> None:
    said = tried("python", "import sys\nsys.stdout.write('\\n'.join(map(str, range(7))))", is_refused=True)
    assert (said.result, said.problem) == (None, NO_FIX)


def test_prints_that_made_a_program_too_slow_and_wrong_are_left_out(package: Package, tried: Try) -> None:
    source = DEBUGGING_ON_STDOUT["cpp"].replace("LINES; i++) {", "LINES; i++) { for (int k = 0; k < 40; k++)")
    fix = fix_of(tried("cpp", source, within(package, output_bytes=1 << 26)))
    assert fix.codes == ("leftover-print",)
    assert fix.verdict is Verdict.AC


@pytest.mark.parametrize("language", ["cpp", "rust"])
def test_more_on_stderr_than_is_kept_is_no_obstacle(language: str, package: Package, tried: Try) -> None:
    much = "the whole state of this program as it is now"
    source = {
        "cpp": f"""
            #include <iostream>
            int main() {{
                for (int i = 0; i < LINES; i++) {{
                    for (int k = 0; k < 9; k++) std::cerr << "{much}\\n";
                    std::cout << i << "\\n";
                }}
            }}""",
        "rust": f"""
            fn main() {{
                for i in 0..LINES {{
                    for _ in 0..9 {{ eprintln!("{much}"); }}
                    println!("{{}}", i);
                }}
            }}""",
    }[language]
    fix = fix_of(tried(language, source, within(package, time_limit_ms=4_000), finding="unbuffered-stderr"))
    assert fix.codes[0] == "no-debugging"
    assert fix.is_whole
    assert not fix.has_all_stderr
    assert (fix.verdict, fix.compared, fix.stopped) == (Verdict.AC, 2, 0)
