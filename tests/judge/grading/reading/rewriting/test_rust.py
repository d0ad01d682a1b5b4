"""Fixes of Rust sources: what they change, and what they leave alone."""

import pytest

from judge.grading.fixes import FIXES
from judge.grading.languages import RUST
from judge.grading.reading.rewriting import rust
from judge.grading.reading.rewriting.__main__ import rewritten

LET = "    let mut out = std::io::BufWriter::new(std::io::stdout().lock());\n"
USE = "use std::io::Write as _;\n"


def changed(source: str, *codes: str) -> str:
    """The source after these fixes."""
    return rewritten(source.encode(), rust, codes)[0].decode()


def main(body: str, before: str = "") -> str:
    """A program with this body."""
    return f"{before}fn main() {{\n    let n = 3;\n{body}}}\n"


def test_each_fix_of_the_catalogue_has_its_rewriter() -> None:
    assert {fix.code for fix in FIXES["rust"]} == set(rust.REWRITERS) - set(RUST.unbuffering)


def test_a_writer_without_room_hands_over_each_piece() -> None:
    source = main(
        "    let mut a = BufWriter::new(stdout().lock());\n    let b = io::BufWriter::with_capacity(1 << 16, a);\n"
    )
    expected = source.replace("BufWriter::new(stdout", "BufWriter::with_capacity(0, stdout").replace("1 << 16", "0")
    assert changed(source, *RUST.unbuffering) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('println!("{}", i)', 'writeln!(out, "{}", i).unwrap()'),
        ("println!()", "writeln!(out).unwrap()"),
        ('print!("{i} println!() ")', 'write!(out, "{i} println!() ").unwrap()'),
        ('std::println!("{}", f(i, 1))', 'writeln!(out, "{}", f(i, 1)).unwrap()'),
    ],
)
def test_prints_of_main_go_to_a_buffer(before: str, after: str) -> None:
    source = main(f'    for i in 0..n {{\n        {before}; // println!\n    }}\n    println!("{{n}}");\n')
    expected = USE + source.replace(before, after, 1).replace("main() {\n", "main() {\n" + LET)
    expected = expected.replace('println!("{n}")', 'writeln!(out, "{n}").unwrap()')
    assert changed(source, "buffered-stdout") == expected


def test_an_import_of_write_is_enough_and_attributes_stay_first() -> None:
    loop = '    for i in 0..n { println!("{i}"); }\n'
    imported = main(loop, "use std::io::{self, Read, Write};\n")
    assert USE not in changed(imported, "buffered-stdout")
    attribute = main(loop, "// a program\n#![allow(unused)]\nuse std::fmt::Write;\n")
    assert changed(attribute, "buffered-stdout").startswith(
        f"// a program\n#![allow(unused)]\n{USE}use std::fmt::Write;\n"
    )


def test_the_name_of_the_buffer_is_free() -> None:
    source = main('    let out = 1;\n    for i in 0..n { println!("{}", out + i); }\n')
    assert 'writeln!(output, "{}", out + i)' in changed(source, "buffered-stdout")


LOOP = '    for i in 0..n { println!("{i}"); }\n'


@pytest.mark.parametrize(
    "source",
    [
        main("    (0..n).for_each(show);\n", 'fn show(i: u32) { println!("{i}"); }\n'),
        main("    for i in 0..n { say!(i); }\n", 'macro_rules! say { ($x:expr) => { println!("{}", $x) }; }\n'),
        main(LOOP + "    f();\n", 'fn f() { println!("f"); }\n'),
    ],
)
def test_prints_of_functions_and_macros_get_macros_of_the_program(source: str) -> None:
    assert changed(source, "buffered-stdout") == source
    after = changed(source, "buffered-macros")
    assert after.startswith(USE)
    assert after.endswith(source)
    assert "macro_rules! println" in after


@pytest.mark.parametrize(
    "source",
    [
        main(LOOP + "    std::process::abort();\n"),
        main(LOOP, "use std::process::Command;\n"),
        main(LOOP + '    writeln!(std::io::stdout(), "x").unwrap();\n', "use std::io::Write;\n"),
        main(LOOP, "macro_rules! println { () => {}; }\n"),
        main('    println!("{n}");\n'),
        main('    let text = "for i in 0..n { println!() }";\n    // println!()\n    for _ in 0..n { f(text); }\n'),
        main('    for i in 0..n { std::thread::spawn(move || println!("{i}")).join().unwrap(); }\n'),
        main('    for i in 0..n { eprintln!("{i}"); }\n'),
        main("", 'fn unused(n: u32) { for i in 0..n { println!("{i}"); } }\n'),
    ],
)
def test_prints_stay_where_their_flush_matters_or_nothing_repeats(source: str) -> None:
    assert changed(source, "buffered-stdout") == source
    assert changed(source, "buffered-macros") == source


