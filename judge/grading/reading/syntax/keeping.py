"""Find what keeps much in memory: values that a loop adds to, wholes that are made at once, and tables."""

import re
from math import prod

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.local_arrays import BYTES, LARGE_BYTES
from judge.grading.reading.syntax.walking import Reader, Scope

ADDED, WHOLE, TABLE = "added", "whole", "table"
_ADDS = frozenset(
    {"append", "appendleft", "extend", "add", "setdefault", "push_back", "emplace_back", "push", "emplace", "insert"}
    | {"push_str", "push_front", "malloc"}
)
_WHOLES = frozenset({"read", "readlines", "join", "list", "sorted", "read_to_string", "collect", "to_vec"})
_NUMBER = re.compile(r"\b(\d[\d']*)(e\d+)?\b")
_CALLS = {"call", "call_expression"}


def look(reader: Reader, node: Node, scope: Scope, numbers: dict[str, int]) -> None:
    """Note what a node keeps. `numbers`: names of whole numbers that never change, to which `declare` adds."""
    if node.type in _CALLS:
        function = node.child_by_field_name("function")
        if function is not None and function.type == "generic_function":
            function = function.child_by_field_name("function")
        name = re.split(r"\.|::", reader.text(function))[-1]
        if name in _ADDS and scope.in_loop:
            reader.note(node, scope, Deed.KEEP, Stream.OTHER, ADDED)
        elif name in _WHOLES:
            reader.note(node, scope, Deed.KEEP, Stream.OTHER, WHOLE)
    elif node.type in ("list_comprehension", "new_expression", "list_splat"):
        reader.note(node, scope, Deed.KEEP, Stream.OTHER, WHOLE)
    elif node.type == "binary_operator" and reader.text(node.child_by_field_name("operator")) == "*":
        if any(side.type == "list" for side in node.named_children):
            reader.note(node, scope, Deed.KEEP, Stream.OTHER, WHOLE)
    elif node.type == "macro_invocation" and re.match(r"vec!\s*\[.*;", reader.text(node), re.DOTALL):
        reader.note(node, scope, Deed.KEEP, Stream.OTHER, WHOLE)
    elif node.type == "declaration":
        _declared(reader, node, scope, numbers)


def _declared(reader: Reader, node: Node, scope: Scope, numbers: dict[str, int]) -> None:
    """Note the tables of a C++ declaration with their bytes, and vectors that are made with a size."""
    written = reader.text(node.child_by_field_name("type"))
    for declarator in node.children_by_field_name("declarator"):
        if declarator.type == "array_declarator":
            size = BYTES.get(written, 0) * prod(_dimensions(reader, declarator, numbers))
            if size >= LARGE_BYTES:
                reader.note(node, scope, Deed.KEEP, Stream.OTHER, TABLE, [str(size)])
        elif declarator.type == "init_declarator" and "vector" in written:
            value = declarator.child_by_field_name("value")
            if value is not None and value.type == "argument_list":
                reader.note(node, scope, Deed.KEEP, Stream.OTHER, WHOLE)


def _dimensions(reader: Reader, declarator: Node, numbers: dict[str, int]) -> list[int]:
    """Return the lengths of an array in each direction; 0 of one that the text does not tell."""
    lengths: list[int] = []
    node: Node | None = declarator
    while node is not None and node.type == "array_declarator" and len(lengths) < 8:
        written = reader.text(node.child_by_field_name("size")).replace("'", "")
        lengths.append(int(written[:12]) if written.isdigit() else numbers.get(written, 0))
        node = node.child_by_field_name("declarator")
    return lengths


def declare(reader: Reader, node: Node, numbers: dict[str, int]) -> None:
    """Note in a first pass the whole number that a constant of C++ stands for."""
    if node.type != "init_declarator" or node.parent is None or "const" not in reader.text(node.parent):
        return
    value = _NUMBER.fullmatch(reader.text(node.child_by_field_name("value")))
    if value is not None:
        name = reader.text(node.child_by_field_name("declarator"))
        digits, power = value[1].replace("'", "")[:12], int((value[2] or "e0")[1:][:2])
        numbers[name] = int(digits) * 10 ** min(power, 12)
