"""Find what costs more in Rust than it looks: searches and shifts of vectors, copies of whole values, conversions."""

import re

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.walking import LIST, NONE, TEXT, Kinds, Reader, Scope

_LIST = re.compile(r"^(?:&\s*(?:mut\s+)?)?(?:Vec\b|vec!|\[)|collect::<Vec|\.to_vec\(\)$")
_TEXT = re.compile(r"^(?:&\s*(?:mut\s+)?)?(?:String\b|str$|format!|\")|\.to_string\(\)$|\.to_owned\(\)$")
_MAP = re.compile(r"^(?:&\s*(?:mut\s+)?)?(?:\w+::)*(HashMap|BTreeMap)(?:::)?<\s*[iu](?:8|16|32|64|128|size)\s*,")
_OVER = re.compile(r"^(\w+)\.(?:iter|chars|bytes)\(\)$")
_SEARCHES = frozenset({"position", "any", "find", "nth", "count", "max", "min", "sum", "all"})
_LOOKUPS = frozenset({"get", "get_mut", "entry", "contains_key", "insert", "remove"})
_SORTS = frozenset({"sort", "sort_unstable", "sort_by", "sort_by_key"})
_CONVERTS = frozenset({"parse", "to_string"})
_WHOLE = frozenset(
    {"sum", "fold", "collect", "count", "max", "min", "for_each", "reverse", "join", "concat", "extend", "fill"}
    | {"product", "max_by", "min_by", "max_by_key", "min_by_key", "last", "unzip", "dedup", "retain", "truncate"}
    | {"replace", "starts_with", "split", "split_whitespace", "to_vec", "any", "all", "position", "find"}
)


def declare(reader: Reader, kinds: Kinds, node: Node) -> None:
    """Note in a first pass what a declaration says of its name."""
    if node.type not in ("let_declaration", "parameter", "for_expression"):
        return
    pattern, written = node.child_by_field_name("pattern"), node.child_by_field_name("type")
    value = node.child_by_field_name("value") if node.type == "let_declaration" else None
    kind = _kind(reader.text(written)) or _kind(reader.text(value))
    name = reader.text(pattern).removeprefix("mut ").strip()
    if name.isidentifier():
        kinds.set(name, kind)
        named = _MAP.match(reader.text(written)) or _MAP.match(reader.text(value))
        kinds.set_map(name, named[1] if named else NONE)


def _kind(written: str) -> str:
    if _LIST.search(written):
        return LIST
    return TEXT if _TEXT.search(written) else NONE


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note what a node costs, if it is one of those."""
    match node.type:
        case "call_expression":
            _called(reader, kinds, node, scope)
        case "index_expression":
            if cost := kinds.maps.get(reader.text(node.named_children[0]), NONE):
                reader.note(node, scope, Deed.LOOKUP, Stream.OTHER, cost)
        case "assignment_expression":
            _assigned(reader, kinds, node, scope)
        case "macro_invocation":
            name = reader.text(node.child_by_field_name("macro"))
            if name == "format":
                reader.note(node, scope, Deed.CONVERT, Stream.OTHER, "format!")
            elif name == "vec" and ";" in reader.text(node):
                reader.note(node, scope, Deed.LOOP, Stream.OTHER, "vec!")


def _assigned(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    name, value = reader.text(node.child_by_field_name("left")), node.child_by_field_name("right")
    if value is None or not kinds.is_text(name):
        return
    written = reader.text(value)
    is_format = value.type == "macro_invocation" and written.startswith("format!")
    if is_format and re.search(rf"\b{re.escape(name)}\b", written):
        reader.note(node, scope, Deed.COPY, Stream.OTHER, "format!")
    elif value.type == "binary_expression" and re.search(rf"&{re.escape(name)}\b", written):
        reader.note(node, scope, Deed.COPY, Stream.OTHER, "+")


def _called(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is not None and function.type == "generic_function":
        function = function.child_by_field_name("function")
    if function is None or argument_list is None or function.type != "field_expression":
        return
    last, owner = (reader.text(function.child_by_field_name(field)) for field in ("field", "value"))
    first = reader.text(argument_list.named_children[0]) if argument_list.named_children else ""
    if last in _LOOKUPS and (cost := kinds.maps.get(owner, NONE)):
        reader.note(node, scope, Deed.LOOKUP, Stream.OTHER, cost)
        return
    over = _OVER.match(owner)
    kind = kinds.of.get(over[1] if over else owner, NONE)
    is_front = first == "0" if last in ("remove", "insert", "insert_str") else last == "drain" and first == "..1"
    if over and kind and last in _SEARCHES:
        reader.note(node, scope, Deed.SEARCH, Stream.OTHER, f"{last}()")
    elif kind and not over and is_front:
        reader.note(node, scope, Deed.SHIFT, Stream.OTHER, f"{last}()")
    elif kind == LIST and (last == "contains" or last in _SORTS):
        reader.note(node, scope, Deed.SEARCH, Stream.OTHER, f"{last}()")
    elif kind and last in ("clone", "to_vec"):
        reader.note(node, scope, Deed.COPY, Stream.OTHER, f"{last}()")
    elif last in _CONVERTS:
        reader.note(node, scope, Deed.CONVERT, Stream.OTHER, f"{last}()")
    elif last in _WHOLE:
        reader.note(node, scope, Deed.LOOP, Stream.OTHER, last)
