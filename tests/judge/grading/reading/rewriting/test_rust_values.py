"""Rust vectors and texts: what is changed compiles, and what could mean something else stays."""

import subprocess
from pathlib import Path

import pytest

from judge.grading.reading.rewriting import rust
from judge.grading.reading.rewriting.__main__ import rewritten

DEQUE = "std::collections::VecDeque"


def changed(source: str, code: str, folder: Path) -> str:
    """The source after this fix; what comes of it compiles."""
    after = rewritten(source.encode(), rust, [code])[0].decode()
    if after != source:
        (folder / "changed.rs").write_text(after)
        command: list[str | Path] = [
            "rustc",
            "--edition=2021",
            "--emit=metadata",
            "--out-dir",
            folder,
            folder / "changed.rs",
        ]
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert done.returncode == 0, after + done.stderr.decode()
    return after


def main(body: str, before: str = "") -> str:
    """A program with this body."""
    return f'{before}fn main() {{\n    let t = String::from("abc");\n{body}}}\n'


def test_characters_are_collected_before_the_loop(tmp_path: Path) -> None:
    body = '        let c = t.chars().nth(i).unwrap();\n        print!("{c}{}", t.len());\n'
    before = f"    for i in 0..t.len() {{\n{body}    }}\n"
    after = before.replace("t.chars().nth(i)", "t_chars.get(i).copied()")
    collected = "    let t_chars: Vec<char> = t.chars().collect();\n"
    assert changed(main(before), "chars-before-loop", tmp_path) == main(collected + after)
    within = "        for i in k..3 {{\n            if {} == Some('b') {{ print!(\"{{i}}\"); }}\n        }}\n"
    outer = f"    for k in 0..2 {{{{\n{within}    }}}}\n"
    inner = main(collected + outer.format("t_chars.get(i + k).copied()"))
    assert changed(main(outer.format("t.chars().nth(i + k)")), "chars-before-loop", tmp_path) == inner


@pytest.mark.parametrize(
    "body",
    [
        "    let mut t = t;\n    for i in 0..3 {\n        t.push('x');\n        let c = t.chars().nth(i);\n    }\n",
        "    let mut t = t;\n    for i in 0..3 {\n        let c = t.chars().nth(i);\n        t = f();\n    }\n",
        "    let mut t = t;\n    for i in 0..3 {\n        let c = t.chars().nth(i);\n        add(&mut t);\n    }\n",
        '    for i in 0..3 {\n        let t = format!("{i}");\n        let c = t.chars().nth(i);\n    }\n',
        "    let c = t.chars().nth(1);\n    for i in 0..3 {\n        let d = t.chars().rev().nth(i);\n    }\n",
        "    let mut it = t.chars();\n    for i in 0..3 {\n        let c = it.nth(0);\n    }\n",
    ],
)
def test_characters_of_a_text_that_changes_are_not_collected(body: str, tmp_path: Path) -> None:
    source = main(body, "fn add(t: &mut String) { t.push('x'); }\nfn f() -> String { String::new() }\n")
    assert changed(source, "chars-before-loop", tmp_path) == source


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            'let mut q = vec![1]; q.push(2); q.remove(0); print!("{:?} {}", q, q.len());',
            f'let mut q = {DEQUE}::from(vec![1]); q.push_back(2); q.pop_front().expect("an element"); '
            'print!("{:?} {}", q, q.len());',
        ),
        (
            "let mut q: Vec<i32> = Vec::new(); q.insert(0, 2); if let Some(x) = q.pop() { q.insert(0, x); }",
            f"let mut q: {DEQUE}<i32> = {DEQUE}::new(); q.push_front(2); "
            "if let Some(x) = q.pop_back() { q.push_front(x); }",
        ),
        (
            'let mut q: Vec<char> = t.chars().collect(); while !q.is_empty() { let c = q.remove(0); print!("{c}"); }',
            f"let mut q: {DEQUE}<char> = t.chars().collect(); while !q.is_empty() {{ "
            'let c = q.pop_front().expect("an element"); print!("{c}"); }',
        ),
        (
            "let mut p = vec![1, 2]; let mut q = Vec::new(); q.insert(0, 0); q.insert(0, p.remove(0));",
            f"let mut p = {DEQUE}::from(vec![1, 2]); let mut q = {DEQUE}::new(); q.push_front(0); "
            'q.push_front(p.pop_front().expect("an element"));',
        ),
        (
            "let mut q = t.chars().collect::<Vec<_>>(); q.insert(0, 'a'); print!(\"{}{:?}\", q[0], q.iter().max());",
            f"let mut q = t.chars().collect::<{DEQUE}<_>>(); q.push_front('a'); "
            'print!("{}{:?}", q[0], q.iter().max());',
        ),
    ],
)
def test_a_vector_that_moves_becomes_a_deque(before: str, after: str, tmp_path: Path) -> None:
    assert changed(main(f"    {before}\n"), "deque-for-vec", tmp_path) == main(f"    {after}\n")


