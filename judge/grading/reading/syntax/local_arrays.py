"""Find arrays of C++ that a function keeps on its stack, with their sizes where the source tells them."""

import re
from math import prod

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.walking import Reader, Scope

LARGE_BYTES = 1 << 20
_MOST_BYTES = 1 << 63
BYTES = {"char": 1, "bool": 1, "signed char": 1, "unsigned char": 1, "short": 2, "int": 4, "unsigned": 4} | {
    "unsigned int": 4,
    "float": 4,
    "long": 8,
    "long long": 8,
    "unsigned long long": 8,
    "double": 8,
    "size_t": 8,
    "long double": 16,
    "unsigned short": 2,
    "unsigned long": 8,
    "int64_t": 8,
    "int32_t": 4,
    "uint64_t": 8,
    "uint32_t": 4,
    "std::size_t": 8,
}  # fmt: skip - of one value, by the name of its type
_NUMBER = re.compile(r"^\d[\d']{0,20}$")


def look(reader: Reader, node: Node, scope: Scope) -> None:
    """Note each large array that a declaration in a function makes: its name, and as the word its size in bytes."""
    if node.type != "declaration" or not scope.function:
        return
    element = BYTES.get(reader.text(node.child_by_field_name("type")))
    if element is None or any(child.type == "storage_class_specifier" for child in node.children):
        return
    for declarator in node.children_by_field_name("declarator"):
        inner = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
        lengths = []
        while inner is not None and inner.type == "array_declarator":
            length = reader.text(inner.child_by_field_name("size"))
            lengths.append(int(length.replace("'", "")) if _NUMBER.match(length) else 0)
            inner = inner.child_by_field_name("declarator")
        size = element * prod(lengths)
        if lengths and inner is not None and inner.type == "identifier" and LARGE_BYTES <= size < _MOST_BYTES:
            reader.note(declarator, scope, Deed.LOCAL, Stream.OTHER, reader.text(inner), [str(size)])
