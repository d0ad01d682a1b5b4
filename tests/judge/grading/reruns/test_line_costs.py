"""Line costs: each write is attributed to the line marked in the program, with the exact count."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from judge.grading.compiling.compilation import compile_limits
from judge.grading.compiling.compile_cache import key_of
from judge.grading.events import CaseJudged, GradingJob, LineCosts, ProfilePolicy, RerunEnded
from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.reading.binaries.addresses import ToolFailed, lines_in, lines_of
from judge.grading.reruns import line_costs
from judge.grading.reruns.line_costs import SEVERAL_PASSES, measure_line_costs
from judge.grading.submission.grading import grade
from problems.package import Package
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB
from tests.judge.grading.reruns.line_programs import PROGRAMS, code_of, marked
from tests.judge.packages import LIMITS, make_package, with_included

Trace = Callable[..., RerunEnded[LineCosts]]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return make_package(tmp_path, {"secret/1": ("1\n", "1\n")})


@pytest.fixture
def traced(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Trace:
    """A function that traces a program on the case of the package, or of another one."""

    def run(language: str, source: str, given: Package = package) -> RerunEnded[LineCosts]:
        job = GradingJob(package=given, language=language, source=code_of(source), cpu=0)
        return measure_line_costs(job, "secret/1", sandbox, work_root)

    return run


def costs_of(traced: RerunEnded[LineCosts]) -> LineCosts:
    assert traced.result is not None, traced.problem
    assert not traced.problem
    return traced.result


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_write_is_told_to_its_line(name: str, traced: Trace) -> None:
    language, elsewhere, source = PROGRAMS[name]
    costs = costs_of(traced(language, source))
    assert {cost.line: cost.writes for cost in costs.lines} == marked(source)
    assert costs.elsewhere == elsewhere
    assert costs.sampled_every == 1
    assert costs.is_whole
    assert [cost.writes for cost in costs.lines] == sorted((cost.writes for cost in costs.lines), reverse=True)


@pytest.mark.parametrize("name", ["endl in a helper that is called from two places", "a BufWriter that is dropped"])
def test_the_counts_are_those_of_the_judged_run(
    name: str, traced: Trace, package: Package, sandbox: NsjailSandbox, work_root: Path
) -> None:
    language, _, source = PROGRAMS[name]
    job = GradingJob(package=package, language=language, source=code_of(source), profile=ProfilePolicy.NONE)
    judged = next(event for event in grade(job, sandbox, work_root) if isinstance(event, CaseJudged))
    costs = costs_of(traced(language, source))
    assert sum(cost.writes for cost in costs.lines) + costs.elsewhere == judged.io.write_calls
    assert sum(cost.bytes for cost in costs.lines) == judged.io.write_bytes


ENDLESS = {
    "cpp": """
        #include <iostream>
        int main() {
            for (;;) std::cout << "line" << std::endl; //@ 1
        }""",
    "rust": """
        fn main() {
            loop { println!("line"); } //@ 1
        }""",
    "python": """
        while True:
            print("line", flush=True) #@ 1""",
}


@pytest.mark.parametrize("language", ENDLESS)
@pytest.mark.parametrize("stopped_by", ["time", "output"])
def test_a_run_that_was_stopped_says_so(language: str, stopped_by: str, traced: Trace, package: Package) -> None:
    by_time = replace(LIMITS, time_limit_ms=50, output_bytes=512 * MIB)
    given = replace(package, limits=by_time if stopped_by == "time" else LIMITS)
    costs = costs_of(traced(language, ENDLESS[language], given))
    assert [cost.line for cost in costs.lines] == list(marked(ENDLESS[language]))
    assert costs.lines[0].writes > 10_000
    assert costs.elsewhere <= 1
    assert not costs.is_whole


def test_a_conversation_is_counted_too(traced: Trace, tmp_path: Path) -> None:
    interactor = """
import sys
for number in range(50):
    print(number, flush=True)
    if int(input()) != number:
        sys.exit(43)
print("end", flush=True)
sys.exit(42)
"""
    source = """
        #include <iostream>
        #include <string>
        int main() {
            std::string word;
            while (std::cin >> word && word != "end")
                std::cout << word << std::endl; //@ 50
        }"""
    package = make_package(
        tmp_path, {"secret/1": ("1\n", "1\n")}, validator=("talk.py", interactor), is_interactive=True
    )
    costs = costs_of(traced("cpp", source, package))
    assert {cost.line: cost.writes for cost in costs.lines} == marked(source)
    assert costs.is_whole


def test_several_passes_are_not_counted(traced: Trace, package: Package) -> None:
    tried = traced("python", "print(1)", replace(package, most_passes=2))
    assert (tried.result, tried.problem) == (None, SEVERAL_PASSES)


def test_a_program_that_does_not_compile_gets_a_sentence(traced: Trace) -> None:
    assert "could not be compiled once more" in traced("cpp", "int main() {").problem


LIES = """
import os
table = os.open(".tally-writes", os.O_RDWR)
os.pwrite(table, (COUNT).to_bytes(8, "little"), 24 + 2 * 240 + 8)
os.pwrite(table, (1 << 32 | 1).to_bytes(8, "little"), 24 + 2 * 240 + 40)
"""


def test_a_table_that_says_more_than_the_kernel_is_not_shown(traced: Trace) -> None:
    tried = traced("python", LIES.replace("COUNT", "5_000"))
    assert tried.result is None
    assert "more than the kernel counted" in tried.problem