def test_a_program_that_leaves_by_exit_drops_no_variable_of_main() -> None:
    assert (
        changed(main(LOOP + "    std::process::exit(0);\n"), "buffered-stdout", "buffered-writer").count("BufWriter")
        == 0
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("let mut out = io::stdout();", "let mut out = std::io::BufWriter::new(io::stdout());"),
        ("let mut out = std::io::stdout().lock();", "let mut out = std::io::BufWriter::new(std::io::stdout().lock());"),
        ("let mut out = LineWriter::new(f());", "let mut out = std::io::BufWriter::new(f());"),
        ("let mut out = BufWriter::with_capacity(1, f());", "let mut out = BufWriter::new(f());"),
        (
            "let mut out = BufWriter::with_capacity(65_536, f());",
            "let mut out = BufWriter::with_capacity(65_536, f());",
        ),
        ("let mut out: io::Stdout = io::stdout();", "let mut out: io::Stdout = io::stdout();"),
        (
            "let mut out = io::stdout(); drop(io::stdout());",
            "let mut out = std::io::BufWriter::new(io::stdout()); drop(io::stdout());",
        ),
    ],
)
def test_a_stdout_that_is_written_to_gets_a_buffer(before: str, after: str) -> None:
    source = main(f'    {before}\n    for i in 0..n {{ writeln!(out, "{{i}}").unwrap(); }}\n', "use std::io::*;\n")
    assert changed(source, "buffered-writer") == source.replace(before, after)


def test_a_stdout_beside_prints_gets_none() -> None:
    source = main('    let mut out = io::stdout();\n    for i in 0..n { writeln!(out, "x"); println!("{i}"); }\n')
    assert changed(source, "buffered-writer") == source


@pytest.mark.parametrize(
    "flush",
    ["out.flush().unwrap();", "out.flush()?;", 'out.flush().expect("x");', "let _ = out.flush();", "out.flush().ok();"],
)
def test_flushes_in_loops_are_left_out(flush: str) -> None:
    head = "    let mut out = BufWriter::new(io::stdout());\n"
    source = main(head + f'    for i in 0..n {{\n        write!(out, "{{i}}");\n        {flush}\n    }}\n    {flush}\n')
    assert changed(source, "no-flush") == source.replace(f"        {flush}\n", "", 1)


@pytest.mark.parametrize(
    "flush", ["file.flush().unwrap();", "if out.flush().is_err() { return; }", "io::stderr().flush().unwrap();"]
)
def test_other_flushes_stay(flush: str) -> None:
    head = '    let mut file = File::create("x").unwrap();\n    let mut out = BufWriter::new(io::stdout());\n'
    source = main(head + f"    for i in 0..n {{ {flush} }}\n")
    assert changed(source, "no-flush") == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('for i in 0..n { eprintln!("{} {}", i, v.len()); f(); }', "for i in 0..n { f(); }"),
        (
            'for i in 0..n { match i { 0 => eprintln!("{i}"), _ => f() } }',
            "for i in 0..n { match i { 0 => (), _ => f() } }",
        ),
        ('for i in 0..n { if i > 1 { eprint!("x") } }', "for i in 0..n { if i > 1 { } }"),
        ("for i in 0..n { x = dbg!(x + i); }", "for i in 0..n { x = x + i; }"),
        ("for i in 0..n { x = 2 * dbg!(x + i); }", "for i in 0..n { x = 2 * (x + i); }"),
    ],
)
def test_debugging_output_is_left_out(before: str, after: str) -> None:
    source = main(f"    let mut x = 0;\n    {before}\n")
    assert changed(source, "no-debugging") == source.replace(before, after)


@pytest.mark.parametrize(
    "statement",
    [
        'eprintln!("{:?}", it.next());',
        'eprintln!("{}", { x += 1; x });',
        'eprintln!("{}", f()?);',
        'eprintln!("{}", take(&mut x));',
        "dbg!(x, n);",
        'let () = eprintln!("x");',
    ],
)
def test_debugging_output_that_does_more_stays(statement: str) -> None:
    source = main(f"    let mut x = 0;\n    for i in 0..n {{ {statement} }}\n")
    assert changed(source, "no-debugging") == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'let input = File::open("/dev/stdin").unwrap();',
            'let input = std::io::BufReader::new(File::open("/dev/stdin").unwrap());',
        ),
        ("let input = BufReader::with_capacity(2, f());", "let input = BufReader::new(f());"),
        ('let input = File::open("x").unwrap();', 'let input = File::open("x").unwrap();'),
    ],
)
def test_a_raw_stdin_gets_a_buffer(before: str, after: str) -> None:
    assert changed(main(f"    {before}\n"), "buffered-reader") == main(f"    {after}\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('s = format!("{}{}", s, x);', 's += &format!("{}", x);'),
        ('s = format!("{s}, {x}");', 's += &format!(", {x}");'),
        ('s = format!("{}{}{}", &s, x, y);', 's += &format!("{}{}", x, y);'),
        ('s = format!("{}{}", x, s);', None),
        ('s = format!("{}{}", s, s.len());', None),
        ('s = format!("{0}{1}{0}", s, x);', None),
        ('s = format!("{s}{s}");', None),
        ('s = format!("{:>3}{}", s, x);', None),
        ('let s = format!("{}{}", s, x);', None),
    ],
)
def test_a_string_grows_in_place(before: str, after: str | None) -> None:
    assert changed(main(f"    {before}\n"), "append-in-place") == main(f"    {after or before}\n")


def test_a_source_that_is_no_program_stays() -> None:
    for source in ("", 'fn main() { println!("', "println!", "fn main(", "(" * 20_000, "#![x]"):
        for code in rust.REWRITERS:
            assert changed(source, code) == source
