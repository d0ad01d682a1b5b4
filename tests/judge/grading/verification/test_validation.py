"""Input validators in the real jail: in every language, on every input, with their arguments and files."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.verification.verified import ReportRecord, Step
from problems.package import Package, PackageProgram
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import NUMBERS, make_case, verified, with_validators
from tests.judge.packages import make_package

CPP = """
#include <iostream>
int main() {
    std::string line, rest;
    std::getline(std::cin, line);
    return line.find_first_not_of("0123456789 ") == line.npos && !std::getline(std::cin, rest) ? 42 : 43;
}
"""
RUST = """
use std::io::Read;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let is_right = text.trim_end().split(' ').all(|word| word.parse::<u32>().is_ok());
    std::process::exit(if is_right { 42 } else { 43 });
}
"""
GRAMMAR = "INT(0, 9)\nSPACE\nINT(0, 9)\nNEWLINE\nEOF\n"
TESTLIB = """
#include "testlib.h"
int main() { int a, b; return scanf("%d %d", &a, &b) == 2 ? OK_EXIT_CODE : 3; }
"""
HEADER = "#include <cstdio>\n#define OK_EXIT_CODE 0\n"


def run(package: Package, sandbox: NsjailSandbox, work_root: Path) -> tuple[ReportRecord, list[Step]]:
    report, steps, _ = verified(package, sandbox, work_root)
    return report, [step for step in steps if step.phase == "inputs"]


@pytest.mark.parametrize(("name", "source"), [("v.py", NUMBERS), ("v.cpp", CPP), ("v.rs", RUST), ("v.ctd", GRAMMAR)])
def test_every_language_accepts_and_rejects(
    tmp_path: Path, name: str, source: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    cases = {"sample/1": ("1 2\n", "3\n"), "secret/1": ("1 x\n", "1\n")}
    package = with_validators(make_package(tmp_path, cases), {name: source})
    report, steps = run(package, sandbox, work_root)
    (error,) = report.errors
    assert error.startswith(f"data/secret/1.in: is rejected by input_validators/{name}: exit code ")
    assert [(step.name, step.done, step.total, bool(step.problem)) for step in steps] == [
        ("data/sample/1.in", 1, 2, False),
        ("data/secret/1.in", 2, 2, True),
    ]
    assert report.as_json()["inputs"] == {
        "validators": [f"input_validators/{name}"],
        "files": 2,
        "runs": 2,
        "rejected": 1,
    }


def test_a_program_with_scripts_builds_itself(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = make_package(tmp_path, {"secret/1": ("1 2\n", "3\n"), "secret/2": ("words\n", "3\n")})
    folder = tmp_path / "input_validators" / "own"
    folder.mkdir(parents=True)
    (folder / "build").write_text(
        "#!/bin/sh\nprintf '#!/bin/sh\\ngrep -q \"^[0-9 ]*$\" && exit 42\\n' > run\nchmod +x run\n"
    )
    program = PackageProgram(path=folder, language="script", entry="build", name="input_validators/own")
    report, _ = run(replace(package, input_validators=(program,)), sandbox, work_root)
    assert [error.split(": exit")[0] for error in report.errors] == [
        "data/secret/2.in: is rejected by input_validators/own"
    ]


def test_a_validator_with_an_original_testlib_accepts_with_0(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, {"secret/1": ("1 2\n", "3\n"), "secret/2": ("words\n", "3\n")})
    folder = tmp_path / "input_validators" / "numbers"
    folder.mkdir(parents=True)
    (folder / "v.cpp").write_text(TESTLIB)
    (folder / "testlib.h").write_text(HEADER)
    program = PackageProgram(path=folder, language="cpp", entry="v.cpp", name="input_validators/numbers")
    report, _ = run(replace(package, input_validators=(program,)), sandbox, work_root)
    assert report.errors == (
        "data/secret/2.in: is rejected by input_validators/numbers: exit code 3, without saying why",
    )


def test_viva_is_a_warning_that_names_the_file(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = with_validators(make_package(tmp_path), {"v.viva": "[0; 1]"})
    report, steps = run(package, sandbox, work_root)
    assert (report.errors, steps) == ((), [])
    assert "input_validators/v.viva: is not run: there is no maintained tool for VIVA" in report.warnings


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("v.py", "def (", "input_validators/v.py: the input validator does not compile"),
        ("v.cpp", "int main() { return x; }", "input_validators/v.cpp: the input validator does not compile"),
        ("v.py", "while True: pass", "gives no word on data/sample/1.in, and is asked no further: time limit"),
        ("v.ctd", "INT(0, ", "gives no word on data/sample/1.in, and is asked no further: exit code 2"),
    ],
)
def test_a_broken_one_is_one_error(
    tmp_path: Path, name: str, source: str, words: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    report, steps = run(with_validators(make_package(tmp_path), {name: source}), sandbox, work_root)
    (error,) = report.errors
    plain = error.replace("CPU time limit", "time limit").replace("wall time limit", "time limit")  # on a busy machine
    assert words in plain
    assert len(steps) == ("no word" in words)


def test_what_must_be_rejected_is_rejected_by_one_of_them(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_validators(make_package(tmp_path), {"all.py": "raise SystemExit(42)", "numbers.py": NUMBERS})
    invalid = (make_case(tmp_path, "invalid_input/words", "a b\n"), make_case(tmp_path, "invalid_input/fine", "1 2\n"))
    report, _ = run(replace(package, invalid_inputs=invalid), sandbox, work_root)
    assert report.errors == ("data/invalid_input/fine.in: is rejected by no input validator, though it must be",)


def test_inputs_of_known_outputs_are_checked_too(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = with_validators(make_package(tmp_path), {"numbers.py": NUMBERS})
    case = make_case(tmp_path, "valid_output/1", "a b\n", "3\n")
    report, _ = run(replace(package, valid_outputs=((case, case.answer),)), sandbox, work_root)
    assert [error.split(":")[0] for error in report.errors] == ["data/valid_output/1.in"]


def test_equal_inputs_are_run_once_for_equal_arguments(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    same = {f"secret/{number}": ("1 2\n", "3\n") for number in range(4)}
    package = with_validators(make_package(tmp_path, same), {"v.py": NUMBERS})
    *others, last = package.test_cases
    strict = replace(last, input_validator_args={"": ("strict",)})
    report, steps = run(replace(package, test_cases=(*others, strict)), sandbox, work_root)
    assert report.inputs is not None
    assert (report.inputs.files, report.inputs.runs, len(steps)) == (4, 2, 4)


def test_arguments_go_by_the_validators_name(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    tells = "import json, sys\nprint(json.dumps(sys.argv[1:]))\nsys.exit(43)"
    package = with_validators(make_package(tmp_path, {"secret/1": ("", "")}), {"a.py": tells, "b.py": tells})
    (case,) = package.test_cases
    case = replace(case, args=("--fast",), input_validator_args={"a.py": ("max", "1 000"), "": ("other",)})
    report, _ = run(replace(package, test_cases=(case,)), sandbox, work_root)
    told = [json.loads(error.split("; ")[1]) for error in report.errors]
    assert told == [["max", "1 000", "--fast"], ["other", "--fast"]]


def test_it_finds_its_own_files_and_those_of_the_case(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = make_package(tmp_path, {"secret/1": ("", ""), "secret/2": ("", "")})
    folder = tmp_path / "input_validators" / "own"
    folder.mkdir(parents=True)
    (folder / "main.py").write_text("import os\nprint(sorted(os.listdir()))\nraise SystemExit(43)")
    (folder / "words.txt").write_text("words")
    given = tmp_path / "table.csv"
    given.write_text("1,2")
    first, second = package.test_cases
    program = PackageProgram(path=folder, language="python", entry="main.py", name="input_validators/own")
    package = replace(
        package, test_cases=(replace(first, files=(("table.csv", given),)), second), input_validators=(program,)
    )
    report, _ = run(package, sandbox, work_root)
    assert [error.split("; ")[1] for error in report.errors] == [
        "['main.py', 'table.csv', 'words.txt']",
        "['main.py', 'words.txt']",
    ]


def test_one_that_rejects_all_is_not_quoted_without_end(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    cases = {f"secret/{number}": (f"{number}\n", "3\n") for number in range(12)}
    package = with_validators(make_package(tmp_path, cases), {"v.py": "raise SystemExit(43)"})
    report, _ = run(package, sandbox, work_root)
    assert len(report.errors) == 11
    assert report.errors[-1] == "input_validators/v.py: rejects 2 inputs more"


def test_more_files_than_a_jail_is_told_of_are_the_packages_fault(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_validators(make_package(tmp_path), {"v/run": "exit 42"})
    folder = tmp_path / "input_validators" / "v"
    for number in range(2_100):
        (folder / str(number)).touch()
    program = PackageProgram(path=folder, language="script", entry="run", name="input_validators/v")
    report, _ = run(replace(package, input_validators=(program,)), sandbox, work_root)
    (error,) = report.errors
    assert "cannot be started: a command needs 1 argument at least, 4,000 strings" in error
