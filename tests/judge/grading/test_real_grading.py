"""Grading for real: three languages in the real jail, every verdict, from the program that earns it."""

import textwrap
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import (
    CaseJudged,
    CaseProfiled as Profiled,
    CompileFinished,
    Event,
    GradingFinished,
    GradingJob,
    ProfilePolicy,
)
from judge.grading.languages import language_by_id
from judge.grading.source_text import take_source
from judge.grading.submission.grading import grade, profile_case
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Ending
from tests.judge.packages import LIMITS, make_package

SUM = {
    "python": "print(sum(map(int, input().split())))",
    "cpp": "#include <iostream>\nint main() { int a, b; std::cin >> a >> b; std::cout << a + b << std::endl; }",
    "rust": """
        use std::io;
        fn main() {
            let mut line = String::new();
            io::stdin().read_line(&mut line).unwrap();
            println!("{}", line.split_whitespace().map(|x| x.parse::<i64>().unwrap()).sum::<i64>());
        }""",
}
# What a program does instead, by verdict and language.
BROKEN = {
    ("WA", "python"): "print(7)",
    ("WA", "cpp"): '#include <cstdio>\nint main() { puts("7"); }',
    ("WA", "rust"): 'fn main() { println!("7"); }',
    ("RE", "python"): "print(3 // 0)",
    ("RE", "cpp"): "#include <cstdlib>\nint main() { abort(); }",
    ("RE", "rust"): 'fn main() { panic!("on purpose"); }',
    ("TLE", "python"): "while True: pass",
    ("TLE", "cpp"): "int main() { for (volatile int i = 0;; i = i + 1) {} }",
    ("TLE", "rust"): "fn main() { let mut x = 0; loop { unsafe { std::ptr::write_volatile(&mut x, 1) } } }",
    ("MLE", "python"): "b = bytearray(200 * 1024 * 1024)\nprint(len(b))",
    ("MLE", "cpp"): (
        "#include <vector>\n#include <cstdio>\n"
        'int main() { std::vector<char> v(200u << 20, 1); printf("%d\\n", v[12345]); }'
    ),
    ("MLE", "rust"): (
        "fn main() { let mut v = vec![0u8; 200 << 20];"
        " for i in (0..v.len()).step_by(4096) { unsafe { std::ptr::write_volatile(&mut v[i], 1) } }"
        ' println!("{}", v.len()); }'
    ),
    ("OLE", "python"): "while True: print('x' * 1000)",
    ("OLE", "cpp"): '#include <cstdio>\nint main() { for (;;) puts("xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"); }',
    ("OLE", "rust"): 'fn main() { loop { println!("{}", "x".repeat(1000)); } }',
    ("CE", "python"): "print(1\nif",
    ("CE", "cpp"): "int main() { return nothing; }",
    ("CE", "rust"): "fn main() { nothing }",
}


def grade_source(
    package: Package, language: str, source: str, sandbox: NsjailSandbox, work_root: Path
) -> tuple[str, list[Event]]:
    code = textwrap.dedent(source).encode()
    job = GradingJob(package=package, language=language, source=code, profile=ProfilePolicy.NONE)
    events = list(grade(job, sandbox, work_root))
    finished = events[-1]
    assert isinstance(finished, GradingFinished)
    return finished.verdict.value, events


def cases_of(events: list[Event]) -> list[CaseJudged]:
    return [event for event in events if isinstance(event, CaseJudged)]


def compile_message(events: list[Event]) -> str:
    compiled = events[0]
    assert isinstance(compiled, CompileFinished)
    return compiled.message


