"""The line where a signal ended a compiled program, by one more run: of the student's own file, or none."""

import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.case_ending import CaseEnding
from judge.grading.events import CaseJudged, GradingFinished, GradingJob, RerunEnded
from judge.grading.reading.program_errors import ErrorKind, ProgramError
from judge.grading.reruns import crash_line
from judge.grading.reruns.again import NO_PROGRAM_WITH_LINES
from judge.grading.reruns.crash_line import locate_crash
from judge.grading.reruns.custom_test import run_on_samples
from judge.grading.reruns.reasons import lacks_line
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, Status, Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from judge.submissions import records
from judge.submissions.records import GradingRecord
from problems.package import Package, SubmittedFile
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Ending
from tests.judge.packages import make_package
from tests.judge.submissions.test_trial_requests import judged

Locate = Callable[..., RerunEnded[int]]
SEGFAULT = CaseEnding(how=Ending.SIGNALLED, signal="SIGSEGV")
THROWN = CaseEnding(
    how=Ending.SIGNALLED, signal="SIGABRT", error=ProgramError(kind=ErrorKind.EXCEPTION, name="std::out_of_range")
)
# The line that is marked is the one.
PROGRAMS = {
    "a null pointer": """
        #include <cstdio>
        int main() {
            int *a = nullptr;
            scanf("%d", a);  // here
        }""",
    "an exception from the library": """
        #include <iostream>
        #include <vector>
        int look(const std::vector<int> &values, int i) {
            return values.at(i);  // here
        }
        int main() {
            int a;
            std::cin >> a;
            std::cout << look(std::vector<int>(a), a);
        }""",
    "the last call of the last function": """
        int main() {
            throw 5;  // here
        }""",
    "a division by zero in an inlined function": """
        #include <iostream>
        static inline int part(int a, int b) {
            return a / b;  // here
        }
        int main() {
            int a, b;
            std::cin >> a >> b;
            std::cout << part(a, b & 0);
        }""",
    "a failed assertion": """
        #include <cassert>
        int main(int count, char **) {
            assert(count == 2);  // here
        }""",
    "a thread": """
        #include <stdexcept>
        #include <thread>
        int main() {
            std::thread thread([] {
                throw std::runtime_error("hm");  // here
            });
            thread.join();
        }""",
    "memory that was freed twice": """
        #include <cstdlib>
        int main() {
            void *room = malloc(10);
            free(room);
            volatile auto again = free;
            again(room);  // here
        }""",
}
IN_RUST = """
    fn main() {
        let place: *mut i32 = std::ptr::null_mut();
        unsafe { std::ptr::write_volatile(place.wrapping_add(1), 5) }; // here
    }"""


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return make_package(tmp_path / "package", {"sample/1": ("1 2\n", "3\n")})


@pytest.fixture
def located(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Locate:
    def run(source: str, language: str = "cpp", given: Package = package) -> RerunEnded[int]:
        code = textwrap.dedent(source).strip().encode()
        job = GradingJob(package=given, language=language, source=code, cpu=0)
        return locate_crash(job, "sample/1", sandbox, work_root)

    return run


def marked(source: str) -> int:
    lines = textwrap.dedent(source).strip().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if line.endswith("// here"))


@pytest.mark.each
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_crash_is_told_to_its_line(name: str, located: Locate) -> None:
    assert located(PROGRAMS[name]) == RerunEnded(name="sample/1", result=marked(PROGRAMS[name]))


def test_a_crash_in_rust_is_told_to_its_line(located: Locate) -> None:
    assert located(IN_RUST, "rust").result == marked(IN_RUST)


@pytest.mark.parametrize(
    ("source", "language", "problem"),
    [
        ("int main() {}", "cpp", crash_line._OTHERWISE),
        ("#include <csignal>\nint main() { signal(SIGSEGV, SIG_DFL); raise(SIGTERM); }", "cpp", crash_line._OTHERWISE),
        ("int main() { return nothing; }", "cpp", NO_PROGRAM_WITH_LINES),
        ("import os\nos.abort()", "python", crash_line._NO_LINE),
    ],
)
def test_without_a_line_it_is_said_why(source: str, language: str, problem: str, located: Locate) -> None:
    assert located(source, language) == RerunEnded(name="sample/1", result=None, problem=problem)


