"""Verification in the real jail: what is told in which order, the report's shape, outputs with a known word, juries."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.verdicts import Verdict
from judge.grading.verification.verification import verify
from judge.grading.verification.verified import PHASES, ReportRecord, Step, SubmissionVerified
from problems.format.origins import Origins
from problems.package import Expectation, JurySubmission, Package
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import NUMBERS, SUM, make_case, verified, with_submissions, with_validators
from tests.judge.packages import make_package

CHECKER = "import sys\nsys.exit(42 if sys.stdin.read().split() == open(sys.argv[2]).read().split() else 43)"
KEYS = ["path", "language", "expected", "verdict", "score", "max_cpu_time_us", "ok"]


def test_all_phases_are_told_in_order(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = with_validators(make_package(tmp_path, validator=("check.py", CHECKER)), {"numbers.py": NUMBERS})
    package = with_submissions(package, {"accepted/a.py": SUM, "wrong_answer/b.py": "print(7)"})
    told = list(verify(package, sandbox, work_root))
    steps = [event for event in told if isinstance(event, Step)]
    assert tuple(dict.fromkeys(step.phase for step in steps)) == PHASES
    assert [step.name for step in steps if step.phase == "programs"] == ["check.py", "input_validators/numbers.py"]
    assert [step.name for step in steps if step.phase == "outputs"] == [
        "data/sample/1.ans",
        "data/secret/1.ans",
        "data/secret/2.ans",
    ]
    assert all(step.done <= step.total for step in steps)
    assert [type(event) for event in told if not isinstance(event, Step)] == [
        SubmissionVerified,
        SubmissionVerified,
        ReportRecord,
    ]


def test_the_report_has_the_promised_keys_first(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = with_submissions(make_package(tmp_path), {"accepted/a.py": SUM, "wrong_answer/b.py": "print(7)"})
    answer = verified(package, sandbox, work_root)[0].as_json()
    assert list(answer)[:6] == ["problem", "time_limit_ms", "submissions", "warnings", "errors", "ok"]
    assert [list(one)[:7] for one in answer["submissions"]] == [KEYS, KEYS]
    first, second = answer["submissions"]
    assert (first["path"], first["language"], first["expected"], first["verdict"]) == (
        "accepted/a.py",
        "python",
        ["AC"],
        "AC",
    )
    assert (second["verdict"], second["score"], second["ok"], answer["ok"]) == ("WA", None, True, True)
    assert first["max_cpu_time_us"] > 0


@pytest.mark.parametrize("checker", [None, ("check.py", CHECKER)], ids=["default", "own"])
def test_outputs_with_a_known_word_are_tried(
    tmp_path: Path, checker: tuple[str, str] | None, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, validator=checker)
    known = []
    for name, output in (("right", "3\n"), ("wrong", "4\n")):
        path = tmp_path / f"{name}.out"
        path.write_text(output)
        known.append(path)
    good, bad = (make_case(tmp_path, f"{folder}/1", "1 2\n", "3\n") for folder in ("valid_output", "invalid_output"))
    fine = replace(package, valid_outputs=((good, known[0]),), invalid_outputs=((bad, known[1]),))
    assert verified(fine, sandbox, work_root)[0].errors == ()
    mixed_up = replace(package, valid_outputs=((good, known[1]),), invalid_outputs=((bad, known[0]),))
    errors = verified(mixed_up, sandbox, work_root)[0].errors
    assert [error.split(", though")[0] for error in errors] == [
        "data/valid_output/1.out: is rejected by the checker",
        "data/invalid_output/1.out: is accepted by the checker",
    ]


def test_answers_that_the_checker_rejects_are_errors(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    odd = "import sys\nsys.exit(42 if sys.stdin.read() == '4\\n' else 43)"
    report, _, _ = verified(make_package(tmp_path, validator=("check.py", odd)), sandbox, work_root)
    assert [error.split(":")[0] for error in report.errors] == ["data/sample/1.ans"]  # people see it
    found = [warning.split(":")[0] for warning in report.warnings if "rejected by the checker" in warning]
    assert found == ["data/secret/2.ans"]  # the other secret one is accepted, so this one is odd


def test_answers_that_are_hints_are_no_problems(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    cases = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("2 3\n", "a hint\n"), "secret/2": ("3 4\n", "another\n")}
    says = "import sys\nsys.exit(42 if sys.stdin.read().strip().isdigit() else 43)"
    report, steps, _ = verified(make_package(tmp_path, cases, validator=("check.py", says)), sandbox, work_root)
    assert [(step.name, step.problem) for step in steps if step.phase == "outputs"] == [
        ("data/sample/1.ans", ""),
        ("data/secret/1.ans", ""),
        ("data/secret/2.ans", ""),
    ]
    assert not report.errors
    assert not any("rejected by the checker" in warning for warning in report.warnings)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"2 3\r\n", "has lines that end in CR LF, as on Windows: convert it to LF, for example with dos2unix"),
        (b"\xef\xbb\xbf2 3\n", "begins with a byte order mark (BOM), three bytes that programs and checkers get"),
        ("2 3\n".encode("utf-16"), "is UTF-16 text, which programs and checkers get as it is: save it as UTF-8"),
    ],
)
def test_a_rejected_input_and_answer_say_how_they_are_written(
    tmp_path: Path, content: bytes, words: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    plain = "all(32 <= byte < 127 or byte == 10 for byte in sys.stdin.buffer.read())"
    strict = f"import sys\nsys.exit(42 if {plain} else 43)"
    package = with_validators(make_package(tmp_path, validator=("check.py", strict)), {"numbers.py": NUMBERS})
    package = with_submissions(package, {"accepted/a.py": SUM, "wrong_answer/b.py": "print(7)"})
    for name in ("secret/1.in", "sample/1.ans"):
        (tmp_path / "data" / name).write_bytes(content)
    report, _, _ = verified(package, sandbox, work_root)
    (of_input,) = [error for error in report.errors if error.startswith("data/secret/1.in: is rejected by")]
    (of_answer,) = [error for error in report.errors if error.startswith("data/sample/1.ans: is rejected by")]
    assert f"; {words}" in of_input
    assert f"; {words}" in of_answer
    assert any(warning.startswith(f"data/sample/1.ans, data/secret/1.in: {words}") for warning in report.warnings)


def test_a_broken_checker_is_one_error_and_nothing_is_graded(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_submissions(make_package(tmp_path, validator=("check.py", "def (")), {"accepted/a.py": SUM})
    report, steps, told = verified(package, sandbox, work_root)
    assert len(report.errors) == 1
    assert "does not compile" in report.errors[0]
    assert [(one.verdict, one.ok) for one in told] == [(None, False)]
    assert {step.phase for step in steps} == {"programs"}
    assert report.no_verdicts == report.errors[0]


CRASHES_ON_PROGRAMS = """
import sys
output = sys.stdin.read()
sys.exit(42 if "made by the jury" in output else 1)
"""


@pytest.mark.parametrize(
    ("checker", "reason"),
    [
        ("import sys\nsys.exit(42)", ""),
        ("import sys\nsys.exit(42 if sys.stdin.read().strip() == '3' else 1)", ""),
        ("raise ValueError", "exited with 1"),
        (CRASHES_ON_PROGRAMS, "exited with 1"),
    ],
    ids=["works", "crashes on some", "crashes on every output", "crashes on what programs print"],
)
def test_a_package_by_which_no_program_gets_a_verdict_says_why(
    checker: str, reason: str, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    answer = "made by the jury\n" if checker is CRASHES_ON_PROGRAMS else "3\n"
    package = make_package(tmp_path, {"sample/1": ("1 2\n", answer)}, validator=("check.py", checker))
    sources = {"accepted/a.py": SUM, "wrong_answer/b.py": "print(7)", "wrong_answer/c.cpp": "int"}
    report = verified(with_submissions(package, sources), sandbox, work_root)[0]
    assert bool(report.no_verdicts) is bool(reason), report
    assert reason in report.no_verdicts
    assert report.as_json()["no_verdicts"] == report.no_verdicts


def test_what_is_not_as_expected_is_an_error_that_says_why(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_submissions(make_package(tmp_path), {"accepted/wrong.py": "print(7)", "accepted/z.py": SUM})
    report, _, _ = verified(package, sandbox, work_root)
    (error,) = report.errors
    assert error.startswith("submissions/accepted/wrong.py: expected AC, got WA. ")
    assert [one.ok for one in report.submissions] == [False, True]


def test_what_is_not_as_expected_can_be_debugged(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    broken = "import sys\na, b = map(int, input().split())\nif a == 9:\n    sys.exit('no \\x00 nines')\nprint(a + b)"
    package = with_submissions(make_package(tmp_path), {"accepted/broken.py": broken, "accepted/z.py": SUM})
    first, second = verified(package, sandbox, work_root)[0].as_json()["submissions"]
    assert (first["unexpected"]["case"], first["unexpected"]["verdict"]) == ("secret/2", "RE")
    assert "nines" in first["unexpected"]["stderr"]
    assert "\0" not in first["unexpected"]["stderr"]
    assert [(case["name"], case["verdict"]) for case in first["cases"]] == [
        ("sample/1", "AC"),
        ("secret/1", "AC"),
        ("secret/2", "RE"),
    ]
    assert (second["unexpected"], second["cases"]) == (None, [])


def test_a_language_that_is_not_run_is_listed_with_the_reason(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_submissions(make_package(tmp_path), {"accepted/A.java": "class A {}", "accepted/a.py": SUM})
    report, _, _ = verified(package, sandbox, work_root)
    first = report.as_json()["submissions"][0]
    assert (first["path"], first["verdict"], first["ok"]) == ("accepted/A.java", None, True)
    assert first["text"] == "not run: .java is none of Python, C++, Rust"
    assert "submissions: 1 of 2 are not run (accepted/A.java)" in report.warnings


def test_an_older_version_of_a_language_is_said_to_be_one(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_submissions(make_package(tmp_path), {"accepted/old.py": "print 3"})
    package = replace(package, submissions=(replace(package.submissions[0], language=None),))
    report, _, told = verified(package, sandbox, work_root)
    assert told[0].text == "not run: it is in no version of its language that Tally runs"
    assert "submissions: 1 of 1 are not run (accepted/old.py): nothing is verified" in report.warnings


def test_a_submission_that_is_a_folder_is_run(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = make_package(tmp_path)
    folder = tmp_path / "submissions" / "accepted" / "parts"
    folder.mkdir(parents=True)
    (folder / "add.py").write_text("def add(a, b):\n    return a + b")
    (folder / "solve.py").write_text("from add import add\nprint(add(*map(int, input().split())))")
    submission = JurySubmission(
        path=folder / "solve.py",
        name="accepted/parts",
        language="python",
        expected=frozenset({"AC"}),
        files=(("add.py", folder / "add.py"), ("solve.py", folder / "solve.py")),
    )
    report, _, _ = verified(replace(package, submissions=(submission,)), sandbox, work_root)
    assert report.errors == ()


def expecting(tmp_path: Path, source: str, *expectations: Expectation) -> Package:
    package = with_submissions(
        make_package(tmp_path, validator=("check.py", CHECKER_WITH_WORDS)), {"wrong_answer/a.py": source}
    )
    (submission,) = package.submissions
    return replace(package, submissions=(replace(submission, expectations=expectations),))


CHECKER_WITH_WORDS = """
import sys
is_right = sys.stdin.read().split() == open(sys.argv[2]).read().split()
print("as told" if is_right else "off by some", file=open(sys.argv[3] + "judgemessage.txt", "w"))
sys.exit(42 if is_right else 43)
"""
PARTLY = "a, b = map(int, input().split())\nprint(a + b if a != 9 else 0)"  # wrong on secret/2 alone


@pytest.mark.parametrize(
    ("expectation", "problem"),
    [
        (Expectation(cases="secret/1", permitted=frozenset({"AC"})), ""),
        (Expectation(cases="secret", permitted=frozenset({"AC", "WA"}), required=frozenset({"WA"})), ""),
        (Expectation(message="off by"), ""),
        (Expectation(cases="sample/1", message="off by"), "expected 'off by' in a message of the checker on sample/1"),
        (
            Expectation(cases="secret/2", permitted=frozenset({"AC"})),
            "expected only AC on secret/2, got WA on secret/2",
        ),
        (Expectation(cases="s*/1", required=frozenset({"WA"})), "expected WA at least once on s*/1"),
        (Expectation(cases="secret/9"), "expected something of secret/9, which matches no test case"),
        (Expectation(score=(1.0, 2.0)), "expected a score of 1 to 2, got none"),
    ],
)
def test_expectations_of_cases_are_compared(
    tmp_path: Path, expectation: Expectation, problem: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    report, _, told = verified(expecting(tmp_path, PARTLY, expectation), sandbox, work_root)
    assert told[0].problems == ((problem,) if problem else ())
    assert len(report.errors) == len(told[0].problems)


def test_bounds_of_the_time_limit_hold_where_any_verdict_is_fine(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_submissions(make_package(tmp_path), {"accepted/a.py": SUM})
    (submission,) = package.submissions
    for bound, problems in (("lower", ()), ("upper", ("must be too slow, and is not",))):
        changed = replace(package, submissions=(replace(submission, time_limit_bound=bound),))
        assert verified(changed, sandbox, work_root)[2][0].problems == problems


ENDLESS = "import sys\nwhile True:\n    sys.stdout.write('x' * 4096)\n"


def test_endless_printing_is_slow_enough_for_a_legacy_package(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    """It gets OLE before its time is over; the legacy text has no folder for that."""
    package = with_submissions(make_package(tmp_path), {"accepted/a.py": SUM, "time_limit_exceeded/b.py": ENDLESS})
    report, _, _ = verified(package, sandbox, work_root)
    assert report.errors == ()
    assert report.submissions[1].verdict is Verdict.OLE
    (warning,) = [each for each in report.warnings if "OLE" in each]
    assert warning.startswith("submissions/time_limit_exceeded/b.py: prints more than the output limit")
    assert report.as_json()["calibration"]["fastest_too_slow"] is None
    strict, _, _ = verified(replace(package, is_legacy=False), sandbox, work_root)
    assert "expected TLE, got OLE" in strict.errors[0]


def test_a_converted_package_is_spoken_of_in_its_setters_names(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    """Its program is wrong on a sample; all files were called otherwise before."""
    package = with_submissions(make_package(tmp_path, validator=("check.py", CHECKER)), {"accepted/a.py": "print(7)"})
    before = {"data/sample/1.in": "tests/one", "data/sample/1.ans": "tests/one.a", "submissions/accepted/a.py": "a.py"}
    package = replace(package, original=Origins(before).original)
    report, steps, _ = verified(package, sandbox, work_root)
    assert [error.split(": ")[0] for error in report.errors][-1] == "a.py"
    assert "tests/one.a" in [step.name for step in steps if step.phase == "outputs"]
    assert not any("data/sample/1" in error or "submissions/" in error for error in report.errors)
    assert "(tests/one)" in report.submissions[0].text
