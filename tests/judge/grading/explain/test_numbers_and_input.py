"""Numbers that do not fit, and programs that never read: labelled programs with and without these causes."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.case_ending import Overflow, TokenDifference, overflow_of
from judge.grading.events import CaseJudged, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.languages import language_by_id
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import make_package
from tests.judge.spoken import Spoken, spoken

SUMS = {
    "sample/1": ("1 2\n", "3\n"),
    "secret/1": ("2000000000 2000000000\n", "4000000000\n"),
    "secret/2": ("3000000000 3\n", "3000000003\n"),
}
CIN = "#include <iostream>\nusing namespace std;\n"
OPENED = (
    '#include <cstdio>\nint main() { freopen("input.txt", "r", stdin); int a, b;\nscanf("%d", &a); printf("0\\n"); }'
)
CAUSES = {  # language, source, cause
    "int": ("cpp", f"{CIN}int main() {{ int a, b; cin >> a >> b; cout << a + b; }}", "wrapped-number"),
    "i32": (
        "rust",
        "fn main() { let t: i32 = std::io::read_to_string(std::io::stdin()).unwrap().split_whitespace()"
        '.map(|x| x.parse::<i64>().unwrap() as i32).fold(0, i32::wrapping_add); println!("{}", t); }',
        "wrapped-number",
    ),
    "read into int": (
        "cpp",
        f"{CIN}int main() {{ long long a, b; int c; cin >> a >> b; c = a > 2e9 ? 2147483647 : a + b < 9 ? 3 : 1;\n"
        "cout << (a + b == 4000000000 ? a + b : c); }",
        "clamped-number",
    ),
    "freopen": ("cpp", OPENED, "unread-input"),
    "prints a constant": ("python", "print(3)", "unread-input"),
    "maps it into memory": (
        "python",
        "import mmap\na, b = map(int, mmap.mmap(0, 0, prot=mmap.PROT_READ)[:].split())\nprint(a + b if a < 9 else 0)",
        "",
    ),
    "off by one": ("python", "a, b = map(int, input().split())\nprint(a + b + (a > 9))", ""),
    "zero": ("python", "a, b = map(int, input().split())\nprint(a + b if a < 9 else 0)", ""),
    "reads one line of one length": ("cpp", f"{CIN}int main() {{ int a; cin >> a; cout << 3; }}", ""),
    "reads bytes": (
        "cpp",
        "#include <unistd.h>\nint main() { char c; read(0, &c, 1); write(1, \"3\\n\", 2); }",
        "",
    ),
}  # fmt: skip
CODES = {"wrapped-number", "clamped-number", "unread-input"}


def told(label: str, folder: Path, sandbox: NsjailSandbox, work_root: Path) -> tuple[dict[str, Spoken], CaseJudged]:
    language, source, _ = CAUSES[label]
    job = GradingJob(package=make_package(folder, SUMS), language=language, source=source.encode(), cpu=0)
    events = list(grade(replace(job, profile=ProfilePolicy.NONE), sandbox, work_root))
    finished = events[-1]
    assert isinstance(finished, GradingFinished)
    assert finished.verdict is Verdict.WA
    cases = (event for event in events if isinstance(event, CaseJudged))
    failed = next(case for case in cases if case.verdict is not Verdict.AC)
    return spoken(finished.explanation, language_by_id(language)), failed


@pytest.mark.jail
@pytest.mark.each
@pytest.mark.parametrize("label", CAUSES)
def test_each_program_is_told_its_cause_and_no_other(
    label: str, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    findings, failed = told(label, tmp_path, sandbox, work_root)
    cause = CAUSES[label][2]
    assert findings.keys() & CODES == ({cause} if cause else set())
    if label == "read into int":
        assert "or it is a start value that nothing replaced" in findings["clamped-number"].text
    assert failed.is_sample or failed.ending is None or failed.ending.difference is None
    if label == "freopen":
        assert findings["unread-input"].lines == (2,)
        assert "`freopen` puts a file in its place" in findings["unread-input"].text


@pytest.mark.parametrize(
    ("expected", "got", "overflow"),
    [
        ("'4000000000'", "'-294967296'", Overflow(bits=32, is_wrapped=True)),
        ("'-1'", "'4294967295'", Overflow(bits=32, is_wrapped=True)),
        ("'9223372036854775809'", "'-9223372036854775807'", Overflow(bits=64, is_wrapped=True)),
        ("'3000000000'", "'2147483647'", Overflow(bits=32, is_wrapped=False)),
        ("'-3000000000'", "'-2147483648'", Overflow(bits=32, is_wrapped=False)),
        ("'4294967296'", "'0'", None),
        ("'4294967299'", "'3'", None),
        ("'7'", "'2147483647'", None),
        ("'12'", "'13'", None),
        ("'1e9'", "'5'", None),
        ("'4000000000'", None, None),
    ],
)
def test_a_number_tells_of_an_overflow_only_if_nothing_else_makes_it(
    expected: str, got: str | None, overflow: Overflow | None
) -> None:
    assert overflow_of(TokenDifference(number=1, expected=expected, got=got)) == overflow
