"""Output validators of every kind that a package may bring: scripts, Rust, and checkers with an original testlib.h."""

import base64
import io
import tarfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.compiling import compile_cache
from judge.grading.events import CaseJudged
from judge.grading.verdicts import Verdict
from problems.package import Package, PackageProgram
from problems.testgroups import Grading, TestGroup
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import graded, verified
from tests.judge.packages import make_package

RIGHT = b"print(sum(map(int, input().split())))"
PARTLY = b"a, b = map(int, input().split())\nprint(0 if a == 2 else a + b)"
RUST = """
use std::io::Read;
mod rules;
fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut output = String::new();
    std::io::stdin().read_to_string(&mut output).unwrap();
    let answer = std::fs::read_to_string(&arguments[2]).unwrap();
    std::fs::write(arguments[3].clone() + "judgemessage.txt", "from Rust").unwrap();
    std::process::exit(if rules::same(&answer, &output) { 42 } else { 43 });
}
"""
C = """
#include <stdio.h>
int main(int argc, char **argv) {
    FILE *answer_file = fopen(argv[2], "r");
    int answer, output;
    return fscanf(answer_file, "%d", &answer) == 1 && scanf("%d", &output) == 1 && answer == output ? 42 : 43;
}
"""
SHELL = '#!/bin/sh\n[ "$(cat)" = "$(cat "$2")" ] && exit 42 || exit 43\n'
BESIDE = 'exec "$(dirname "$0")/check" "$@"'  # what `run` does when `build` made a program
SCRIPTS: list[dict[str, str]] = [
    {"run": SHELL},
    {"run": SHELL.removeprefix("#!/bin/sh\n")},
    {"build": "#!/bin/sh\ncc -o check check.c", "run": f"#!/bin/sh\n{BESIDE}\n", "check.c": C},
    {"build": "#!/bin/sh\nmkdir made && cc -o made/check src/check.c && ln -s made/check run", "src/check.c": C},
    {"build": f"printf '%s' '{BESIDE}' > run && chmod +x run && cc -o check check.c\n", "check.c": C},
    {"build": "#!/bin/sh\nexec tools/make", "tools/make": "#!/bin/sh\ncc -o run check.c", "check.c": C},
    {"run": '#!/bin/sh\nexec "$(dirname "$0")/check.sh" "$@"', "check.sh": SHELL},
]
# A header of our own with the interface of the well-known one: its arguments, its exit codes, its words on stderr.
TESTLIB = """
#pragma once
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#ifndef OK_EXIT_CODE
#   ifdef EJUDGE
#       define OK_EXIT_CODE 42
#   else
#       define OK_EXIT_CODE 0
#   endif
#endif
enum TResult { _ok = OK_EXIT_CODE, _wa = 1, _pe = 2, _fail = 3, _points = 7 };
static std::ifstream inf, ouf, ans;
inline void registerTestlibCmd(int argc, char **argv) {
    if (argc != 4) { fputs("FAIL input, output and answer are the arguments\\n", stderr); exit(_fail); }
    inf.open(argv[1]), ouf.open(argv[2]), ans.open(argv[3]);
}
inline void quitf(TResult result, const char *words) { fputs(words, stderr); exit(result); }
inline void quitp(double points, const char *words) { fprintf(stderr, "points %.2f %s", points, words); exit(_points); }
inline void quitpc(int points) { fprintf(stderr, "partially correct (%d)", points); exit(points); }
"""
CHECKER = """
#include "testlib.h"
int main(int argc, char **argv) {
    registerTestlibCmd(argc, argv);
    int a, b, expected, got;
    if (!(inf >> a >> b) || !(ans >> expected)) quitf(_fail, "FAIL no answer");
    if (!(ouf >> got)) quitf(_pe, "wrong output format no number");
    if (got == -1) quitp(0.75, "nearly");
    if (got == -2) quitpc(30);
    if (got == -3) quitf(_fail, "FAIL the jury is wrong");
    if (got != expected) quitf(_wa, "wrong answer differ");
    quitf(_ok, "ok a number");
}
"""


