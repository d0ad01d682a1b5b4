"""Find what costs more in C++ than it looks: searches and shifts of vectors, copies of whole values, conversions."""

import re

from tree_sitter import Node

from judge.grading.reading.places import OF_LOOKUP, Deed, Stream
from judge.grading.reading.syntax.walking import LIST, NONE, TEXT, Kinds, Reader, Scope

_TYPE = re.compile(r"^(?:const\s+)?(?:std::)?(vector|string)\b")
_MAP_TYPE = re.compile(
    r"^(?:const\s+)?(?:std::)?(unordered_map|map)\s*<\s*(?:const\s+)?"
    r"(?:(?:un)?signed|int|long|short|char|(?:std::)?size_t|(?:std::)?u?int\d+_t|ll|ull|i64|u64|\s)+,"
)
_STREAM_TYPE = re.compile(r"^(?:std::)?[io]?stringstream$")
_KIND = {"vector": LIST, "string": TEXT}
_BEGIN = re.compile(r"^(\w+)\.begin\(\)$")
_SEARCHES = frozenset({"find", "count", "find_if", "count_if", "max_element", "min_element", "accumulate"})
_LOOKUPS = frozenset(
    {"find", "count", "contains", "at", "insert", "emplace", "try_emplace", "insert_or_assign", "erase"}
)
_SORTS = frozenset({"sort", "stable_sort"})
_CONVERTS = frozenset({"stoi", "stol", "stoll", "stod", "atoi", "atol", "atoll", "to_string", "sprintf", "sscanf"})
_WHOLE = frozenset(
    {"accumulate", "sort", "stable_sort", "reverse", "fill", "count", "find", "max_element", "min_element", "unique"}
    | {"memset", "memcpy", "next_permutation", "strlen", "iota", "partial_sum", "lower_bound", "rotate", "copy"}
    | {"assign", "resize", "substr", "find_first_of", "insert", "nth_element", "transform", "for_each", "getline"}
)
_DECLARING = frozenset({"declaration", "parameter_declaration", "field_declaration", "optional_parameter_declaration"})


def kind_of_type(written: str) -> str:
    """Return what a declared type is: a vector, a string or neither."""
    named = _TYPE.match(written)
    return _KIND[named[1]] if named else NONE


def declare(reader: Reader, kinds: Kinds, node: Node) -> None:
    """Note in a first pass what a declaration says of its names."""
    if node.type in _DECLARING:
        written = reader.text(node.child_by_field_name("type"))
        kind, named = kind_of_type(written), _MAP_TYPE.match(written)
        for declarator in node.children_by_field_name("declarator"):
            kinds.set(name_of(reader, declarator), kind)
            kinds.set_map(name_of(reader, declarator), named[1] if named else NONE)


def name_of(reader: Reader, declarator: Node) -> str:
    """Return the name that a declarator gives."""
    node: Node | None = declarator
    for _ in range(8):
        if node is None or node.type in ("identifier", "field_identifier"):
            break
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type == "reference_declarator" and node.named_children:
            inner = node.named_children[-1]
        node = inner
    return reader.text(node)


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note what a node costs, if it is one of those."""
    match node.type:
        case "parameter_declaration":
            declarator = node.child_by_field_name("declarator")
            is_value = declarator is not None and declarator.type == "identifier"
            if is_value and kind_of_type(reader.text(node.child_by_field_name("type"))):
                reader.note(node, scope, Deed.COPY, Stream.OTHER, "parameter")
        case "declaration":
            _declared(reader, kinds, node, scope)
        case "assignment_expression":
            _assigned(reader, kinds, node, scope)
        case "call_expression":
            _called(reader, kinds, node, scope)
        case "subscript_expression":
            if cost := kinds.maps.get(reader.text(node.child_by_field_name("argument")), NONE):
                reader.note(node, scope, Deed.LOOKUP, Stream.OTHER, cost)


def _declared(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    written = reader.text(node.child_by_field_name("type"))
    if _STREAM_TYPE.match(written):
        reader.note(node, scope, Deed.CONVERT, Stream.OTHER, "stringstream")
    if not kind_of_type(written):
        return
    for declarator in node.children_by_field_name("declarator"):
        value = declarator.child_by_field_name("value")
        if value is not None and value.type == "identifier" and kinds.of.get(reader.text(value), NONE):
            reader.note(node, scope, Deed.COPY, Stream.OTHER, "=")
        elif declarator.type != "identifier":
            reader.note(node, scope, Deed.LOOP, Stream.OTHER, "vector")


def _assigned(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    name, value = reader.text(node.child_by_field_name("left")), node.child_by_field_name("right")
    if value is None or reader.text(node.child_by_field_name("operator")) != "=" or not kinds.of.get(name, NONE):
        return
    operands, first = set(), value
    while first.type == "binary_expression" and reader.text(first.child_by_field_name("operator")) == "+":
        left, right = first.child_by_field_name("left"), first.child_by_field_name("right")
        if left is None or right is None:
            break
        operands.add(reader.text(right))
        first = left
    operands.add(reader.text(first))
    if value.type == "binary_expression" and kinds.is_text(name) and name in operands:
        reader.note(node, scope, Deed.COPY, Stream.OTHER, "+")
    elif value.type == "call_expression" and reader.text(value).startswith(f"{name}.substr("):
        reader.note(node, scope, Deed.COPY, Stream.OTHER, "substr")
    elif value.type == "identifier" and kinds.of.get(reader.text(value), NONE):
        reader.note(node, scope, Deed.COPY, Stream.OTHER, "=")


def _called(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or argument_list is None:
        return
    first = reader.text(argument_list.named_children[0]) if argument_list.named_children else ""
    last = reader.text(function).rpartition("::")[2]
    if function.type == "field_expression":
        last = reader.text(function.child_by_field_name("field"))
        owner = reader.text(function.child_by_field_name("argument"))
        if last in _LOOKUPS and (cost := kinds.maps.get(owner, NONE)):
            reader.note(node, scope, Deed.LOOKUP, Stream.OTHER, cost)
            if last in _WHOLE:
                reader.note(node, scope, Deed.LOOP, Stream.OTHER, OF_LOOKUP)
            return
        is_front = first == f"{owner}.begin()" or (first == "0" and kinds.is_text(owner))
        if is_front and last in ("erase", "insert") and kinds.of.get(owner, NONE):
            reader.note(node, scope, Deed.SHIFT, Stream.OTHER, f"{last}()")
            return
    elif (begins := _BEGIN.match(first)) and kinds.is_list(begins[1]) and last in _SEARCHES | _SORTS:
        reader.note(node, scope, Deed.SEARCH, Stream.OTHER, f"{last}()")
        return
    elif last in _CONVERTS:
        reader.note(node, scope, Deed.CONVERT, Stream.OTHER, last)
    if last in _WHOLE:
        reader.note(node, scope, Deed.LOOP, Stream.OTHER, last)
