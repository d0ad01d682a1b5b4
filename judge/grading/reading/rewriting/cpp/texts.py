"""C++ strings that grow by copies of themselves."""

import re

from tree_sitter import Node

from judge.grading.reading.rewriting.cppcode import CppCode
from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.syntax.walking import nodes_of

_STRINGS = frozenset({"string", "std::string"})


def append_in_place(code: CppCode) -> tuple[Edit, ...]:
    """`s = s + x` -> `s += x` where `s` is a string: it appends and copies nothing."""
    strings = _declared_strings(code)
    edits = []
    for node in nodes_of(code.root):
        if node.type != "assignment_expression" or code.statement_of(node) is None:
            continue
        name, right = code.text(node.child_by_field_name("left")), node.child_by_field_name("right")
        is_plain = code.text(node.child_by_field_name("operator")) == "="
        if name in strings and is_plain and right is not None:
            edits += _appended(code, node, name, right)
    return tuple(edits)


def _declared_strings(code: CppCode) -> set[str]:
    names: set[str] = set()
    others: set[str] = set()
    for node in nodes_of(code.root):
        if node.type not in ("declaration", "parameter_declaration", "field_declaration"):
            continue
        is_string = code.text(node.child_by_field_name("type")) in _STRINGS
        for child in node.children_by_field_name("declarator"):
            inner = child.child_by_field_name("declarator") if child.type == "init_declarator" else child
            (names if is_string else others).add(code.text(inner).lstrip("&"))
    return names - others


def _appended(code: CppCode, node: Node, name: str, right: Node) -> list[Edit]:
    """Return the edits for `name = name + a + b`: one statement for each part, of which only the first may use it."""
    parts: list[Node] = []
    inner = right
    while inner.type == "binary_expression" and code.text(inner.child_by_field_name("operator")) == "+":
        part, rest = inner.child_by_field_name("right"), inner.child_by_field_name("left")
        if part is None or rest is None:
            return []
        parts.append(part)
        inner = rest
    statement = node.parent
    if code.text(inner) != name or not parts or statement is None:
        return []
    texts = [code.text(part) for part in reversed(parts)]
    if any(re.search(rf"\b{re.escape(name)}\b", text) for text in texts[1:]):
        return []
    start = b";" + line_end_of(code.source) + indentation(code.source, node.start_byte)
    appended = start.join(f"{name} += {text}".encode() for text in texts)
    if len(texts) == 1 or (statement.parent is not None and statement.parent.type == "compound_statement"):
        return [Edit(node.start_byte, node.end_byte, appended)]
    return [Edit(statement.start_byte, statement.end_byte, b"{ " + appended.replace(start, b"; ") + b"; }")]
