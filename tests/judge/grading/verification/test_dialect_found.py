"""Points that are expected of a jury submission tell the dialect of a legacy package while it is verified."""

from pathlib import Path

from judge.grading.verification.verified import ReportRecord
from judge.management import report as reports
from problems.loading.loading import load_package
from problems.package import Package
from problems.testgroups import DOMJUDGE, KATTIS
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import verified

ADDS = "print(sum(map(int, input().split())))\n"
ADDS_SMALL = "a, b = map(int, input().split())\nprint(a + b if a < 10 else 0)\n"
FILES = {
    "problem.yaml": "name: x\nlimits: {time_limit: 1}\ntype: scoring\n",
    "problem_statement/problem.en.tex": "Add.\n",
    "data/testdata.yaml": "on_reject: continue\ngrader_flags: sum\nrange: 0 161\n",
    "data/secret/testdata.yaml": "on_reject: continue\n",
    "data/secret/a/testdata.yaml": "accept_score: 20\n",
    "data/secret/b/testdata.yaml": "accept_score: 60\n",
    **{
        f"data/{name}.in": f"{a} {b}\n"
        for name, a, b in (("sample/1", 1, 1), ("secret/a/1", 1, 2), ("secret/a/2", 2, 2))
    },
    **{f"data/{name}.ans": f"{c}\n" for name, c in (("sample/1", 2), ("secret/a/1", 3), ("secret/a/2", 4))},
    **{f"data/secret/b/{n}.in": f"1{n} 1\n" for n in (1, 2)},
    **{f"data/secret/b/{n}.ans": f"1{n + 1}\n" for n in (1, 2)},
    "submissions/accepted/add.py": ADDS,
}


def package_of(folder: Path, **submissions: str) -> Package:
    more = {f"submissions/wrong_answer/{name}.py": text for name, text in submissions.items()}
    for name, text in {**FILES, **more}.items():
        path = folder / "sum" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return load_package(folder / "sum")


def scores(report: ReportRecord) -> dict[str, float | None]:
    return {one.path: one.score for one in report.submissions}


def test_expected_points_decide_before_what_the_files_tell(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = package_of(tmp_path, small=f"# @EXPECTED_SCORE@: 20\n{ADDS_SMALL}", none="print(7)\n")
    assert package.dialect is not None
    assert package.dialect.name == KATTIS  # by the range
    report, _, _ = verified(package, sandbox, work_root)
    assert report.errors == ()
    assert report.score_dialect is not None
    assert (report.score_dialect.name, report.score_dialect.is_certain) == (DOMJUDGE, True)
    assert scores(report) == {"accepted/add.py": 80, "wrong_answer/none.py": 0, "wrong_answer/small.py": 20}
    assert report.as_json()["score_dialect"]["why"] == "submissions/wrong_answer/small.py is to get 20 points"
    (line,) = [line for line in reports.verification_as_text(report).splitlines() if line.startswith("points: ")]
    assert line.startswith("points: accept_score is for all of its folder's test cases together, as in DOMjudge (")


def test_expected_points_that_fit_leave_the_dialect(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = package_of(tmp_path, small=f"# @EXPECTED_SCORE@: 41\n{ADDS_SMALL}")
    report, _, _ = verified(package, sandbox, work_root)
    assert report.errors == ()
    assert report.score_dialect is not None
    assert report.score_dialect.name == KATTIS
    assert scores(report)["accepted/add.py"] == 161


def test_points_that_fit_no_dialect_are_an_error(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    report, _, _ = verified(package_of(tmp_path, small=f"# @EXPECTED_SCORE@: 7\n{ADDS_SMALL}"), sandbox, work_root)
    assert report.score_dialect is not None
    assert report.score_dialect.name == KATTIS
    assert "expected a score of 7, got 41" in report.errors[0]