@pytest.mark.parametrize("language", SUM)
def test_a_right_program_is_accepted_and_measured(
    tmp_path: Path, language: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    verdict, events = grade_source(make_package(tmp_path), language, SUM[language], sandbox, work_root)
    assert verdict == "AC", compile_message(events)
    assert len(cases_of(events)) == 3
    for case in cases_of(events):
        assert case.usage.wall_time_us > 0
        assert case.usage.peak_memory_bytes > 0
        assert case.io.write_calls == 1
        assert case.io.write_bytes == case.stdout_bytes


@pytest.mark.parametrize(("verdict", "language"), BROKEN)
@pytest.mark.each
def test_each_verdict_in_each_language(
    tmp_path: Path, verdict: str, language: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    limits = replace(LIMITS, time_limit_ms=300) if verdict == "TLE" else LIMITS
    package = make_package(tmp_path, limits=limits)
    got, events = grade_source(package, language, BROKEN[verdict, language], sandbox, work_root)
    assert got == verdict, [case.ending for case in cases_of(events)]
    assert compile_message(events) or verdict != "CE"


@pytest.mark.parametrize(
    ("language", "source", "words"),
    [
        ("python", "x = \0", "null bytes"),
        ("python", "# \udcff", "encoding"),
        ("python", "x = 1\n\n\n# \udcff", "can't decode byte 0xff"),
        ("python", "def f():\n  return (1", '"main.py", line 2'),
        ("python", "x = " + "not " * 15_000 + "1", "main.py: an expression or a block nests too deeply for Python"),
        ("python", "x = " + "+".join("1" * 30_000), "nests too deeply for Python (RecursionError)"),
        ("cpp", "int main( {", "main.cpp:1:"),
        ("cpp", "int f() { return 1; }", "undefined reference to `main'"),
        ("cpp", "int a[1 << 30] = {1}; int main() { return a[0]; }", ""),
        ("cpp", 'asm(".data\\n.org 1 << 40");\nint main() {}', "it wrote a file of more than 64 MiB"),
        ("cpp", '#include "/etc/passwd"\nint main() {}', "No such file"),
        ("cpp", '#include "/dev/zero"\nint main() {}', "stopped"),
        ("rust", '#![crate_type = "lib"]\npub fn f() {}', "not a program"),
        ("rust", 'fn main() { println!("{}", include_str!("/etc/passwd")); }', "couldn't read"),
    ],
)
def test_what_cannot_be_compiled_says_why(
    tmp_path: Path, language: str, source: str, words: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    code = source.encode("utf-8", "surrogateescape")
    job = GradingJob(package=make_package(tmp_path), language=language, source=code)
    compiled, finished = grade(job, sandbox, work_root)
    assert isinstance(compiled, CompileFinished)
    assert isinstance(finished, GradingFinished)
    assert (compiled.ok, finished.verdict.value) == (False, "CE")
    assert words in compiled.message
    assert compiled.message
    assert "/program" not in compiled.message


@pytest.mark.parametrize("division", ["1 / z", "1 % z", "0 / z", "z / z", "7LL % z", "1u / unsigned(z)"])
def test_an_integer_divided_by_zero_is_a_run_time_error(
    tmp_path: Path, division: str, sandbox: NsjailSandbox, work_root: Path
) -> None:
    source = f"#include <iostream>\nint main() {{ volatile int zero = 0; int z = zero; std::cout << {division}; }}"
    package = make_package(tmp_path, {"secret/1": ("", "0")})
    verdict, events = grade_source(package, "cpp", source, sandbox, work_root)
    (case,) = cases_of(events)
    assert verdict == "RE"
    assert case.ending
    assert (case.ending.how, case.ending.signal) == (Ending.SIGNALLED, "SIGILL")
    assert "division" in [finding.code for finding in events[-1].explanation]  # type: ignore[union-attr]


def test_the_same_source_is_not_compiled_again(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    source = f"// {tmp_path}\n{SUM['cpp']}"
    gradings = [grade_source(make_package(tmp_path), "cpp", source, sandbox, work_root) for _ in range(2)]
    assert [verdict for verdict, _ in gradings] == ["AC", "AC"]
    first, second = (events[0] for _, events in gradings)
    assert isinstance(first, CompileFinished)
    assert isinstance(second, CompileFinished)
    assert first.wall_time_us
    assert second.wall_time_us is None
    assert [case.io for case in cases_of(gradings[0][1])] == [case.io for case in cases_of(gradings[1][1])]


def test_sleeping_is_a_wall_time_limit(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    cases = {"secret/1": ("", "")}
    verdict, events = grade_source(
        make_package(tmp_path, cases), "python", "import time; time.sleep(60)", sandbox, work_root
    )
    (case,) = cases_of(events)
    assert verdict == "TLE"
    assert case.ending
    assert (case.ending.how, case.ending.limit) == (Ending.WALL_LIMIT, 3_000)
    codes = [finding.code for finding in events[-1].explanation]  # type: ignore[union-attr]
    assert "waiting" in codes
    assert "algorithm" not in codes


def test_the_profile_pass_counts_what_the_graded_run_did(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    if problem := sandbox.meter_problem():
        pytest.skip(f"this host cannot count by name: {problem}")
    source = b"import sys\nfor i in range(1000):\n    print(i, flush=True)\n    print(i, file=sys.stderr)\n"
    package = make_package(tmp_path, {"sample/1": ("", "1\n"), "secret/1": ("", "1\n")})
    job = GradingJob(package=package, language="python", source=source, profile=ProfilePolicy.ALL)
    events = list(grade(job, sandbox, work_root))
    profiles = [event for event in events if isinstance(event, Profiled)]
    assert [event.name for event in profiles] == ["sample/1", "secret/1"]
    for event, case in zip(profiles, cases_of(events), strict=True):
        assert event.result is not None, event.problem
        assert event.result.streams["stdout"].calls == 1_000
        assert event.result.streams["stdout"].bytes == case.stdout_bytes
        assert event.result.streams["stderr"].bytes == case.stderr_bytes
        assert event.result.syscalls["write"] == case.io.write_calls
    alone = profile_case(job, "secret/1", sandbox, work_root)
    assert alone.result is not None
    assert alone.result.streams["stdout"].calls == 1_000


def test_nothing_of_one_case_reaches_the_next(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    source = "import os\nprint(sum(map(int, input().split())) if not os.listdir('.') else 'left')\nopen('left', 'w')"
    verdict, _ = grade_source(make_package(tmp_path), "python", source, sandbox, work_root)
    assert verdict == "AC"


def test_the_work_folder_is_empty_afterwards(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    before = sorted(work_root.iterdir())
    grade_source(make_package(tmp_path), "cpp", SUM["cpp"], sandbox, work_root)
    assert sorted(work_root.iterdir()) == before


GREETING = {
    "python": '# -*- coding: {encoding} -*-\n# 인사를 출력한다\nprint("안녕, 똠방각하")\n',
    "cpp": '// 인사를 출력한다\r\n#include <cstdio>\r\nint main() { puts("안녕, 똠방각하"); }\r\n',
    "rust": '// 인사를 출력한다\nfn main() { println!("안녕, 똠방각하"); }\n',
}


@pytest.mark.parametrize("encoding", ["cp949", "utf-16"])
@pytest.mark.parametrize(
    "language", ["python", *(pytest.param(each, marks=pytest.mark.thorough) for each in ("cpp", "rust"))]
)
def test_a_source_in_another_encoding_prints_utf8(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path, language: str, encoding: str
) -> None:
    package = make_package(tmp_path, {"secret/1": ("", "안녕, 똠방각하\n")})
    source = GREETING[language].replace("{encoding}", encoding)
    text = take_source(source.encode(encoding), language_by_id(language), 2_000)
    assert grade_source(package, language, text.content.decode(), sandbox, work_root)[0] == "AC"
