"""Rust strings that grow by copies of themselves."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.rewriting.editing import Edit
from judge.grading.reading.rewriting.rustcode import RustCode, tokens_of
from judge.grading.reading.syntax.walking import nodes_of

_PART = re.compile(r"\{(\w*)\}")


def append_in_place(code: RustCode) -> tuple[Edit, ...]:
    """`s = format!("{}{}", s, x)` -> `s += &format!("{}", x)`: it appends and copies nothing of `s`."""
    edits: list[Edit] = []
    for node in nodes_of(code.root):
        right = node.child_by_field_name("right") if node.type == "assignment_expression" else None
        if right is not None and code.text(right.child_by_field_name("macro")) == "format":
            edits += _appended(code, node, code.text(node.child_by_field_name("left")), tokens_of(right))
    return tuple(edits)


def _appended(code: RustCode, node: Node, name: str, tokens: Node | None) -> Iterator[Edit]:
    children = tokens.children[1:-1] if tokens is not None else []
    literal = code.text(children[0]) if children and children[0].type == "string_literal" else ""
    first = _PART.match(literal, 1)
    if first is None or not literal.startswith('"'):
        return
    rest = literal[0] + literal[first.end() :]
    arguments = code.text(tokens)[1:-1][len(literal) :]
    if first[1] == name:
        pass
    elif not first[1] and (argument := re.match(rf"\s*,\s*&?{re.escape(name)}\s*(?=,|\Z)", arguments)):
        arguments = arguments[argument.end() :]
    else:
        return
    is_used_again = re.search(rf"\b{re.escape(name)}\b", arguments) or f"{{{name}" in rest or re.search(r"\{\d", rest)
    if not is_used_again:
        yield Edit(node.start_byte, node.end_byte, f"{name} += &format!({rest}{arguments})".encode())
