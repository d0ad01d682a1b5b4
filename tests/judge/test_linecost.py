"""Writes by line: the line that each program says beside its writes is the one that is named, with the exact count."""

import re
import subprocess
import textwrap
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge import linecost
from judge.addresses import NoLines, innermost, lines_of
from judge.compilation import Executable, compile_limits
from judge.compile_cache import key_of
from judge.events import GradingJob, LineCosts, ProfilePolicy, TestCaseJudged, TestCaseTraced
from judge.grading import grade
from judge.languages import CPP, PYTHON, RUST, Language
from judge.linecost import SEVERAL_PASSES, trace_lines
from problems.package import Package
from sandbox.nsjail import NsjailSandbox
from sandbox.types import MIB, Mount
from sandbox.workdir import fresh_folder
from tests.judge.packages import LIMITS, make_package

COUNT = re.compile(r"(?://|#)@ (\d+)$")

# Each line that writes ends with "@" and how often. "elsewhere" is what the program leaves for its end.
PROGRAMS: dict[str, tuple[str, int, str]] = {
    "endl in a helper that is called from two places": (
        "cpp",
        0,
        """
        #include <iostream>
        using namespace std;
        void say(int number) {
            cout << number
                 << endl; //@ 1500
        }
        int main() {
            for (int i = 0; i < 1000; i++) say(i);
            for (int i = 0; i < 500; i++)
                say(i);
        }""",
    ),
    "a helper that ends with fflush": (
        "cpp",
        0,
        """
        #include <cstdio>
        __attribute__((noinline)) void say(int number) {
            printf("%d\\n", number);
            fflush(stdout); //@ 700
        }
        int main() {
            for (int i = 0; i < 700; i++) say(i);
        }""",
    ),
    "printf that fills the buffer": (
        "cpp",
        1,
        """
        #include <cstdio>
        int main() {
            for (int i = 0; i < 5000; i++)
                printf("%7d\\n", i); //@ 9
            printf("end\\n");
        }""",
    ),
    "three times << on cerr": (
        "cpp",
        0,
        """
        #include <iostream>
        int main() {
            for (int i = 0; i < 400; i++)
                std::cerr << i << ' ' << "\\n"; //@ 1200
        }""",
    ),
    "threads, a recursion and a lambda given to an algorithm": (
        "cpp",
        0,
        """
        #include <algorithm>
        #include <iostream>
        #include <thread>
        #include <unistd.h>
        #include <vector>
        void walk(int depth) {
            if (!depth) return;
            walk(depth - 1);
            std::cout << depth << std::endl; //@ 2047
            walk(depth - 1);
        }
        void work() {
            for (int i = 0; i < 300; i++) (void)!write(1, "x\\n", 2); //@ 1200
        }
        int main() {
            std::vector<std::thread> all;
            for (int i = 0; i < 4; i++) all.emplace_back(work);
            for (auto &one : all) one.join();
            walk(11);
            std::vector<int> numbers(50);
            std::for_each(numbers.begin(), numbers.end(), [](int number) {
                std::cerr << number; //@ 50
            });
        }""",
    ),
    "unsynchronised streams and a stream of the program's own": (
        "cpp",
        1,
        """
        #include <fstream>
        #include <iostream>
        int main() {
            std::ios::sync_with_stdio(false);
            std::ofstream out("own.txt");
            for (int i = 0; i < 90; i++) out << i << std::flush; //@ 90
            for (int i = 0; i < 30; i++) std::cout << i << '\\n' << std::flush; //@ 30
            std::cout << "end";
        }""",
    ),
    "println in a closure": (
        "rust",
        0,
        """
        fn main() {
            let say = |number: i32| {
                println!("{}", number); //@ 800
            };
            for i in 0..500 { say(i); }
            (0..300).for_each(say);
        }""",
    ),
    "a display of one's own, eprintln and recursion": (
        "rust",
        0,
        """
        use std::fmt;
        struct Pair(i32, i32);
        impl fmt::Display for Pair {
            fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { write!(f, "{}/{}", self.0, self.1) }
        }
        fn walk(depth: i32) {
            if depth == 0 { return; }
            walk(depth - 1);
            println!("{}", Pair(depth, depth)); //@ 1023
            walk(depth - 1);
        }
        fn main() {
            walk(10);
            for i in 0..20 {
                eprintln!("{}", i); //@ 40
            }
        }""",
    ),
    "a BufWriter that is dropped": (
        "rust",
        0,
        """
        use std::io::{stdout, BufWriter, Write};
        fn main() {
            let mut out = BufWriter::new(stdout().lock());
            for i in 0..3000 {
                writeln!(out, "{:7}", i).unwrap(); //@ 2
            }
            drop(out); //@ 1
            let worker = std::thread::spawn(|| {
                for _ in 0..60 { println!("x"); } //@ 60
            });
            worker.join().unwrap();
        }""",
    ),
    "helpers that flush, and one whose last call is a jump": (
        "rust",
        0,
        """
        use std::io::{self, stdout, BufWriter, StdoutLock, Write};
        #[inline(never)]
        fn say(out: &mut BufWriter<StdoutLock>, number: i32) -> io::Result<()> {
            writeln!(out, "{}", number)?;
            out.flush() //@ 100
        }
        #[inline(never)]
        fn pass_on(out: &mut dyn Write, text: &[u8]) -> io::Result<usize> {
            out.write(text)
        }
        fn main() {
            let mut out = BufWriter::new(stdout().lock());
            for i in 0..100 { say(&mut out, i).unwrap(); }
            drop(out);
            for _ in 0..50 {
                pass_on(&mut stdout(), b"x\\n").unwrap(); //@ 50
            }
        }""",
    ),
    "nested functions, stderr and os.write": (
        "python",
        1,
        """
        import os, sys
        def say(number):
            def inner():
                print(number, flush=True) #@ 600
            inner()
        for i in range(400): say(i)
        list(map(say, range(200)))
        for i in range(70):
            print(i, "at", file=sys.stderr) #@ 70
        for i in range(30):
            os.write(1, b"raw\\n") #@ 30
        print("end")""",
    ),
    "a full buffer, a file, a thread and a logger": (
        "python",
        0,
        """
        import logging, sys, threading
        for i in range(5000):
            print("%7d" % i) #@ 4
        sys.stdout.flush() #@ 1
        out = open(1, "w", closefd=False)
        for i in range(40):
            print(i, file=out, flush=True) #@ 40
        with open("own.txt", "w") as own: #@ 1
            own.write("x" * 10)
        def work():
            for i in range(100):
                sys.stdout.write("x\\n"); sys.stdout.flush() #@ 100
        threads = [threading.Thread(target=work) for _ in range(1)]
        for one in threads: one.start()
        for one in threads: one.join()
        logging.basicConfig(stream=sys.stderr)
        for i in range(25):
            logging.warning("number %d", i) #@ 25
        """,
    ),
}
Trace = Callable[..., TestCaseTraced]


