"""`manage.py grade` and `manage.py verify` as people and scripts call them: no server, no database, the real jail."""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.core.management import call_command

from judge.grading.events import CaseProfiled
from judge.grading.running.cases import CaseRunner
from judge.grading.verification.unbuffered import COSTS_NOTHING
from judge.management import terminal
from problems.package import TestCase
from sandbox.jail.nsjail import NsjailSandbox

ROOT = Path(__file__).resolve().parents[3]
LIBRARY = ROOT / "problems" / "library"
SUM = LIBRARY / "sumoftwo"
NOWHERE = {"DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none", "REDIS_URL": "redis://127.0.0.1:1/0"}


def manage(*arguments: object) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, **NOWHERE},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def graded(*arguments: object) -> dict[str, Any]:
    done = manage("grade", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def zipped(folder: Path, target: Path) -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(folder.rglob("*")):
            archive.write(path, path.relative_to(folder.parent))
    return target


def test_a_grading_says_that_its_program_was_compiled_before(sandbox: NsjailSandbox) -> None:
    source = SUM / "submissions" / "accepted" / "sum.cpp"
    answers = [graded(SUM, source)["compile"] for _ in range(2)]
    assert answers[1] == {"ok": True, "message": "", "wall_time_us": None, "cached": True}
    assert answers[0]["cached"] is (answers[0]["wall_time_us"] is None)


def test_what_a_program_says_gives_the_terminal_no_order(sandbox: NsjailSandbox, tmp_path: Path) -> None:
    (tmp_path / "sum.cpp").write_bytes(b"#error \x1b]0;owned\x07\x1b[2J\r\xc2\x9b1m\nint main() {}\n")
    done = manage("grade", SUM, tmp_path / "sum.cpp")
    assert "CE: " in done.stdout
    assert r"\x1b]0;owned\x07\x1b[2J" in done.stdout
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", done.stdout + done.stderr)


def test_a_source_in_cp949_is_graded_and_the_encoding_is_said(sandbox: NsjailSandbox, tmp_path: Path) -> None:
    (tmp_path / "합.py").write_bytes("# 두 수의 합\nprint(sum(map(int, input().split())))\n".encode("cp949"))
    done = manage("grade", SUM, tmp_path / "합.py")
    assert (done.returncode, done.stderr) == (0, "the source is in CP949: it is compiled as UTF-8\n")
    assert "AC" in done.stdout
    (tmp_path / "합.py").write_bytes(b"# caf\xe9\nprint(1)\n")
    done = manage("grade", SUM, tmp_path / "합.py")
    assert done.returncode == 2
    assert done.stderr == "The source is neither UTF-8 nor CP949 text. Save it as UTF-8 and send it again.\n"


def test_the_verdict_and_its_findings_are_printed_before_calls_are_counted(
    sandbox: NsjailSandbox, work_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err = io.StringIO(), io.StringIO()
    err.isatty = lambda: True  # type: ignore[method-assign]  # somebody watches
    printed: list[str] = []

    def profile(bench: CaseRunner, case: TestCase) -> CaseProfiled:
        printed.append(out.getvalue())
        assert "counting system calls, which waits until this machine grades nothing else" in err.getvalue()
        return CaseProfiled(name=case.name, result=None, problem="this host cannot")

    monkeypatch.setattr(CaseRunner, "profile", profile)
    monkeypatch.setattr(terminal, "open_sandbox", lambda: (sandbox, work_root))
    source = str(SUM / "submissions" / "accepted" / "sum.py")
    call_command("grade", str(SUM), source, "--profile", "slowest", stdout=out, stderr=err)
    (before,) = printed
    assert "sample/1" in before.partition("AC: Accepted\n")[0]
    assert "- All" in before.partition("AC: Accepted\n")[2]
    after = out.getvalue().removeprefix(before)
    assert after.startswith("no system calls by name for ")
    assert after.endswith(": this host cannot\n")
    call_command("grade", str(SUM), source, stdout=out, stderr=err)
    assert len(printed) == 1  # no finding about a program that is accepted at once hangs on its calls


PRINTLN = LIBRARY / "countton" / "submissions" / "time_limit_exceeded" / "println.rs"


def test_explaining_makes_the_reruns_of_a_result_page(sandbox: NsjailSandbox) -> None:
    done = manage("grade", LIBRARY / "countton", PRINTLN, "--explain")
    said = done.stdout.partition("TLE: Time limit exceeded\n")[2]
    assert re.search(
        r"secret/05-large: with its output buffered .* calls of write [\d,]+ instead of [\d,]+; the same", said
    )
    assert '+        writeln!(out, "{}", i).unwrap();' in said
    assert re.search(r"secret/05-large: write calls( until it was stopped)?: line 8 [\d,]+$", said, re.MULTILINE)


@pytest.mark.thorough
def test_the_json_of_an_explanation_has_the_reruns(sandbox: NsjailSandbox) -> None:
    answer = graded(LIBRARY / "countton", PRINTLN, "--explain")
    told = {rerun["kind"]: rerun for rerun in answer["reruns"]}
    assert {"buffered", "fix", "lines"} <= set(told)
    assert all(list(rerun) == ["kind", "test_case", "problem", "result"] for rerun in answer["reruns"])
    assert told["buffered"]["result"]["is_identical"] is True
    lines = told["lines"]["result"]["lines"]
    assert lines[0] == {"line": 8, "writes": mock.ANY, "bytes": mock.ANY}
    assert lines[0]["writes"] > 100_000
    assert any(line == '+        writeln!(out, "{}", i).unwrap();' for line in told["fix"]["result"]["diff"])
    if sandbox.meter_problem() is None:
        assert told["profile"]["result"]["syscalls"]["write"] > 100_000


def test_the_json_has_the_promised_shape(sandbox: NsjailSandbox) -> None:
    answer = graded(SUM, SUM / "submissions" / "accepted" / "sum.py", "--profile", "all")
    assert list(answer) == ["problem", "language", "verdict", "compile", "test_cases", "explanation"]
    assert (answer["problem"], answer["language"], answer["verdict"]) == ("sumoftwo", "python", "AC")
    assert list(answer["compile"]) == ["ok", "message", "wall_time_us", "cached"]
    case = answer["test_cases"][0]
    assert list(case) == [
        *("name", "verdict", "user_time_us", "system_time_us", "cpu_time_us", "wall_time_us", "peak_memory_bytes"),
        *("voluntary_switches", "involuntary_switches", "io", "profile"),
    ]
    assert list(case["io"]) == ["read_calls", "write_calls", "read_bytes", "write_bytes"]
    assert case["cpu_time_us"] == case["user_time_us"] + case["system_time_us"]
    assert [list(finding) for finding in answer["explanation"]] == [["code", "text", "evidence", "lines", "advice"]]
    if sandbox.meter_problem() is None:
        assert all(case["profile"]["syscalls"]["write"] == 1 for case in answer["test_cases"])
        assert list(case["profile"]["streams"]) == ["stdin", "stdout", "stderr", "files"]
        assert list(case["profile"]["streams"]["stdout"]) == ["calls", "bytes"]


@pytest.mark.parametrize(
    ("source", "verdict", "code"),
    [
        pytest.param("time_limit_exceeded/endl.cpp", "TLE", "flush-per-line", marks=pytest.mark.thorough),
        ("time_limit_exceeded/println.rs", "TLE", "flush-per-line"),
        pytest.param("time_limit_exceeded/flush.py", "TLE", "flush-per-line", marks=pytest.mark.thorough),
        pytest.param("accepted/newline.cpp", "AC", "summary", marks=pytest.mark.thorough),
        ("accepted/bufwriter.rs", "AC", "summary"),
    ],
)
def test_counting_to_n_explains_itself(source: str, verdict: str, code: str) -> None:
    answer = graded(LIBRARY / "countton", LIBRARY / "countton" / "submissions" / source, "--profile", "none")
    assert answer["verdict"] == verdict
    assert answer["explanation"][-1]["code"] == code
    evidence = answer["explanation"][-1]["evidence"]
    assert (evidence["write_calls"] > 100_000) is (verdict == "TLE")
    assert all(case["profile"] is None for case in answer["test_cases"])


@pytest.mark.thorough
def test_a_zip_is_as_good_as_a_folder(tmp_path: Path) -> None:
    archive = zipped(SUM, tmp_path / "sum.zip")
    program = tmp_path / "program.txt"
    shutil.copyfile(SUM / "submissions" / "accepted" / "sum.rs", program)
    assert graded(archive, program, "--language", "rust", "--profile", "none")["verdict"] == "AC"


def test_people_get_a_table_and_sentences(tmp_path: Path) -> None:
    program = tmp_path / "wrong.py"
    program.write_text("print(7)\n")
    done = manage("grade", SUM, program, "--profile", "none")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[1].split()[:5] == ["test", "case", "verdict", "CPU", "user"]
    assert any(line.startswith("sample/") and " WA " in line for line in lines)
    assert "its output is wrong" in lines[lines.index("WA: Wrong answer") + 1]


@pytest.mark.thorough
def test_a_compile_error_is_graded(tmp_path: Path) -> None:
    program = tmp_path / "broken.cpp"
    program.write_text("int main() {")
    answer = graded(SUM, program)
    assert (answer["verdict"], answer["compile"]["ok"], answer["test_cases"]) == ("CE", False, [])
    assert "main.cpp:1" in answer["compile"]["message"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["grade", SUM], "the following arguments are required: SOURCE"),
        (["grade", SUM, "manage.py", "--language", "cobol"], "invalid choice: 'cobol'"),
        (["grade", SUM, "no-such-file.py"], "cannot read no-such-file.py: No such file or directory"),
        pytest.param(
            ["grade", "no-such-package", "manage.py"], "there is no no-such-package", marks=pytest.mark.thorough
        ),
        (["grade", SUM, "Makefile"], "tells the language: use --language python|cpp|rust"),
        pytest.param(
            ["grade", SUM, os.devnull, "--language", "python"], "The source is empty.", marks=pytest.mark.thorough
        ),
        (["verify", "no-such-package"], "there is no no-such-package"),
        pytest.param(["verify"], "the following arguments are required: PACKAGE", marks=pytest.mark.thorough),
    ],
)
@pytest.mark.costly
def test_usage_is_exit_2_and_a_sentence(arguments: list[object], sentence: str) -> None:
    done = manage(*arguments)
    assert done.returncode == 2
    assert done.stderr.strip().endswith(sentence) or sentence in done.stderr.splitlines()[-1]
    assert done.stdout == ""