def with_program(folder: Path, files: Mapping[str, str], language: str, entry: str) -> Package:
    """A package whose output validator is a folder of these files."""
    place = folder / "output_validator"
    for name, content in files.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(content)
    program = PackageProgram(path=place, language=language, entry=entry, name="output_validator")
    return replace(make_package(folder), output_validator=program)


def verdicts(cases: list[CaseJudged]) -> list[str]:
    return [case.verdict.value for case in cases]


@pytest.mark.parametrize(
    "files",
    SCRIPTS,
    ids=["run", "run without #!", "build and run", "link", "made by build", "a helper of build", "of run"],
)
def test_a_script_is_built_and_run(
    tmp_path: Path, files: dict[str, str], sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_program(tmp_path, files, "script", "run")
    assert verified(package, sandbox, work_root)[0].errors == ()
    finished, cases = graded(package, PARTLY, sandbox, work_root)
    assert verdicts(cases) == ["AC", "WA", "AC"], finished.judge_message


def test_a_script_is_built_once(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    files = {"build": f"echo 'exit 42' > run && chmod +x run  # {tmp_path}"}
    package = with_program(tmp_path, files, "script", "run")
    assert verified(package, sandbox, work_root)[0].errors == ()
    room = work_root / compile_cache.CACHE / "compiled"
    newest = max(room.iterdir(), key=lambda path: path.stat().st_mtime_ns)
    kept = compile_cache.look_up(work_root / compile_cache.CACHE, newest.name)
    assert kept is not None
    assert b"exit 42" in bytes(kept.program)
    rejecting = replace(kept, program=bytes(kept.program).replace(b"exit 42", b"exit 43"))
    compile_cache.keep(work_root / compile_cache.CACHE, newest.name, rejecting, tmp_path)  # what lies there is used
    assert graded(package, RIGHT, sandbox, work_root)[0].verdict is Verdict.WA


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"build": "echo no compiler >&2; exit 3"}, "build failed with exit code 3.\nno compiler"),
        ({"build": "true"}, "there is no file run after build"),
        ({"build": "while :; do :; done"}, "The compiler was stopped"),
        ({"build": "head -c 40000000 /dev/zero >big; cp big run"}, "build left more than 64 MiB"),
        ({"run": "exit 1"}, "exited with 1 on sample/1"),
        ({"run": "#!/no/such/shell\n"}, "exited with 12"),
        ({"build": "touch /program/x || exit 9"}, "exit code 9"),  # its own folder, and not the package, can be written
    ],
)
def test_a_broken_script_blames_the_package(
    tmp_path: Path, files: dict[str, str], words: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_program(tmp_path, files, "script", "run")
    package = replace(package, limits=replace(package.limits, compile_time_ms=700))
    finished, _ = graded(package, RIGHT, sandbox, work_root)
    assert finished.verdict is Verdict.JE
    assert words in finished.judge_message


def test_an_archive_of_builds_own_making_reaches_nothing_outside(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, link in (("run", "x"), ("a", str(outside)), ("a/evil", "/etc/hostname")):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = tarfile.SYMTYPE, link
            archive.addfile(info)
    made = base64.b64encode(target.getvalue()).decode()
    build = "base64 -d made > /box/program.tar && mkdir /box/x && mv /box/program /box/x/program"
    package = with_program(tmp_path, {"build": build, "made": made}, "script", "run")
    finished, _ = graded(package, RIGHT, sandbox, work_root)
    assert list(outside.iterdir()) == []
    assert finished.verdict is Verdict.JE
    assert "what build left cannot be used: the link 'a' leads out of the program's folder" in finished.judge_message


def test_one_in_rust_of_several_files(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    rules = "pub fn same(a: &str, b: &str) -> bool { a.trim() == b.trim() }"
    package = with_program(tmp_path, {"rules.rs": rules, "main.rs": RUST}, "rust", "main.rs")
    finished, cases = graded(package, PARTLY, sandbox, work_root)
    assert verdicts(cases) == ["AC", "WA", "AC"], finished.judge_message
    assert cases[0].judge_message == "from Rust"


def test_what_it_says_to_the_contestant_is_shown_on_samples(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    says = "import pathlib, sys\npathlib.Path(sys.argv[3], 'teammessage.txt').write_text('look closer')\nsys.exit(43)"
    package = make_package(tmp_path, validator=("says.py", says))
    _, cases = graded(package, RIGHT, sandbox, work_root)
    assert [case.team_message for case in cases] == ["look closer", "", ""]
    assert not any(case.ending and case.ending.difference for case in cases)


@pytest.mark.parametrize("header", ["in its folder", "beside it", "in include"])
def test_a_checker_with_an_original_testlib_header(
    tmp_path: Path, header: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_program(tmp_path, {"check.cpp": CHECKER, "testlib.h": TESTLIB}, "cpp", "check.cpp")
    place = tmp_path / "output_validator"
    if header != "in its folder":
        only = PackageProgram(path=place / "check.cpp", language="cpp", entry="check.cpp")
        package = replace(package, output_validator=only)
    if header == "in include":
        (place / "testlib.h").rename(tmp_path / "testlib.h")
        package = replace(package, included={"cpp": (("testlib.h", tmp_path / "testlib.h"),)})
    assert verified(package, sandbox, work_root)[0].errors == ()
    finished, cases = graded(package, PARTLY, sandbox, work_root)
    assert verdicts(cases) == ["AC", "WA", "AC"], finished.judge_message
    assert [case.judge_message for case in cases] == ["ok a number", "wrong answer differ", "ok a number"]


@pytest.mark.parametrize(
    ("output", "is_scoring", "verdict", "score"),
    [
        (b"print()", True, "WA", None),
        (b"print(-1)", True, "AC", 0.75),
        (b"print(-1)", False, "JE", None),
        (b"print(-2)", True, "AC", 30.0),
        (b"print(-2)", False, "WA", None),
        (b"print(-3)", True, "JE", None),
    ],
)
def test_its_exit_codes(
    tmp_path: Path,
    output: bytes,
    is_scoring: bool,
    verdict: str,
    score: float | None,
    sandbox: NsjailSandbox,
    work_root: Path,
) -> None:
    package = with_program(tmp_path, {"check.cpp": CHECKER, "testlib.h": TESTLIB}, "cpp", "check.cpp")
    names = tuple(case.name for case in package.test_cases)
    groups = TestGroup(name="", rule=Grading(), parts=names) if is_scoring else None
    finished, cases = graded(replace(package, groups=groups), output, sandbox, work_root)
    assert (cases[0].verdict.value, cases[0].score) == (verdict, score), finished.judge_message
    if verdict == "JE":
        assert "by its testlib.h it must exit with 0" in finished.judge_message


def test_a_testlib_header_made_for_the_format_is_no_other_kind(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    header = TESTLIB.replace("OK_EXIT_CODE 0", "OK_EXIT_CODE 42").replace("_wa = 1", "_wa = 43")
    header = header.replace("argc != 4", "argc != 5").replace("ans.open(argv[3])", "ans.open(argv[2])")
    header = header.replace("inf.open(argv[1]), ouf.open(argv[2])", 'inf.open(argv[1]), ouf.open("/dev/stdin")')
    package = with_program(tmp_path, {"check.cpp": CHECKER, "testlib.h": header}, "cpp", "check.cpp")
    package = replace(package, test_cases=tuple(replace(case, validator_args=("x",)) for case in package.test_cases))
    finished, cases = graded(package, PARTLY, sandbox, work_root)
    assert verdicts(cases) == ["AC", "WA", "AC"], finished.judge_message
