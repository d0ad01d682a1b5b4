"""Where a source does what: by its grammar, never in a comment or a string, and whatever its bytes are."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache

import pytest

from judge.grading.bounded import SourceRead, read_source
from judge.grading.languages import CPP, PYTHON, RUST, Language
from judge.grading.reading.places import Code, Deed, Stream, TokenKind, lines_of
from judge.grading.reading.syntax import cpp, python, rust
from judge.grading.reading.syntax.__main__ import MOST_TOKENS
from sandbox.errors import JailError, MeterProblem
from sandbox.image.reading import Reader
from sandbox.types import Jail, JailSpec
from tests.extent import RUNS_ALL

READERS = {"cpp": cpp.read, "python": python.read, "rust": rust.read}


def code_of(source: str | bytes, language: Language) -> Code:
    """As `read_source`, in this process: quicker, for sources that mean no harm."""
    return _read_once(source.encode() if isinstance(source, str) else source, language.id)


@cache
def _read_once(source: bytes, language: str) -> Code:
    return Code(READERS[language](source))


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
        (
            RUST,  # one name for two kinds of stream
            "fn f() { let o = stdout(); } fn main() { let mut o = stderr(); loop { o.write_all(b); } }",
            Deed.PRINT,
            Stream.UNKNOWN,
        ),
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
    assert not code_of("int main() { setvbuf(stdout, NULL, _IOFBF, 1 << 16); }", CPP).has(Deed.UNBUFFER)


HOSTILE = {  # what takes each grammar longest, of what was tried
    CPP: (b"(", b"cout<<", b"a<", b"\xff\x00", b"#define a a a a\na\n"),
    PYTHON: (b"(", b'f"{', b"/*", b"f(lambda:"),
    RUST: (b"{", b'r#"', b"a?"),
}


_HOSTILE_BYTES = 131_072 if RUNS_ALL else 32_768


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", [CPP, PYTHON, RUST], ids=lambda language: language.id)
def test_a_hostile_source_ends_and_says_nothing_false(language: Language, reader: Reader) -> None:
    for piece in HOSTILE[language]:
        source = piece * (_HOSTILE_BYTES // len(piece))
        read = read_source(reader, source, language)
        assert not read.code.has(Deed.FLUSH)
        assert len(read.tokens) <= 3 * MOST_TOKENS


def test_a_loop_that_is_very_deep_is_still_read(reader: Reader) -> None:
    source = b"int main() {" + b"{" * 20_000 + b"for (;;) cout << endl;" + b"}" * 20_000 + b"}"
    assert read_source(reader, source, CPP).code.has(Deed.FLUSH, streams=(Stream.STDOUT,), repeated=True)


class FullSandbox:
    """A machine on which no jail opens."""

    @contextmanager
    def open_jail(self, _spec: JailSpec) -> Iterator[Jail]:
        raise JailError("no more processes")
        yield

    def meter_problem(self) -> MeterProblem | None:
        return None


def test_a_machine_without_room_says_nothing_and_that_is_not_kept(reader: Reader) -> None:
    source = b"int main() { for (;;) cout << endl; }"
    full = replace(reader, sandbox=FullSandbox())
    assert read_source(full, source, CPP) == SourceRead()
    assert read_source(reader, source, CPP).code.has(Deed.FLUSH)


SOURCES = {
    PYTHON: b"# \xc3\xa4\nfor i in range(3): print(f'{i}', 1.5)\n",
    CPP: b"#include <iostream>\nint main() { /* \xc3\xa4 */ return 'x' + 1; } // end\n",
    RUST: b'// \xc3\xa4\nfn main() { let mut x: u64 = 1; println!("{}", x); }\n',
}


@pytest.mark.parametrize(
    ("language", "tokens"),
    [
        (PYTHON, ["comment:# ä", "keyword:for", "keyword:in", "number:3", "string:f'{i}'", "number:1.5"]),
        (
            CPP,
            [
                "directive:#include",
                "string:<iostream>",
                "type:int",
                "comment:/* ä */",
                "keyword:return",
                "string:'x'",
                "number:1",
                "comment:// end",
            ],
        ),
        (
            RUST,
            [
                "comment:// ä",
                "keyword:fn",
                "keyword:let",
                "keyword:mut",
                "type:u64",
                "number:1",
                'string:"{}"',
            ],
        ),
    ],
    ids=lambda value: value.id if isinstance(value, Language) else "",
)
def test_the_tokens_of_a_source(language: Language, tokens: list[str], reader: Reader) -> None:
    source = SOURCES[language]
    numbers = read_source(reader, source, language).tokens
    seen, end = [], 0
    for gap, size, kind in zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True):
        seen.append(f"{list(TokenKind)[kind]}:{source[end + gap : end + gap + size].decode()}")
        end += gap + size
    assert seen == tokens
