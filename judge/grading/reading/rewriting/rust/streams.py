"""Fixes of what Rust sources read and print."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.editing import Edit
from judge.grading.reading.rewriting.rustcode import RustCode, tokens_of
from judge.grading.reading.syntax.walking import nodes_of

_NAMES_OF_OUT = ("out", "output", "buffered_out")
_MACROS = """\
use std::io::Write as _;
thread_local! {
    static BUFFERED_OUT: std::cell::RefCell<std::io::BufWriter<std::io::Stdout>> =
        std::cell::RefCell::new(std::io::BufWriter::new(std::io::stdout()));
}
macro_rules! print {
    ($($part:tt)*) => {
        match format_args!($($part)*) {
            text => BUFFERED_OUT.with(|out| out.borrow_mut().write_fmt(text).unwrap()),
        }
    };
}
macro_rules! println {
    () => { print!("\\n") };
    ($($part:tt)*) => { print!("{}\\n", format_args!($($part)*)) };
}
"""
_STDOUT = re.compile(r"(?:std::)?(?:io::)?stdout\(\)(?:\.lock\(\))?\Z")
_LOCKED = re.compile(r"(\w+)\.lock\(\)\Z")
_LINE_WRITER = re.compile(r"((?:std::)?(?:io::)?)LineWriter::new\Z")
_TINY = re.compile(r"((?:std::)?(?:io::)?Buf(?:Writer|Reader))::with_capacity\Z")
_RAW_STDIN = re.compile(r"(?:unsafe\s*\{\s*)?(?:std::fs::)?File::(?:open\(\s*\"/dev/stdin\"|from_raw_fd\(\s*0)\s*\)")
_TINY_BYTES = 128
_SETTLING = frozenset({"unwrap", "expect", "ok", "unwrap_or_default", "is_ok"})  # what follows a flush
_STANDING = frozenset({"expression_statement", "let_declaration", "assignment_expression"})  # above a lone value
_BARRIERS = frozenset({"token_tree", "macro_invocation", "macro_definition", "impl_item"})  # between `main` and its own


def buffered_stdout(code: RustCode) -> tuple[Edit, ...]:
    """`println!(...)` -> `writeln!(out, ...)` with a `BufWriter` around the locked stdout, where only `main` prints."""
    name = next((name for name in _NAMES_OF_OUT if name not in code.names), "")
    prints = code.prints
    if not name or not prints or not _may_buffer(code) or code.leaves_at_once:
        return ()
    if any(not _is_in_main(code, site.node) for site in prints):
        return ()
    first = code.first_in_main(f"let mut {name} = std::io::BufWriter::new(std::io::stdout().lock());".encode())
    edits = []
    for node in (site.node for site in prints):
        content = code.text(tokens_of(node))[1:-1]
        macro = "writeln" if code.text(node.child_by_field_name("macro")).endswith("println") else "write"
        written = f"{macro}!({name}{', ' if content.strip() else ''}{content}).unwrap()"
        edits.append(Edit(node.start_byte, node.end_byte, written.encode()))
    return (*edits, first, *code.import_of_write()) if first else ()


def _may_buffer(code: RustCode) -> bool:
    is_repeated = any(site.place.is_repeated for site in code.prints)
    defines_prints = re.search(r"macro_rules!\s*(print|println)\b", code.code) is not None
    return is_repeated and not code.needs_flushes and not code.writers and not defines_prints


def _is_in_main(code: RustCode, node: Node) -> bool:
    if node.type != "macro_invocation" or tokens_of(node) is None:
        return False
    barriers = _BARRIERS | ({"closure_expression"} if code.has_threads else set())
    above = node.parent
    while above is not None and above.type != "function_item":
        if above.type in barriers:
            return False
        above = above.parent
    return above is not None and above == code.main


def buffered_macros(code: RustCode) -> tuple[Edit, ...]:
    """`print!` and `println!` of the program's own, which write into one buffer: for prints in functions and macros."""
    if not _may_buffer(code) or code.has_threads or "BUFFERED_OUT" in code.names or re.search(r"\bmod\s+\w", code.code):
        return ()
    top = code.at_top(*_MACROS.splitlines(), "")
    return (Edit(top.start, top.end, top.text),)


def buffered_writer(code: RustCode) -> tuple[Edit, ...]:
    """A `BufWriter` around a stdout that is written to, in the place of `LineWriter` and of buffers of a few bytes."""
    if code.needs_flushes or code.leaves_at_once or code.prints:
        return ()
    edits: list[Edit] = []
    for node in nodes_of(code.root):
        if node.type == "let_declaration":
            edits += _wrapped(code, node)
        elif node.type == "call_expression":
            edits += _roomier(code, node, "BufWriter")
    return tuple(edits)