@pytest.fixture
def package(tmp_path: Path) -> Package:
    return make_package(tmp_path, {"secret/1": ("1\n", "1\n")})


@pytest.fixture
def traced(package: Package, sandbox: NsjailSandbox, work_root: Path) -> Trace:
    """A function that traces a program on the case of the package, or of another one."""

    def run(language: str, source: str, given: Package = package) -> TestCaseTraced:
        job = GradingJob(package=given, language=language, source=code_of(source), cpu=0)
        return trace_lines(job, "secret/1", sandbox, work_root)

    return run


def code_of(source: str) -> bytes:
    return textwrap.dedent(source).strip().encode() + b"\n"


def costs_of(traced: TestCaseTraced) -> LineCosts:
    assert traced.costs is not None, traced.problem
    assert not traced.problem
    return traced.costs


def marked(source: str) -> dict[int, int]:
    lines = enumerate(code_of(source).decode().splitlines(), 1)
    found = {number: COUNT.search(line) for number, line in lines}
    return {number: int(mark[1]) for number, mark in found.items() if mark}


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
    judged = next(event for event in grade(job, sandbox, work_root) if isinstance(event, TestCaseJudged))
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
    assert (tried.costs, tried.problem) == (None, SEVERAL_PASSES)


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
    assert tried.costs is None
    assert "more than the kernel counted" in tried.problem


def test_a_program_that_removes_its_table_gets_a_sentence(traced: Trace) -> None:
    tried = traced("python", "import os\nos.unlink('.tally-writes')\nprint(1)")
    assert tried.costs is None
    assert "no table" in tried.problem


def test_lines_that_the_source_does_not_have_are_nobodys(traced: Trace) -> None:
    source = '#include <unistd.h>\n#line 7000\nint main() { return write(1, "x", 1) != 1; }'
    costs = costs_of(traced("cpp", source))
    assert (costs.lines, costs.elsewhere) == ((), 1)


def test_the_packages_own_file_has_no_lines_of_the_students(traced: Trace, package: Package, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text("print(1, flush=True)\n")
    given = replace(package, included={"python": (("main.py", tmp_path / "own.py"),)})
    costs = costs_of(traced("python", "print(2)", given))
    assert (costs.lines, costs.elsewhere) == ((), 1)


@pytest.mark.parametrize("language", [CPP, RUST])
def test_line_information_is_compiled_apart(language: Language) -> None:
    limits = compile_limits(LIMITS)
    keys = {key_of(each, {"main": b""}, ("main",), limits) for each in (language, language.with_lines())}
    assert len(keys) == 2
    assert not language.with_lines().header


def test_a_program_without_line_information_is_said_to_have_none(sandbox: NsjailSandbox, work_root: Path) -> None:
    with fresh_folder(work_root, "lines-") as folder:
        (folder / "program").mkdir(mode=0o755)
        (folder / "program" / "main").write_bytes(b"no program")
        mount = Mount(source=folder / "program", target="/program")
        executable = Executable(argv=("/program/main",), mount=mount, is_compiled=True)
        with pytest.raises(NoLines, match="cannot be read"):
            lines_of([1], executable, "main.cpp", sandbox, folder)


@given(st.lists(st.sampled_from([b"0x12", b"/program/main.cpp:7", b"??:0", b"x:y:3 (discriminator 2)", b"\xff", b":"])))
def test_any_words_of_addr2line_are_read(words: list[bytes]) -> None:
    found = innermost([word + b"\n" for word in words], b"/program/main.cpp")
    assert found in ({}, {0x12: 7})


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
    for runner in ([], [str(Path(linecost.__file__).with_name("line_runner.py"))]):
        folder = tmp_path / str(len(runner))
        folder.mkdir()
        (tmp_path / "main.py").write_text(ALONE)
        argv = [*interpreter, *runner, str(tmp_path / "main.py"), way]
        told.append(subprocess.run(argv, cwd=folder, env={}, capture_output=True, timeout=60, check=False))
    assert [told[0].returncode, told[0].stdout, told[0].stderr] == [told[1].returncode, told[1].stdout, told[1].stderr]
    assert told[0].returncode == (way != "ends")