def broken_copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SUM, tmp_path / "broken"))


@pytest.mark.thorough
def test_a_broken_package_is_exit_1_and_names_the_file(tmp_path: Path) -> None:
    package = broken_copy(tmp_path)
    next((package / "data" / "secret").glob("*.ans")).unlink()
    for command in (["grade", package, "manage.py"], ["verify", package]):
        done = manage(*command)
        assert done.returncode == 1
        assert "data/secret/" in done.stderr
        assert "Traceback" not in done.stderr
    not_a_zip = tmp_path / "package.zip"
    not_a_zip.write_bytes(b"PK no")
    done = manage("verify", not_a_zip)
    assert (done.returncode, done.stdout) == (1, "")
    assert "package.zip" in done.stderr


@pytest.mark.thorough
def test_verify_accepts_what_is_as_its_folder_says(tmp_path: Path) -> None:
    done = manage("verify", zipped(SUM, tmp_path / "sum.zip"), "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert list(answer)[:6] == ["problem", "time_limit_ms", "submissions", "warnings", "errors", "ok"]
    assert list(answer["submissions"][0])[:7] == [
        *("path", "language", "expected", "verdict", "score", "max_cpu_time_us", "ok")
    ]
    assert (answer["problem"], answer["time_limit_ms"], answer["ok"]) == ("sumoftwo", 1_000, True)
    assert (answer["warnings"], answer["errors"], answer["time_limit_source"]) == ([], [], "problem.yaml")
    assert {one["language"] for one in answer["submissions"]} == {"python", "cpp", "rust"}
    assert all(one["verdict"] in one["expected"] for one in answer["submissions"])
    assert answer["unbuffered"]["skipped"] == COSTS_NOTHING


def test_verify_runs_all_and_names_what_is_not_as_expected(tmp_path: Path) -> None:
    package = broken_copy(tmp_path)
    shutil.rmtree(package / "submissions")
    (package / "submissions" / "accepted").mkdir(parents=True)
    (package / "submissions" / "accepted" / "a_wrong.py").write_text("print(7)\n")
    (package / "submissions" / "accepted" / "b_right.py").write_text("print(sum(map(int, input().split())))\n")
    done = manage("verify", package)
    assert done.returncode == 1
    rows = [line.split() for line in done.stdout.splitlines() if "expected AC  got" in line]
    assert [row[:-4] for row in rows] == [
        ["NOT", "OK", "accepted/a_wrong.py", "expected", "AC", "got", "WA"],
        ["ok", "accepted/b_right.py", "expected", "AC", "got", "AC"],
    ]
    assert "time limit 1 s (problem.yaml)" in done.stdout
    assert done.stderr.strip().splitlines()[-1] == "not as expected: accepted/a_wrong.py"


def test_verify_tells_of_missing_pictures_and_of_files_left_out(tmp_path: Path) -> None:
    package = broken_copy(tmp_path)
    shutil.rmtree(package / "submissions")
    statement = next((package / "statement").glob("problem.en.*"))
    statement.write_text(f"{statement.read_text()}\n![](a.eps) ![](b.eps)\n")
    done = manage("verify", package, "--json")
    answer = json.loads(done.stdout)
    lost = f"{statement.name}: 2 pictures are missing from the page: a.eps, b.eps (browsers show no .eps"
    assert any(warning.startswith(lost) for warning in answer["warnings"]), answer["warnings"]
    assert f"warning: {lost}" in done.stderr
    assert (answer["ok"], answer["clean"], done.returncode) == (True, False, 0)


@pytest.mark.thorough
def test_verify_excludes_what_it_is_told_to(tmp_path: Path) -> None:
    package = broken_copy(tmp_path)
    settings = package / "problem.yaml"
    settings.write_text(re.sub(r"\n  time_limit: .*", "", settings.read_text()))
    shutil.rmtree(package / "submissions" / "time_limit_exceeded")
    done = manage(
        "verify", package, "--json", "--exclude", "accepted/sum.py", "--exclude", "submissions/accepted/sum.cpp"
    )
    answer = json.loads(done.stdout)
    assert answer["time_limit_source"] == "calibrated"
    assert answer["calibration"]["excluded"] == ["accepted/sum.cpp", "accepted/sum.py"]


def test_a_package_that_cannot_be_read_has_the_same_keys(tmp_path: Path) -> None:
    package = tmp_path / "package.zip"
    package.write_bytes(b"PK no")
    done = manage("verify", package, "--json")
    assert done.returncode == 1
    answer = json.loads(done.stdout)
    assert list(answer) == ["problem", "time_limit_ms", "submissions", "warnings", "errors", "ok"]
    assert (answer["problem"], answer["submissions"], answer["ok"]) == ("package", [], False)
    assert "package.zip" in answer["errors"][0]


@pytest.mark.thorough
def test_without_submissions_verify_warns_that_nothing_is_proved(tmp_path: Path) -> None:
    package = broken_copy(tmp_path)
    shutil.rmtree(package / "submissions")
    done = manage("verify", package)
    assert done.returncode == 0
    assert "nothing proves that the problem can be solved" in done.stderr


@pytest.mark.thorough
def test_a_broken_validator_is_a_judge_error_and_exit_1(tmp_path: Path) -> None:
    package = broken_copy(tmp_path)
    (package / "output_validator").mkdir()
    (package / "output_validator" / "check.py").write_text("1 // 0\n")
    done = manage("grade", package, SUM / "submissions" / "accepted" / "sum.py", "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["verdict"] == "JE"
    assert "ZeroDivisionError" in done.stderr
    verified = manage("verify", package)
    assert verified.returncode == 1
    assert "ZeroDivisionError" in verified.stderr
    assert verified.stderr.count("ZeroDivisionError") == 1
    rows = [line for line in verified.stdout.splitlines() if "  expected " in line]
    assert rows
    assert all("NOT OK" in row and "  not run  " in row for row in rows)


@pytest.mark.thorough
def test_grade_says_which_time_limit_it_used_where_the_package_gives_none(tmp_path: Path) -> None:
    package = broken_copy(tmp_path)
    settings = package / "problem.yaml"
    settings.write_text(re.sub(r"\n  time_limit: .*", "", settings.read_text()))
    source = SUM / "submissions" / "accepted" / "sum.py"
    done = manage("grade", package, source, "--profile", "none")
    assert done.returncode == 0
    assert "time limit 1 s (the usual one: the package gives none)" in done.stdout
    sentence = f"the package gives no time limit: 1 s was used; manage.py verify {package} finds the one that follows"
    assert done.stderr.startswith(sentence)
    assert manage("grade", package, source, "--json").stderr.startswith(sentence)


@pytest.mark.thorough
def test_help_says_every_exit_code() -> None:
    for command in ("grade", "verify"):
        told = " ".join(manage(command, "--help").stdout.split("Exit codes:")[1].split())
        assert all(f"{code}: " in told for code in ("0", "1", "2", "3")), told
        assert "130 or 143" in told
