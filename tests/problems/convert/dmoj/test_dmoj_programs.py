"""Checkers of DMOJ problems in Python, C and C++ say in packages what they say on DMOJ, or are refused by name."""

import subprocess
from pathlib import Path

import pytest

from problems.convert.dmoj import dmoj_checker
from problems.convert.dmoj.dmoj_python import stand_ins
from problems.loading.loading import load_package
from tests.problems.convert.conftest import Files, Refusals, Stage

POINTS = "test_cases:\n- {in: 1.in, out: 1.out, points: 20}\n"
NO_POINTS = "test_cases:\n- {in: 1.in, out: 1.out}\n"
TESTS = {"1.in": "in\n", "1.out": "ans\n"}


def run_checker(stage: Stage, tmp_path: Path, files: Files, output: str, *worth: str) -> tuple[int, str, str, str]:
    """Exit code, score.txt, judgemessage.txt and stderr of the package's checker, as a judge runs it."""
    feedback = tmp_path / "feedback"
    feedback.mkdir()
    for name, text in (("given", "in\n"), ("answer", "ans\n")):
        (tmp_path / name).write_text(text)
    with stage({**TESTS, **files}) as staged:
        folder = staged.folder / "output_validators/checker"
        if (folder / "build").exists():
            subprocess.run(["/bin/sh", "build"], cwd=folder, check=True, capture_output=True)
        arguments = [tmp_path / "given", tmp_path / "answer", f"{feedback}/", *worth]
        argv = list(map(str, ("/bin/sh", folder / "run", *arguments)))
        done = subprocess.run(argv, input=output, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    left = {path.name: path.read_text() for path in feedback.iterdir()}
    assert set(left) <= {"score.txt", "judgemessage.txt"}
    return done.returncode, left.get("score.txt", ""), left.get("judgemessage.txt", ""), done.stderr


# --- in Python


@pytest.mark.parametrize(
    ("returned", "result", "score"),
    [
        ("True", 42, None),
        ("False", 43, None),
        ("CheckerResult(True, point_value)", 42, None),
        ("CheckerResult(True, 5, 'nearly')", 42, 5.0),
        ("CheckerResult(True, 0)", 42, 0.0),
        ("CheckerResult(False, 0, 'no')", 43, None),
        ("CheckerResult(False, 7.5)", 42, 7.5),
        ("CheckerResult(True, 21)", 1, None),
        ("CheckerResult(True, -1)", 1, None),
        ("CheckerResult(1, 2)", 1, None),
        ("None", 1, None),
        ("1", 1, None),
        ("1 / 0", 1, None),
        (r"b'\xff'.decode()", 43, None),
    ],
)
@pytest.mark.costly
def test_what_python_checkers_return_is_translated(
    stage: Stage, tmp_path: Path, returned: str, result: int, score: float | None
) -> None:
    source = (
        "from dmoj.result import CheckerResult\n"
        "def check(process_output, judge_output, judge_input, point_value, limit=0, **kwargs):\n"
        "    assert (process_output, judge_output, judge_input) == (b'out', b'ans\\n', b'in\\n')\n"
        "    assert (point_value, limit, kwargs) == (20, 3, {'binary_data': False})\n"
        "    print('noise')\n"
        f"    return {returned}\n"
    )
    init = f"{POINTS}checker: {{name: own.py, args: {{limit: 3}}}}\n"
    code, found, words, _ = run_checker(stage, tmp_path, {"init.yml": init, "own.py": source}, "out", "20")
    assert (code, float(found) if found else None) == (result, score)
    assert words in ("", "nearly", "no", "the output is not UTF-8")
    assert bool(words) is ("'" in returned)


@pytest.mark.parametrize(("points", "result"), [("point_value", 42), ("point_value / 2", 43)])
def test_problem_without_points_accepts_nothing_partly_right(
    stage: Stage, tmp_path: Path, points: str, result: int
) -> None:
    source = (
        "from dmoj.result import CheckerResult\n"
        f"def check(output, answer, point_value, **kwargs):\n    return CheckerResult(True, {points})\n"
    )
    files = {"init.yml": f"{NO_POINTS}checker: own.py\n", "own.py": source}
    assert run_checker(stage, tmp_path, files, "out")[:2] == (result, "")


def test_argument_that_a_checker_does_not_look_at_may_be_unknown(stage: Stage, tmp_path: Path) -> None:
    source = "def check(output, answer, submission_source, judge_input, *, case, x, **kwargs):\n    return x == 2\n"
    files = {"init.yml": f"{POINTS}checker: {{name: own.py, args: {{x: 2}}}}\n", "own.py": source}
    assert run_checker(stage, tmp_path, files, "out", "20")[0] == 42


def test_python_checker_is_told_what_a_case_is_worth(stage: Stage) -> None:
    files = {**TESTS, "init.yml": f"{POINTS}checker: own.py\n", "own.py": "def check(*_, **__): return True\n"}
    with stage(files) as staged:
        package = load_package(staged.folder)
        assert package.has_checker_scores
        assert package.test_cases[0].validator_args == ("20",)
        assert staged.warnings == ()


@pytest.mark.parametrize(
    ("name", "output", "result"),
    [
        ("standard", "a b\nc\n", 42),
        ("standard", "a b c\n", 43),
        ("easy", "BAC", 42),
        ("sorted", "c\na b\n", 42),
        ("sorted", "c\nb a\n", 43),
        ("unordered", "c b a\n", 42),
        ("identical", "a b\nc\n", 42),
        ("identical", "a b\nc", 43),
        ("rstripped", "a b \nc\n", 42),
    ],
)
def test_checkers_of_dmoj_may_be_called(name: str, output: str, result: int) -> None:
    check = getattr(stand_ins(dmoj_checker)["dmoj.checkers"], name).check
    assert check(output.encode(), b"a b\nc\n", judge_input=b"", point_value=4) is (result == 42)


def test_linecount_gives_its_part() -> None:
    check = stand_ins(dmoj_checker)["dmoj.checkers.linecount"].check
    result = check(b"a\nx\n", b"a\nb\n", point_value=10)
    assert (result.passed, result.points) == (False, 5)


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("def check(:", "is no Python 3: invalid syntax (line 1)"),
        ("print 'old'", "is no Python 3: Missing parentheses"),
        ("def compare(a, b): pass", "has no function check"),
        ("import numpy\n", "imports numpy, which Tally does not have for a checker"),
        ("from dmoj.graders import standard\n", "imports dmoj.graders.standard, which Tally does not have"),
        ("from dmoj.result import Result\n", "imports dmoj.result.Result, which Tally does not have"),
        ("from dmoj.checkers import bridged\n", "imports dmoj.checkers.bridged, which Tally does not have"),
        ("from . import helper\n", "imports .helper, which Tally does not have"),
        ("from checker_lib import check\n", "imports checker_lib.check, which Tally does not have"),
        (
            "def check(a, b, submission_source, **k): return submission_source",
            "asks for submission_source (the submission's source)",
        ),
        ("def check(a, b, *, result, **k): return result.points", "asks for result (DMOJ's own record of the run)"),
        ("def check(a, b, **k): return k['batch']", "asks for batch (which batch it is)"),
        ("def check(a, b, **k): return k.get('case')", "asks for case (DMOJ's own record of the case)"),
        ("def check(a, b, **k): pass\ncheck.run_on_error = True", "has run_on_error: Tally asks no checker"),
        ("def check(a): pass\n" + "(" * 10_000, "is"),
        ("x = " + "-" * 200_000 + "1\ndef check(a): pass\n", "is"),
        ("# " + "x" * 600_000, "has more than 512 KiB"),
    ],
)
def test_python_checker_that_cannot_run_here_is_refused_by_name(refusals: Refusals, source: str, why: str) -> None:
    (found,) = refusals({**TESTS, "init.yml": f"{POINTS}checker: own.py\n", "own.py": source})
    assert found.startswith(f"own.py: {why}")