def test_a_program_of_the_packages_own_has_no_line_of_the_student(located: Locate, package: Package) -> None:
    included = {"cpp": (("main.cpp", package.path / "main.cpp"),)}
    given = replace(package, included=included, submitted={"cpp": SubmittedFile(reserved=("main.cpp",))})
    (package.path / "main.cpp").write_text("int main() { throw 5; }")
    assert located("int solve() { return 5; }", given=given).problem == crash_line._NO_LINE


def test_only_a_signal_without_a_line_lacks_one() -> None:
    assert lacks_line(SEGFAULT, 1)
    assert lacks_line(THROWN, 1)
    assert not lacks_line(SEGFAULT, 2)
    assert not lacks_line(None, 1)
    assert not lacks_line(replace(SEGFAULT, line=3), 1)
    assert not lacks_line(replace(SEGFAULT, signal="SIGKILL"), 1)
    assert not lacks_line(CaseEnding(how=Ending.EXITED, exit_code=1), 1)


def test_a_run_of_an_own_program_finds_the_line_at_once(
    package: Package, sandbox: NsjailSandbox, work_root: Path
) -> None:
    source = PROGRAMS["an exception from the library"]
    job = GradingJob(package=package, language="cpp", source=textwrap.dedent(source).strip().encode())
    (case,) = [event for event in run_on_samples(job, "", sandbox, work_root) if isinstance(event, CaseJudged)]
    assert case.ending
    assert (case.ending.place, case.ending.error and case.ending.error.name) == (marked(source), "std::out_of_range")


def grade(submission: Submission, *endings: CaseEnding | None, verdict: Verdict = Verdict.RE) -> None:
    lease = records.claim(Submission.objects.filter(pk=submission.pk), "w")
    assert lease is not None
    record = GradingRecord(lease)
    for number, ending in enumerate(endings):
        case = replace(judged(f"secret/{number}"), verdict=Verdict.RE if ending else Verdict.AC, ending=ending)
        record.write(case)
    record.write(GradingFinished(verdict=verdict, explanation=()))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("language", "endings", "asked"),
    [
        ("cpp", (None, SEGFAULT, THROWN), ["secret/1"]),
        ("rust", (SEGFAULT,), ["secret/0"]),
        ("python", (SEGFAULT,), []),
        ("cpp", (CaseEnding(how=Ending.EXITED, exit_code=1), SEGFAULT), []),
        ("cpp", (replace(SEGFAULT, line=3),), []),
    ],
)
def test_a_verdict_of_a_crash_brings_the_search_for_its_line(
    make_submission: Callable[..., Submission], language: str, endings: tuple[CaseEnding | None, ...], asked: list[str]
) -> None:
    grade(make_submission(language=language), *endings)
    found = CaseRerun.objects.filter(examination=RerunKind.CRASH, is_automatic=True)
    assert [request.case().name for request in found] == asked


@pytest.mark.django_db
def test_the_line_becomes_a_part_of_the_ending(
    make_submission: Callable[..., Submission], make_result: Callable[..., TestCaseResult]
) -> None:
    submission = make_submission(language="cpp", status=Status.DONE)
    result = make_result(submission)
    TestCaseResult.objects.filter(pk=result.pk).update(ending=THROWN, verdict="RE")
    result.refresh_from_db()
    assert not RerunKind.CRASH.is_known_of(result)
    for line, expected in ((0, THROWN), (4, replace(THROWN, line=4))):
        CaseRerun.objects.of(result, examination=RerunKind.CRASH)
        lease = records.claim(CaseRerun.objects.filter(result=result.pk, status=Status.QUEUED), "w")
        assert lease
        records.finish_case_request(lease, RerunEnded(name=result.name, result=line, problem="" if line else "why"))
        result.refresh_from_db()
        assert result.ending == expected
    assert RerunKind.CRASH.is_known_of(result)
