"""Output validators in their own jail: what they say counts, what befalls them blames the package."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.compiling.compile_cache import KeptResult, keep
from judge.grading.verdicts import Verdict
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.juries import graded, verified
from tests.judge.packages import make_package
from tests.judge.spoken import spoken

# Accepts what equals the answer, or "any"; with the argument "strict" only the former. Leaves a message for staff.
PYTHON = """
import sys
from pathlib import Path
input_file, answer_file, feedback, *arguments = sys.argv[1:]
numbers = Path(input_file).read_text().split()
output = sys.stdin.read().strip()
Path(feedback, "judgemessage.txt").write_text(f"input {len(numbers)} numbers, output {output}")
is_right = output == Path(answer_file).read_text().strip() or (output == "any" and "strict" not in arguments)
sys.exit(42 if is_right else 43)
"""
CPP = """
#include <fstream>
#include <iostream>
int main(int argc, char **argv) {
    std::ifstream answer_file(argv[2]);
    std::ofstream message(std::string(argv[3]) + "judgemessage.txt");
    std::string answer, output;
    answer_file >> answer;
    std::cin >> output;
    message << "output " << output;
    bool is_strict = argc > 4 && std::string(argv[4]) == "strict";
    return output == answer || (output == "any" && !is_strict) ? 42 : 43;
}
"""
VALIDATORS = [("validate.py", PYTHON), ("validate.cpp", CPP)]
RIGHT = b"print(sum(map(int, input().split())))"
PARTLY = b"a, b = map(int, input().split())\nprint('any' if a == 2 else a + b)"


@pytest.mark.parametrize("validator", VALIDATORS, ids=["python", "cpp"])
@pytest.mark.parametrize(
    ("source", "flags", "verdicts"),
    [
        (RIGHT, (), ["AC", "AC", "AC"]),
        (PARTLY, (), ["AC", "AC", "AC"]),
        (PARTLY, ("strict",), ["AC", "WA", "AC"]),
        (b"print(0)", (), ["WA", "WA", "WA"]),
    ],
)
def test_its_word_counts(
    tmp_path: Path,
    validator: tuple[str, str],
    source: bytes,
    flags: tuple[str, ...],
    verdicts: list[str],
    sandbox: NsjailSandbox,
    work_root: Path,
) -> None:
    package = make_package(tmp_path, validator=validator, flags=flags)
    assert verified(package, sandbox, work_root)[0].errors == ()
    finished, cases = graded(package, source, sandbox, work_root)
    assert [case.verdict.value for case in cases] == verdicts, finished.judge_message
    assert all("output " in case.judge_message for case in cases)
    assert not any(case.ending and case.ending.difference for case in cases)  # a validator's words are for staff


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        ("v.py", "raise SystemExit(0)", "exited with 0 on sample/1"),
        ("v.py", "raise SystemExit(44)", "exited with 44"),
        ("v.py", "1 // 0", "ZeroDivisionError"),
        ("v.py", "while True: pass", "time limit of"),
        ("v.py", "import time; time.sleep(60)", "wall time limit of 3 s"),
        ("v.py", "import os; os.kill(os.getpid(), 9)", "SIGKILL"),
        ("v.py", "def (", "does not compile"),
        ("v.cpp", "int main() { return *(volatile int *)0; }", "SIGSEGV"),
        ("v.cpp", "int main() { return 1", "does not compile"),
    ],
)
def test_a_broken_one_is_a_judge_error_with_a_message_for_the_setter(
    tmp_path: Path, name: str, source: str, words: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, validator=(name, source))
    (error,) = verified(package, sandbox, work_root)[0].errors
    assert words in error
    finished, cases = graded(package, RIGHT, sandbox, work_root)
    assert finished.verdict is Verdict.JE
    assert words in finished.judge_message
    assert [case.verdict.value for case in cases] in ([], ["JE"])
    assert "validator" not in spoken(finished.explanation, None)["judge-error"].text


def test_one_that_rejects_the_answers_is_found_before_publishing(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, validator=("v.py", "import sys; sys.exit(43)"))
    (error,) = verified(package, sandbox, work_root)[0].errors
    assert error.startswith("data/sample/1.ans: is rejected by the checker")


def test_a_compiled_one_is_kept_by_its_content(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    marked = f"// {tmp_path}\n{CPP}"
    cache = work_root / "cache" / "compiled"
    submission = make_package(tmp_path / "z")
    assert graded(submission, RIGHT, sandbox, work_root)[0].verdict is Verdict.AC  # its own result is kept too
    before = set(cache.iterdir())
    package = make_package(tmp_path / "a", validator=("v.cpp", marked))
    for _ in range(2):
        assert graded(package, RIGHT, sandbox, work_root)[0].verdict is Verdict.AC
        (kept,) = set(cache.iterdir()) - before
    rejecting = KeptResult(is_ok=True, message="", program=b"#!/usr/bin/python3 -I\nraise SystemExit(43)\n")
    keep(work_root / "cache", kept.name, rejecting, tmp_path)  # what lies there is what is used
    assert graded(package, RIGHT, sandbox, work_root)[0].verdict is Verdict.WA
    other = make_package(tmp_path / "b", validator=("v.cpp", f"{marked}//"))
    assert graded(other, RIGHT, sandbox, work_root)[0].verdict is Verdict.AC
    assert len(set(cache.iterdir()) - before) == 2


def test_a_validator_of_several_files_sees_them_all(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    for validator, (name, extra) in zip(
        [
            ("main.py", "import rules\nrules.judge()"),
            ("main.cpp", '#include "rules.h"\nint main() { return judge(); }'),
        ],
        [("rules.py", "def judge():\n    raise SystemExit(42)"), ("rules.h", "int judge() { return 42; }")],
        strict=True,
    ):
        package = make_package(tmp_path / validator[0], validator=validator)
        assert package.output_validator is not None
        folder = package.output_validator.path.parent
        (folder / name).write_text(extra)
        package = replace(package, output_validator=replace(package.output_validator, path=folder))
        assert graded(package, RIGHT, sandbox, work_root)[0].verdict is Verdict.AC