def test_names_of_variables_say_nothing(stage: Stage) -> None:
    source = "import re\nimport os.path\ndef check(a, b, **k):\n    result = case = batch = True\n    return result\n"
    with stage({**TESTS, "init.yml": f"{POINTS}checker: own.py\n", "own.py": source}) as staged:
        assert staged.warnings == ()


def test_arguments_that_are_no_plain_values_are_refused(refusals: Refusals) -> None:
    init = f"{POINTS}checker: {{name: own.py, args: {{since: 2020-01-01}}}}\n"
    (found,) = refusals({**TESTS, "init.yml": init, "own.py": "def check(*a, **k): return True\n"})
    assert found.startswith("init.yml: checker.args: must be text, numbers, truths and lists of them")


# --- by exit codes

ARGUMENTS = {
    "default": ("given", "output", "answer"),
    "testlib": ("given", "output", "answer"),
    "coci": ("given", "output", "answer"),
    "peg": ("answer", "output", "given"),
}
TEXTS = {"given": "in\n", "output": "out", "answer": "ans\n"}


@pytest.mark.parametrize(
    ("kind", "code", "stdout", "stderr", "result", "score"),
    [
        ("default", 0, "fine", "", 42, None),
        ("default", 1, "no", "", 43, None),
        ("default", 2, "", "", 1, None),
        ("default", 7, "", "points 5", 1, None),
        ("testlib", 2, "", "", 43, None),
        ("testlib", 7, "", "points 5", 42, 5.0),
        ("coci", 0, "", "partial 1/4", 42, None),
        ("coci", 2, "", "", 43, None),
        ("coci", 7, "", "words\npartial 1/4", 42, 5.0),
        ("coci", 7, "", "partial 4/4", 42, None),
        ("coci", 7, "", "partial 0/4", 42, 0.0),
        ("coci", 7, "", "partial 5/4", 1, None),
        ("coci", 7, "", "partial 1/0", 1, None),
        ("coci", 7, "", "half", 1, None),
        ("coci", 3, "", "", 1, None),
        ("peg", 0, "fine", "", 42, None),
        ("peg", 1, "no", "", 43, None),
        ("peg", 1, "Score\n 3\n4 \nwords", "", 42, 15.0),
        ("peg", 0, "0\n4", "", 42, None),
        ("peg", 1, "0\n4", "", 43, None),
        ("peg", 1, "4\n4", "", 42, None),
        ("peg", 0, "5\n4", "", 1, None),
        ("peg", 2, "3\n4", "", 1, None),
    ],
)
@pytest.mark.costly
def test_exit_codes_of_bridged_checkers_are_translated(
    stage: Stage, tmp_path: Path, kind: str, code: int, stdout: str, stderr: str, result: int, score: float | None
) -> None:
    expected = [TEXTS[name] for name in ARGUMENTS[kind]]
    source = (
        f"import sys\nassert [open(name).read() for name in sys.argv[1:]] == {expected!r}\n"
        f"print({stdout!r})\nprint({stderr!r}, file=sys.stderr)\nsys.exit({code})\n"
    )
    init = f"{POINTS}checker: {{name: bridged, args: {{files: own.py, lang: PY3, type: {kind}}}}}\n"
    found = run_checker(stage, tmp_path, {"init.yml": init, "own.py": source}, "out", "20")
    assert (found[0], float(found[1]) if found[1] else None) == (result, score)
    assert stderr in found[2]