def test_a_program_that_removes_its_table_gets_a_sentence(traced: Trace) -> None:
    tried = traced("python", "import os\nos.unlink('.tally-writes')\nprint(1)")
    assert tried.result is None
    assert "no table" in tried.problem


def test_lines_that_the_source_does_not_have_are_nobodys(traced: Trace) -> None:
    source = '#include <unistd.h>\n#line 7000\nint main() { return write(1, "x", 1) != 1; }'
    costs = costs_of(traced("cpp", source))
    assert (costs.lines, costs.elsewhere) == ((), 1)


def test_the_packages_own_file_has_no_lines_of_the_students(traced: Trace, package: Package, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print(1, flush=True)\n")
    given = with_included(package, "python", tmp_path / "main.py")
    costs = costs_of(traced("python", "print(2)", given))
    assert (costs.lines, costs.elsewhere) == ((), 1)


WITH_THE_PACKAGES_PROGRAM = {
    "python": (
        "__main__.py",
        """
        import os, main
        for i in range(10): print(i, flush=True)
        main.say(3)
        os.write(1, b"x")
        main.give(print)""",
        """
        def say(count):
            # this is not the line of the package's program that writes
            for i in range(count): print(i, flush=True) #@ 3
        def give(show):
            show("student", flush=True) #@ 1""",
    ),
    "cpp": (
        "driver.cpp",
        """
        #include <iostream>
        void say(int count);
        int main() {
            for (int i = 0; i < 10; i++) std::cout << i << std::endl;
            say(3);
            std::cerr << 1;
        }""",
        """
        #include <iostream>
        void say(int count) {
            // nor is this
            // the line of the package's
            while (count--) std::cout << count << std::endl; //@ 3
        }""",
    ),
    "rust": (
        "given.rs",
        """
        pub fn show() { for _ in 0..10 { println!("x"); } }
        pub fn later() -> Box<dyn Fn()> { Box::new(|| { println!("y"); println!("z"); }) }""",
        """
        mod given;
        fn main() {
            let count = 3;
            for _ in 0..count { println!("s"); } //@ 3
            std::thread::spawn(given::show).join().unwrap();
            std::thread::spawn(move || given::later()()).join().unwrap(); //@ 2
        }""",
    ),
}


@pytest.mark.parametrize("language", WITH_THE_PACKAGES_PROGRAM)
def test_lines_of_the_packages_files_are_not_taken_for_the_students(
    language: str, traced: Trace, package: Package, tmp_path: Path
) -> None:
    name, packages, students = WITH_THE_PACKAGES_PROGRAM[language]
    (tmp_path / name).write_bytes(code_of(packages))
    costs = costs_of(traced(language, students, with_included(package, language, tmp_path / name)))
    assert {cost.line: cost.writes for cost in costs.lines} == marked(students)
    assert costs.elsewhere >= 10


@pytest.mark.parametrize("language", [CPP, RUST])
def test_line_information_is_compiled_apart(language: Language) -> None:
    limits = compile_limits(LIMITS)
    keys = {key_of(each, {"main": b""}, ("main",), limits) for each in (language, language.with_lines())}
    assert len(keys) == 2
    assert not language.with_lines().header


def test_what_is_no_program_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "main").write_bytes(b"no program")
    with pytest.raises(ToolFailed):
        lines_of([1], str(tmp_path / "main"), "/program/main.cpp")


@given(st.lists(st.sampled_from([b"0x12", b"/program/main.cpp:7", b"??:0", b"x:y:3 (discriminator 2)", b"\xff", b":"])))
def test_any_words_of_addr2line_are_read(words: list[bytes]) -> None:
    try:
        lines = lines_in(words, b"/program/main.cpp")
    except ToolFailed:
        return
    assert set(lines) <= {0x12}
    assert all(set(numbers) == {7} for numbers in lines.values())


ALONE = """
import os, sys
def depth(n):
    try:
        return depth(n + 1)
    except RecursionError:
        return n
print(depth(0), __name__, sys.argv, sys.stdout, sys.stderr.errors, end="")
print("\\u00e9\\udce4", file=sys.stderr)
with open("own.txt", "w+", encoding="utf-8") as own:
    own.write("\\u00e9\\n"); own.seek(0); print(own.read(), own.mode, own.encoding)
with os.fdopen(os.dup(1), "wb", 0) as raw: print(raw.write(b"raw"), raw.mode)
try: open("own.txt", "wx")
except ValueError as error: print(error)
def fail():
    try: open("/no/such/folder", "w")
    finally: 1 / 0
if sys.argv[1] == "fails": fail()
def endless(): endless()
if sys.argv[1] == "recurses": endless()
sys.exit("bye") if sys.argv[1] == "exits" else print("end")
"""


@pytest.mark.parametrize("way", ["ends", "exits", "fails", "recurses"])
def test_a_python_program_says_and_ends_the_same(way: str, tmp_path: Path) -> None:
    interpreter = [PYTHON.toolchain().path, *PYTHON.run_flags]
    told = []
    program = str(tmp_path / "main.py")
    for runner in ([], [str(Path(line_costs.__file__).with_name("line_runner.py")), program]):
        folder = tmp_path / str(len(runner))
        folder.mkdir()
        Path(program).write_text(ALONE)
        argv = [*interpreter, *runner, program, way]
        told.append(subprocess.run(argv, cwd=folder, env={}, capture_output=True, timeout=60, check=False))
    assert [told[0].returncode, told[0].stdout, told[0].stderr] == [told[1].returncode, told[1].stdout, told[1].stderr]
    assert told[0].returncode == (way != "ends")