@pytest.mark.parametrize(
    "body",
    [
        "let mut q = vec![1, 2]; q.remove(0); q.remove(1);",
        "let mut q = vec![1, 2]; q.remove(0); q.sort();",
        "let mut q = vec![1, 2]; q.push(3); q.pop();",
        'let mut q = vec![1, 2]; q.remove(0); print!("{:?}", q.first());',
        "let mut q = vec![1, 2]; q.remove(0); let q = 3;",
        "let mut q = make(); q.remove(0);",
        "let mut q = std::collections::BTreeMap::from([(0, 1)]); q.remove(&0); q.insert(0, 2);",
        "let mut q = String::from(\"ab\"); q.remove(0); q.insert(0, 'c');",
    ],
)
def test_a_vector_that_is_more_than_a_deque_stays(body: str, tmp_path: Path) -> None:
    source = main(f"    {body}\n", "fn make() -> Vec<i32> { vec![1] }\n")
    assert changed(source, "deque-for-vec", tmp_path) == source


def test_what_is_cloned_for_each_call_is_borrowed(tmp_path: Path) -> None:
    function = (
        "fn f(a: {}, i: usize) -> u32 {{ if i > 0 {{ f({}, i - 1) }} else {{ a.iter().sum::<u32>() + a[0] }} }}\n"
    )
    body = '    let a = vec![1u32, 2];\n    for i in 0..2 {{ let x = f({}, i); print!("{{x}}"); }}\n'
    before = main(body.format("a.clone()"), function.format("Vec<u32>", "a.clone()"))
    after = main(body.format("&a"), function.format("&Vec<u32>", "&a"))
    assert changed(before, "borrowed-parameters", tmp_path) == after


@pytest.mark.parametrize(
    ("function", "call"),
    [
        ("fn f(mut a: Vec<u32>) { a.push(1); }\n", "f(a.clone());"),
        ("fn f(a: Vec<u32>) -> usize { a.len() }\n", "f(a.clone()); f(a);"),
        ("fn f(a: Vec<u32>) -> usize { a.len() }\n", "let g = f; g(a.clone()); f(a.clone());"),
        ("fn f(a: Vec<u32>) -> usize { a.len() }\n", 'f(a.clone()); print!("{}", f(a));'),
        (
            "use std::cell::Cell;\nfn f(a: Vec<Cell<u32>>) { a[0].set(1); }\n",
            "let b = vec![Cell::new(2)]; f(b.clone());",
        ),
        ("fn f(a: u32) -> u32 { a }\n", "f(a[0].clone());"),
    ],
)
def test_what_is_given_away_or_changed_stays_a_clone(function: str, call: str, tmp_path: Path) -> None:
    source = main(f"    let a = vec![1u32, 2]; {call}\n", function)
    assert changed(source, "borrowed-parameters", tmp_path) == source


def test_a_lock_of_a_named_stdout_gets_a_buffer(tmp_path: Path) -> None:
    head = "use std::io::{self, Write};\n"
    loop = '    for i in 0..3 {{ writeln!(out, "{{}}", i).unwrap(); }}\n'
    before = f"    let stdout = io::stdout();\n    let mut out = {{}};\n{loop}"
    wrapped = main(before.format("std::io::BufWriter::new(stdout.lock())"), head)
    assert changed(main(before.format("stdout.lock()"), head), "buffered-writer", tmp_path) == wrapped
    other = main(before.format("stdout.lock()").replace("io::stdout()", "io::stderr()"), head)
    assert changed(other, "buffered-writer", tmp_path) == other