@pytest.mark.parametrize(("kind", "said"), [("coci", "partial 1/2"), ("peg", "1\n2")])
def test_bridged_checkers_accept_nothing_partly_right_without_points(
    stage: Stage, tmp_path: Path, kind: str, said: str
) -> None:
    source = f"import sys\nprint({said!r})\nprint({said!r}, file=sys.stderr)\nsys.exit({7 if kind == 'coci' else 0})\n"
    init = f"{NO_POINTS}checker: {{name: bridged, args: {{files: own.py, type: {kind}}}}}\n"
    assert run_checker(stage, tmp_path, {"init.yml": init, "own.py": source}, "out")[:2] == (43, "")


C_CHECKER = """
#include <stdlib.h>
#include <stdio.h>
#include <math.h>
#include "limits_of_it.h"
int main(int argc, char **argv) {
    char *class = malloc(SIZE); /* neither is C++ */
    FILE *output = fopen(argv[2], "r");
    return fscanf(output, "%9s", class) == 1 && sqrt(argc) == 2.0 ? 0 : 1;
}
"""


@pytest.mark.parametrize(("lang", "output", "result"), [("C", "x", 42), ("C11", "", 43), ("", "x", 42)])
@pytest.mark.costly
def test_checker_in_c_is_compiled_as_c(stage: Stage, tmp_path: Path, lang: str, output: str, result: int) -> None:
    line = f"checker: {{name: bridged, args: {{files: [own.c, limits_of_it.h], lang: '{lang}'}}}}\n"
    files = {"init.yml": POINTS + line, "own.c": C_CHECKER, "limits_of_it.h": "#define SIZE 10\n"}
    assert run_checker(stage, tmp_path, files, output, "20")[0] == result


@pytest.mark.parametrize(("kind", "arguments"), [("default", ["in\n", "ans\n"]), ("testlib", ["in\n", "", "ans\n"])])
def test_interactor_gets_the_arguments_of_its_type(
    stage: Stage, tmp_path: Path, kind: str, arguments: list[str]
) -> None:
    source = f"import sys\nassert [open(name).read() for name in sys.argv[1:]] == {arguments!r}\nprint(input())\n"
    init = f"{POINTS}interactive: {{files: own.py, lang: PY3, type: {kind}}}\n"
    for name, text in (("given", "in\n"), ("answer", "ans\n")):
        (tmp_path / name).write_text(text)
    (tmp_path / "feedback").mkdir()
    with stage({**TESTS, "init.yml": init, "own.py": source}) as staged:
        run = staged.folder / "output_validators/interactor/run"
        argv = ["/bin/sh", str(run), f"{tmp_path}/given", f"{tmp_path}/answer", f"{tmp_path}/feedback/"]
        done = subprocess.run(argv, input="hello\n", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (42, "hello\n", "")
