"""Where a source does what: by its grammar, never in a comment or a string, and whatever its bytes are."""

import subprocess

import pytest

from judge.grading.explain.code import Code, lines_of, read_code
from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.languages.syntax.cpp import read_cpp
from judge.grading.languages.syntax.python import read_python
from judge.grading.languages.syntax.rust import read_rust
from judge.grading.languages.syntax.walking import Deed, Stream
from tests.extent import RUNS_ALL

READERS = {"cpp": read_cpp, "python": read_python, "rust": read_rust}


def code_of(source: str, language: Language) -> Code:
    """As `read_code`, in this process: quicker, for sources that mean no harm."""
    return Code(READERS[language.id](source.encode()))


def flushed(language: Language, source: str, *, deed: Deed = Deed.FLUSH, stream: Stream = Stream.STDOUT) -> list[int]:
    """The lines that do it to that stream again and again."""
    return list(lines_of(code_of(source, language).find(deed, streams=(stream,), repeated=True)))


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('for (;;) {\n// endl\n/* cout << endl */ cout << "<< endl" << R"(endl)" << 1 << endl; }', [3]),
        ("#define endl '\\n'\nint main() { for (;;) cout << 1 << endl; }", []),
        ("const char endl = '\\n';\nint main() { for (;;) cout << 1 << endl; }", []),
        ("#define print cout\nint main() { for (;;)\nprint << 1 << std::endl; }", [3]),
        ("#define rep(i, n) for (int i = 0; i < n; i++)\nint main() {\nrep(i, g(2, 3)) std::cout << i << endl; }", [3]),
        ("#define OUT(x) cout << x \\\n  << endl\nint main() { while (1)\n  OUT(\",)\"); }", [4]),
        ("int main() { cout << 1 << endl; }", []),
        ("void f() {\ncout << 1 << endl; }\nint main() { int t; while (t--) f(); }", [2]),
        ("void g() {\ncout << endl; }\nvoid f() { g(); }\nint main() { while (1) f(); }", [2]),
        ("void f(int n) {\nif (n) f(n - 1); cout << endl; }", [2]),
        ("int main() { auto f = [&](int x) {\ncout << x << endl; };\nfor (;;) f(1); }", [2]),
        ("int main() { for_each(a, b, [](int x) {\ncout << x << endl; }); }", [2]),
        ("int main() { auto& out = std::cout; for (;;) out << 1 << flush; }", [1]),
        ("int main() { ofstream out(\"a\"); ostringstream s; for (;;) { out << 1 << endl; s << 2 << endl; } }", []),
        ("int main() { for (;;) { printf(\"1\"); fflush(stdout); } }", [1]),
        ("int main() { for (;;) { cout.flush(); } }", [1]),
        ("int main() { for (cout << endl; ; ) x++; }", []),
        ("void unused() { for (;;) cout << endl; }\nint main() { for (;;)\ncout << endl; }", [3]),
    ],
)  # fmt: skip
def test_flushes_in_cpp(source: str, lines: list[int]) -> None:
    assert flushed(CPP, source) == lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('"""\nprint(flush=True)\n"""\nfor i in x:\n    print(i, flush=True)  # flush=True', [5]),
        ("print(1, flush=True)", []),
        ("import sys\nfrom sys import stdout as o\nwhile True:\n    o.flush()\n    sys.stdout.flush()", [4, 5]),
        ("from functools import partial\np = partial(print, flush=True)\nfor i in x:\n    p(i)", [4]),
        ("import functools\nprint = functools.partial(print, flush=True)\nfor i in x: print(i)", [3]),
        ("def f():\n    print(1, flush=True)\n[f() for i in x]", [2]),
        ("def print(x): pass\nfor i in x: print(i, flush=True)", []),
        ("import sys\nfor i in x: print(i, file=sys.stderr, flush=True)", []),
        ("for i in x: print(i, flush=False)", []),
        ("with open('a', 'w') as f:\n    for i in x: f.flush()", []),
        ("list(map(lambda i: print(i, flush=True), x))", [1]),
    ],
)
def test_flushes_in_python(source: str, lines: list[int]) -> None:
    assert flushed(PYTHON, source) == lines


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ('fn main() { // println!\nlet c = \'"\'; for i in 0..3 { println!("// {}", i); } }', [2]),
        ('fn main() { let o = stdout(); let mut l = o.lock(); loop { writeln!(l, "x").unwrap(); } }', [1]),
        ('fn main() { let mut o = BufWriter::new(stdout().lock()); loop { writeln!(o, "x").unwrap(); } }', []),
        ("fn main() { let mut o = BufWriter::new(stdout().lock()); loop { o.flush().unwrap(); } }", [1]),
        ('fn main() { for i in x { print!("{} ", i); } }', []),
        ('fn main() { for i in x { print!("{}\\n", i); } }', [1]),
        ('macro_rules! out { ($a:expr) => {\nprintln!("{}", $a) } }\nfn main() { loop { out!(1); } }', [2]),
        ('fn f() -> i32 {\nprintln!("x"); 1 }\nfn main() { loop { assert!(f() == 1); } }', [2]),
        ('fn main() { (0..3).for_each(|i| println!("{}", i)); }', [1]),
        ('fn main() { let mut s = String::new(); loop { writeln!(s, "x").unwrap(); } }', []),
        ("fn f<'a>(x: &'a str) { loop { println!() } } fn main() { f(1) }", [1]),
    ],
)
def test_flushes_in_rust(source: str, lines: list[int]) -> None:
    assert flushed(RUST, source) == lines


