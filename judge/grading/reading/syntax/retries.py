"""Find loops that read again and again, whether or not there is anything left to read.

Where a read fails, `cin` and `scanf` take nothing and change nothing, so that a loop which does not look at the stream
goes on for ever. Python's `input` raises EOFError at the end, Rust's `read_line` returns Ok(0).
"""

import re

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.loops import Loop, LoopShapes
from judge.grading.reading.syntax.progress import is_bounded
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope

_AT_END = re.compile(r"^(?:!|not)?(?:std::)?(?:cin\.eof\(\)|feof\(stdin\))(?:==(?:false|0)|!=(?:true|1))?$")
_LOOKS = re.compile(  # at the state of the stream, or at what a read returns
    r"\.(?:eof|fail|good|bad|rdstate|exceptions|peek|gcount|clear|ignore)\(|(?:!|if|while|&&|\|\||bool|=)\(*(?:std::)?"
    r"(?:cin\b|getline\(|scanf\()|scanf\([^;]*\)(?:[!=<>]|\))|EOF|feof|ferror|~scanf"
)
_READ = re.compile(r"^(?:\(void\))?(?:std::)?(cin)>>|^(scanf)\(|^(?:std::)?(getline)\((?:std::)?cin,")
_READ_LINE = re.compile(r"read_line\(&mut\w+\)\.(?:unwrap|expect|ok|unwrap_or\w*)\(")
_LOOKS_IN_RUST = re.compile(
    r"Ok\(0\)|is_empty\(\)|\.len\(\)|(?<!let_)=[\w.():&]*read_line|if[^{;]*read_line|match[^{;]*read_line"
)
_CATCHES = re.compile(r"^except(?:\(?(?:[\w.]+,)*(?:EOFError|Exception|BaseException)(?:,[\w.]+)*\)?(?:as\w+)?)?:")
_LEAVES = re.compile(r"break|return|raise|exit|quit")
_LOOKS_IN_PYTHON = re.compile(r"ifnot\w|[!=]=(?:''|\"\"|b''|b\"\")|len\(|:=|while\w+:|if\w+:|int\(|float\(")


def look(reader: Reader, node: Node, scope: Scope, shapes: LoopShapes, kinds: Kinds) -> None:
    """Note a loop that goes on reading where nothing can be read."""
    if node.type not in (*shapes.conditioned, "loop_expression") or reader.is_large(node):
        return
    loop = Loop(reader, node, shapes, kinds)
    if any(is_bounded(loop, asked) for asked in loop.asks):
        return
    if shapes.is_exact:
        name = _in_python(loop)
    elif node.type in ("loop_expression", "while_expression"):
        name = _in_rust(loop)
    else:
        name = _in_cpp(loop)
    if name:
        reader.note(node, scope, Deed.RETRY, Stream.STDIN, name)


def _in_cpp(loop: Loop) -> str:
    asks_for_end = any(_AT_END.match(asked.text) for asked in loop.asks)
    if _LOOKS.search(loop.reader.whole(loop.body)) or (
        not asks_for_end and _LOOKS.search("".join(asked.text for asked in loop.asks))
    ):
        return ""
    for node in loop.nodes:
        if node.type == "expression_statement" and (read := _READ.match(loop.text(node))):
            return next(name for name in read.groups() if name)
    return ""


def _in_rust(loop: Loop) -> str:
    whole = loop.reader.whole(loop.body)
    return "read_line()" if _READ_LINE.search(whole) and not _LOOKS_IN_RUST.search(whole) else ""


def _in_python(loop: Loop) -> str:
    for node in loop.nodes:
        if node.type == "try_statement" and "input(" in loop.reader.whole(node.child_by_field_name("body")):
            for clause in node.named_children:
                text = loop.reader.whole(clause)
                if clause.type == "except_clause" and _CATCHES.match(text):
                    if not _LEAVES.search(text):
                        return "input()"
                    break
    whole = loop.reader.whole(loop.node)
    return "readline()" if ".readline()" in whole and not _LOOKS_IN_PYTHON.search(whole) else ""