def _wrapped(code: RustCode, let: Node) -> Iterator[Edit]:
    """`let mut out = io::stdout().lock();`, if it is written to."""
    value, pattern = let.child_by_field_name("value"), let.child_by_field_name("pattern")
    if value is None or let.child_by_field_name("type") is not None:
        return
    locked = _LOCKED.match(code.text(value))
    is_locked = locked is not None and re.search(rf"\blet\s+{locked[1]}\s*=\s*{_STDOUT.pattern[:-2]}\s*;", code.code)
    if not is_locked and not _STDOUT.match(code.text(value)):
        return
    name = re.escape(code.text(pattern).removeprefix("mut ").strip())
    if re.search(rf"\bwrite(ln)?!\s*\(\s*(&mut\s+)?{name}\b|\b{name}\s*\.\s*write", code.code):
        yield Edit(value.start_byte, value.start_byte, b"std::io::BufWriter::new(")
        yield Edit(value.end_byte, value.end_byte, b")", is_place=False)


def _roomier(code: RustCode, call: Node, kind: str) -> Iterator[Edit]:
    """`LineWriter::new(x)` -> `BufWriter::new(x)`, and `BufWriter::with_capacity(1, x)` -> `BufWriter::new(x)`."""
    function, argument_list = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    if function is None or argument_list is None:
        return
    written = code.text(function)
    arguments = [child for child in argument_list.named_children if "comment" not in child.type]
    if kind == "BufWriter" and _LINE_WRITER.match(written):
        yield Edit(function.start_byte, function.end_byte, b"std::io::BufWriter::new")
    tiny = _TINY.match(written)
    if tiny and tiny[1].endswith(kind) and len(arguments) == 2:
        size = code.text(arguments[0]).replace("_", "")
        if size.isdecimal() and int(size) < _TINY_BYTES:
            text = f"{tiny[1]}::new({code.text(arguments[1])})"
            yield Edit(call.start_byte, call.end_byte, text.encode())


def buffered_reader(code: RustCode) -> tuple[Edit, ...]:
    """A `BufReader` around a stdin that is read as a file, and one of the usual size in the place of a tiny one."""
    edits: list[Edit] = []
    for node in nodes_of(code.root):
        if node.type == "call_expression":
            edits += _roomier(code, node, "BufReader")
        elif node.type == "let_declaration" and node.child_by_field_name("type") is None:
            value = node.child_by_field_name("value")
            if value is not None and _RAW_STDIN.match(code.text(value)):
                edits.append(Edit(value.start_byte, value.start_byte, b"std::io::BufReader::new("))
                edits.append(Edit(value.end_byte, value.end_byte, b")", is_place=False))
    return tuple(edits)


def no_flush(code: RustCode) -> tuple[Edit, ...]:
    """Take out `out.flush()` and `stdout().flush()` where they are repeated."""
    if code.needs_flushes or code.leaves_at_once:
        return ()
    edits: list[Edit | None] = []
    for site in code.sites:
        is_flush = site.place.deed is Deed.FLUSH and site.place.name == "flush()" and site.place.is_repeated
        if is_flush and site.place.stream is Stream.STDOUT and site.node.type == "call_expression":
            edits.append(code.without(_settled(code, site.node)))
    return tuple(edit for edit in edits if edit)


def _settled(code: RustCode, node: Node) -> Node:
    """Return the expression that a flush is, with `.unwrap()` or `?` after it."""
    while node.parent is not None:
        above = node.parent
        if above.type == "try_expression":
            node = above
        elif above.type == "field_expression" and code.text(above.child_by_field_name("field")) in _SETTLING:
            if above.parent is None or above.parent.type != "call_expression":
                return node
            node = above.parent
        else:
            return node
    return node


def no_debugging(code: RustCode) -> tuple[Edit, ...]:
    """Take out `eprintln!` and `eprint!`, and leave of `dbg!(x)` the `x`, where that changes nothing else."""
    if re.search(r"macro_rules!\s*(eprintln|eprint|dbg)\b", code.code):
        return ()
    edits: list[Edit | None] = []
    for site in code.sites:
        tokens = tokens_of(site.node) if site.node.type == "macro_invocation" else None
        if site.place.deed is not Deed.PRINT or site.place.stream is not Stream.STDERR or tokens is None:
            continue
        if site.place.name == "dbg!":
            content = code.text(tokens)[1:-1].strip().removesuffix(",")
            is_single = content and not any(child.type == "," for child in tokens.children[:-2])
            stands_alone = site.node.parent is not None and site.node.parent.type in _STANDING
            if is_single:
                text = content if stands_alone else f"({content})"
                edits.append(Edit(site.node.start_byte, site.node.end_byte, text.encode()))
        elif site.place.name in ("eprintln!", "eprint!") and code.is_pure(tokens):
            edits.append(code.without(site.node))
    return tuple(edit for edit in edits if edit)


def unbuffered_writer(code: RustCode) -> tuple[Edit, ...]:
    """A `BufWriter` without room, which hands over each piece at once. It is no fix: the unbuffered rerun needs it."""
    edits = []
    for node in nodes_of(code.root):
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if node.type != "call_expression" or function is None or argument_list is None:
            continue
        kind, _, last = code.text(function).rpartition("::")
        arguments = [child for child in argument_list.named_children if "comment" not in child.type]
        if kind.rpartition("::")[2] == "BufWriter" and last in ("new", "with_capacity") and arguments:
            text = f"{kind}::with_capacity(0, {code.text(arguments[-1])})"
            edits.append(Edit(node.start_byte, node.end_byte, text.encode()))
    return tuple(edits)