@pytest.mark.parametrize(
    ("language", "source", "deed", "stream"),
    [
        (CPP, "int main() { for (;;) clog << 1; }", Deed.PRINT, Stream.STDERR),
        (CPP, 'int main() { for (;;) fprintf(stderr, "x"); }', Deed.PRINT, Stream.STDERR),
        (CPP, "int main() { for (;;) write(1, &c, 1); }", Deed.WRITE, Stream.STDOUT),
        (CPP, "int main() { for (;;) read(0, &c, 1); }", Deed.FETCH, Stream.STDIN),
        (CPP, "int main() { while (std::cin >> x) ; }", Deed.READ, Stream.STDIN),
        (PYTHON, "import sys as s\nfor i in x: s.stderr.write('x')", Deed.PRINT, Stream.STDERR),
        (PYTHON, "import logging\nlog = logging.getLogger()\nfor i in x: log.info(i)", Deed.PRINT, Stream.STDERR),
        (PYTHON, "import os\nfor i in x: os.write(1, b'1')", Deed.WRITE, Stream.STDOUT),
        (PYTHON, "import os\nwhile True: os.read(0, 1)", Deed.FETCH, Stream.STDIN),
        (PYTHON, "import sys\nwhile True: sys.stdin.buffer.raw.read(1)", Deed.FETCH, Stream.STDIN),
        (PYTHON, "while True: input()", Deed.READ, Stream.STDIN),
        (RUST, "fn main() { loop { dbg!(1); } }", Deed.PRINT, Stream.STDERR),
    ],
)  # fmt: skip
def test_other_deeds(language: Language, source: str, deed: Deed, stream: Stream) -> None:
    assert flushed(language, source, deed=deed, stream=stream)[-1:] == [source.count("\n") + 1]


def test_a_name_that_was_given_another_meaning_is_not_the_one_of_the_library() -> None:
    fast = "import sys\ninput = sys.stdin.readline\nfor i in x: input()"
    assert [place.name for place in code_of(fast, PYTHON).find(Deed.READ)] == ["readline()"]
    own = "int read() { return getchar(); }\nvoid write(int x) { putchar(x); }\nint main() { for (;;) write(read()); }"
    assert not code_of(own, CPP).has(Deed.WRITE, Deed.FETCH)


def test_buffering_that_is_switched_off_is_found_wherever_it_stands() -> None:
    for language, source in (
        (CPP, "int main() { setvbuf(stdout, NULL, _IONBF, 0); }"),
        (CPP, "int main() { setbuf(stdout, nullptr); }"),
        (CPP, "int main() { cout << unitbuf; }"),
        (PYTHON, "import sys\nsys.stdout.reconfigure(line_buffering=True)"),
        (PYTHON, "import sys\nsys.stdout = open(1, 'w', 1)"),
        (PYTHON, "import os\nout = os.fdopen(1, 'wb', buffering=0)"),
    ):
        found = code_of(source, language).find(Deed.UNBUFFER, streams=(Stream.STDOUT,))
        assert lines_of(found) == (source.count("\n") + 1,), source
    assert not read_code(b"int main() { setvbuf(stdout, NULL, _IOFBF, 1 << 16); }", CPP).has(Deed.UNBUFFER)


HOSTILE = {  # what takes each grammar longest, of what was tried
    CPP: (b"(", b"cout<<", b"a<", b"\xff\x00", b"#define a a a a\na\n"),
    PYTHON: (b"(", b'f"{', b"/*", b"f(lambda:"),
    RUST: (b"{", b'r#"', b"a?"),
}


_HOSTILE_BYTES = 131_072 if RUNS_ALL else 32_768


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", [CPP, PYTHON, RUST], ids=lambda language: language.id)
def test_a_hostile_source_ends_and_says_nothing_false(language: Language) -> None:
    for piece in HOSTILE[language]:
        source = piece * (_HOSTILE_BYTES // len(piece))
        assert not read_code(source, language).has(Deed.FLUSH)


def test_a_loop_that_is_very_deep_is_still_read() -> None:
    source = b"int main() {" + b"{" * 20_000 + b"for (;;) cout << endl;" + b"}" * 20_000 + b"}"
    assert read_code(source, CPP).has(Deed.FLUSH, streams=(Stream.STDOUT,), repeated=True)


@pytest.mark.parametrize("trouble", [BlockingIOError("no more processes"), subprocess.TimeoutExpired("parser", 10)])
def test_a_machine_without_room_says_nothing_and_that_is_not_kept(
    trouble: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: object, **_named: object) -> None:
        raise trouble

    source = b"int main() { for (;;) cout << endl; }"
    with monkeypatch.context() as machine:
        machine.setattr(subprocess, "Popen", fail)
        assert read_code(source, CPP) == Code()
    assert read_code(source, CPP).has(Deed.FLUSH)
