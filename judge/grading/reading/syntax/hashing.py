"""Find where a source asks a hash table, in Python and C++: Rust's takes a new secret in each run."""

import re

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope

_TABLES = re.compile(
    r"^(?:const\s+)?(?:std::)?unordered_(?:multi)?(?:map|set)\b|^(?:dict|set|defaultdict|Counter|OrderedDict)$"
)
_ASKS = frozenset(
    {"get", "add", "discard", "remove", "setdefault", "pop", "insert", "emplace", "count", "find", "contains", "at"}
)
_OWNERS = {"subscript": "value", "subscript_expression": "argument"}


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note a look into a hash table. `kinds`: by what the values of names are made, or how they are declared."""
    owner: Node | None = None
    if node.type in _OWNERS:
        owner = node.child_by_field_name(_OWNERS[node.type])
    elif node.type == "comparison_operator" and {child.type for child in node.children} & {"in", "not in"}:
        owner = node.named_children[-1]
    elif node.type in ("call", "call_expression"):
        function = node.child_by_field_name("function")
        if function is not None and function.type in ("attribute", "field_expression"):
            parts = ("object", "attribute") if function.type == "attribute" else ("argument", "field")
            if reader.text(function.child_by_field_name(parts[1])) in _ASKS:
                owner = function.child_by_field_name(parts[0])
    made = kinds.made_by.get(reader.text(owner), set()) if owner is not None else set()
    if made and all(_TABLES.match(each) for each in made):
        reader.note(node, scope, Deed.HASH, Stream.OTHER, "hash")
