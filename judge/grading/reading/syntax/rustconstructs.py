"""Find constructs in Rust that take as many steps as what they work on is long.

As in Python (`pyconstructs`), they are noted where they are repeated and work on what the loop does not make anew.
"""

import re

from tree_sitter import Node

from judge.grading.reading.syntax.walking import LIST, NONE, Kinds, Reader, Scope

_LOOPS = frozenset({"for_expression", "while_expression", "loop_expression"})
_FUNCTIONS = frozenset({"function_item", "closure_expression"})
_OVER = re.compile(
    r"^(\w+)(?:\.(?:iter|chars|bytes|char_indices|into_iter|as_bytes)\(\))+(?:\.(?:copied|cloned)\(\))?$"
)
_SEARCHES = frozenset({"position", "any", "find", "all"})
_PASSES = frozenset({"sum", "max", "min"})
_SORTS = frozenset({"sort", "sort_unstable", "sort_by", "sort_by_key"})
_COPIES = frozenset({"clone", "to_vec", "to_string", "to_owned"})
_WORD = re.compile(r"[A-Za-z_]\w*")


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note the construct that a node is, if it is one."""
    match node.type:
        case "call_expression":
            name, owner = _called(reader, kinds, node)
        case "assignment_expression":
            name, owner = _assigned(reader, kinds, node)
        case _:
            return
    if name and owner not in _made_around(reader, node):
        reader.note_costly(node, scope, name, _head_of(node))


def _called(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, str]:
    """Return the construct of a method's call, and the name of what it works on."""
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is not None and function.type == "generic_function":
        function = function.child_by_field_name("function")
    if function is None or argument_list is None or function.type != "field_expression":
        return "", ""
    last, owner = (reader.text(function.child_by_field_name(field)) for field in ("field", "value"))
    first = reader.text(argument_list.named_children[0]) if argument_list.named_children else ""
    over = _OVER.match(owner)
    name = over[1] if over else owner
    kind = kinds.of.get(name, NONE)
    if over and last == "nth":
        is_decoded = ".chars()" in owner and not first.isdigit()
        return ("nth()", name) if is_decoded else ("", "")
    is_counted = last == "count" and owner.endswith(".chars()")  # of a list, its length is at hand
    if over and (is_counted or last in _SEARCHES | _PASSES):
        return f"{last}()", name
    if over or not kind:
        return "", ""
    if last in ("remove", "insert", "insert_str") and argument_list.named_children:
        return (f"{last}(0)" if first == "0" else f"{last}()"), name
    if last == "drain" and first in ("..1", "0..1"):
        return "drain(..1)", name
    if kind == LIST and (last == "contains" or last in _SORTS):
        return f"{last.removesuffix('_unstable')}()" if last != "contains" else "contains()", name
    return (f"{last}()", name) if last in _COPIES else ("", "")


def _assigned(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, str]:
    """Return the construct of a text that is made anew of itself."""
    name, value = reader.text(node.child_by_field_name("left")), node.child_by_field_name("right")
    if value is None or not kinds.is_text(name):
        return "", ""
    written = reader.text(value)
    is_format = value.type == "macro_invocation" and written.startswith("format!")
    is_of_itself = bool(re.search(rf"\b{re.escape(name)}\b", written))
    if is_format and is_of_itself:
        return "format!", name
    is_sum = value.type == "binary_expression" and re.search(
        rf"&{re.escape(name)}\b|{re.escape(name)}\.clone\(\)", written
    )
    return ("+", name) if is_sum else ("", "")


def _loop_of(node: Node) -> Node | None:
    below, above = node, node.parent
    while above is not None and above.type not in _FUNCTIONS:
        if above.type in _LOOPS and below != above.child_by_field_name("value"):
            return above
        below, above = above, above.parent
    return None


def _head_of(node: Node) -> int:
    loop = _loop_of(node)
    return loop.start_point.row + 1 if loop is not None and loop.start_point.row != node.start_point.row else 0


def _made_around(reader: Reader, node: Node) -> frozenset[str]:
    loop = _loop_of(node)
    return reader.made_in(loop, _makes) if loop is not None else frozenset()


def _makes(reader: Reader, node: Node) -> set[str]:
    if node.type in ("let_declaration", "for_expression"):
        return set(_WORD.findall(reader.text(node.child_by_field_name("pattern"))))
    if node.type != "assignment_expression":
        return set()
    target, value = reader.text(node.child_by_field_name("left")), node.child_by_field_name("right")
    return {target} - set(_WORD.findall(reader.text(value))) if _WORD.fullmatch(target) else set()
