"""What a right solution that flushes each line would use: measured in the real jail, with real write calls."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge.grading.compiling.compilation import Compiler
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.grading.verification import unbuffered
from judge.grading.verification.jury import Jury
from judge.grading.verification.unbuffered import NotMeasured, Printed, Printing, find_printed, forecast
from judge.grading.verification.verified import CaseTime, SubmissionVerified
from problems.package import JurySubmission, Package
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Destination
from tests.judge.juries import SUM, verified, with_submissions
from tests.judge.packages import make_package

LINES = 20_000
MANY = 120_000  # flushing so many costs more than two per cent of the limit
COUNT_IN_CPP = """
#include <iostream>
int main() {
    int n;
    std::cin >> n;
    for (int i = 0; i < n; i++) std::cout << i << '\\n';
}
"""
WRONG = 'fn main() { println!("no"); }'
COUNT = "print('\\n'.join(map(str, range(int(input())))))"


PRINTED = Printed(case="secret/1", path=Path("printed"), lines=1_000)
HINT_CHECKER = """
import sys
n = int(open(sys.argv[2]).read())
sys.exit(42 if sys.stdin.read().split() == [str(i) for i in range(n)] else 43)
"""


def counting(folder: Path, lines: int = LINES) -> Package:
    """Count to n: few words in, many lines out."""
    answers = {f"secret/{n}": (f"{n}\n", "".join(f"{i}\n" for i in range(n))) for n in (3, lines, 40)}
    return make_package(folder, answers)


def accepted(name: str, cpu_time_us: int, write_calls: int = 1) -> SubmissionVerified:
    extensions = {".py": "python", ".cpp": "cpp"}
    submission = JurySubmission(
        path=Path(name), name=name, language=extensions[Path(name).suffix], expected=frozenset({"AC"})
    )
    case = CaseTime(cpu_time_us=cpu_time_us, write_calls=write_calls, stdout_bytes=9)
    return SubmissionVerified(submission=submission, path=name, verdict=Verdict.AC, accepted_cases={"secret/1": case})


@pytest.mark.parametrize("destination", list(Destination))
def test_each_language_prints_the_answer_both_ways(
    tmp_path: Path, destination: Destination, sandbox: NsjailSandbox, work_root: Path
) -> None:
    jury = Jury(package=counting(tmp_path), sandbox=sandbox, work_root=work_root)
    printed = find_printed(jury, [], tmp_path)
    assert (printed.case, printed.lines) == (f"secret/{LINES}", LINES)
    compiler = Compiler(sandbox=sandbox, work_root=work_root)
    for language in LANGUAGES.values():
        printing = unbuffered.time_printing(language, printed.path, destination, compiler, jury.pace)
        assert printing.buffered_us > 0
        if destination is not Destination.TERMINAL:  # there Python and C++ buffer by the line of their own accord
            assert (
                printing.flushing_us > printing.buffered_us + LINES / 10
            )  # a write call costs 0.1 us at the very least


def test_the_forecast_adds_the_difference_to_the_slowest_of_the_language() -> None:
    printing = Printing(buffered_us=10_000, flushing_us=910_000)
    jury = [accepted("accepted/a.py", 200_000), accepted("accepted/b.py", 50_000), accepted("accepted/c.cpp", 90_000)]
    found = forecast(LANGUAGES["python"], printing, PRINTED, jury, 1_000)
    assert found is not None
    assert (found.base_path, found.forecast_us, found.verdict) == ("accepted/a.py", 1_100_000, Verdict.TLE)
    assert found.text == "A right Python solution that flushes each line would need 1.10 s of 1 s: TLE."
    other = forecast(LANGUAGES["cpp"], printing, PRINTED, jury, 1_000)
    assert other is not None
    assert (other.base_path, other.forecast_us, other.verdict) == ("accepted/c.cpp", 990_000, Verdict.AC)


def test_nothing_is_said_of_a_language_in_which_nobody_solved_it(tmp_path: Path) -> None:
    jury = [accepted("accepted/c.cpp", 90_000)]
    printing = Printing(buffered_us=10_000, flushing_us=910_000)
    assert forecast(LANGUAGES["python"], printing, PRINTED, jury, 1_000) is None
    assert [language.id for language in unbuffered.languages_of(make_package(tmp_path), jury)] == ["cpp"]


@pytest.mark.parametrize(
    ("base_us", "flushing_us", "is_said"), [(90_000, 29_000, False), (90_000, 31_000, True), (995_000, 29_000, True)]
)
def test_flushing_that_adds_nothing_is_said_to_once(
    tmp_path: Path, base_us: int, flushing_us: int, is_said: bool
) -> None:
    printed = replace(PRINTED, path=tmp_path / "printed")
    printed.path.write_text("1\n")
    printing = Printing(buffered_us=10_000, flushing_us=flushing_us)
    found = forecast(LANGUAGES["cpp"], printing, printed, [accepted("accepted/c.cpp", base_us)], 1_000)
    assert found is not None
    told = unbuffered.measured(printed, Destination.FILE, [found], 1_000)
    assert (told.forecasts, told.skipped) == (((found,), "") if is_said else ((), unbuffered.COSTS_NOTHING))


def test_one_that_flushes_already_does_not_pay_twice() -> None:
    printing = Printing(buffered_us=10_000, flushing_us=310_000)
    jury = [accepted("accepted/buffered.py", 50_000), accepted("accepted/flushes.py", 340_000, write_calls=1_000)]
    found = forecast(LANGUAGES["python"], printing, PRINTED, jury, 1_000)
    assert found is not None
    assert (found.base_path, found.forecast_us) == ("accepted/buffered.py", 350_000)


def test_answers_that_are_hints_are_not_what_is_printed(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    cases = {f"secret/{n}": (f"{n}\n", f"{n}\n") for n in (5, 5_000, 50)}
    package = make_package(tmp_path, cases, validator=("check.py", HINT_CHECKER))
    report, _, _ = verified(with_submissions(package, {"accepted/count.py": COUNT}), sandbox, work_root)
    assert report.unbuffered is not None
    assert (report.unbuffered.case, report.unbuffered.lines) == ("secret/5000", 5_000)
    assert report.errors == ()
    assert not any("the checker" in warning for warning in report.warnings)  # it accepts no answer as an output


def test_answers_that_are_too_large_are_not_printed(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = counting(tmp_path)
    large = package.test_cases[1].answer
    with large.open("r+b") as file:
        file.truncate(65 * MIB)  # takes no room on the disk
    jury = Jury(package=package, sandbox=sandbox, work_root=work_root)
    with pytest.raises(NotMeasured, match=f"the answer of secret/{LINES} has 65 MiB, the output limit is 1 MiB"):
        find_printed(jury, [], tmp_path)
    package = replace(package, limits=replace(package.limits, output_bytes=512 * MIB))
    with pytest.raises(NotMeasured, match=r"65 MiB are to be printed, which is more than 64 MiB"):
        find_printed(replace(jury, package=package), [], tmp_path)


def test_noise_is_no_gain() -> None:
    assert Printing(buffered_us=12, flushing_us=10).difference_us == 0


def test_a_report_has_a_forecast_per_language(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = with_submissions(
        counting(tmp_path, MANY),
        {"accepted/count.py": COUNT, "accepted/count.cpp": COUNT_IN_CPP, "wrong_answer/a.rs": WRONG},
    )
    report, steps, _ = verified(package, sandbox, work_root)
    answer = report.as_json()["unbuffered"]
    assert {key: answer[key] for key in ("skipped", "case", "lines", "stdout")} == {
        "skipped": "",
        "case": f"secret/{MANY}",
        "lines": MANY,
        "stdout": "file",
    }
    assert [found["base_path"] for found in answer["forecasts"]] == ["accepted/count.py", "accepted/count.cpp"]
    assert all(found["forecast_us"] > found["base_us"] for found in answer["forecasts"])
    assert [step.total for step in steps if step.phase == "unbuffered"] == [2, 2]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"is_interactive": True}, "In a conversation every line has to be flushed"),
        ({"most_passes": 2}, "A multi-pass problem's answer is not what a solution prints"),
        ({}, "No accepted submission was run"),
    ],
)
def test_where_it_makes_no_sense_a_sentence_says_so(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    package = replace(make_package(tmp_path), **changes)
    assert str(unbuffered.why_skipped(package, [])).startswith(words)


def test_only_allowed_languages_are_measured(tmp_path: Path) -> None:
    package = replace(with_submissions(make_package(tmp_path), {"accepted/a.py": SUM}), languages=("cpp",))
    jury = [accepted("accepted/a.py", 9_000), accepted("accepted/b.cpp", 9_000)]
    assert [language.id for language in unbuffered.languages_of(package, jury)] == ["cpp"]
    assert "contestants may use" in unbuffered.measured(PRINTED, Destination.FILE, [], 1_000).skipped
