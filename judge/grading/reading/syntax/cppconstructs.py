"""Find constructs in C++ that take as many steps as what they work on is long.

As in Python (`pyconstructs`), they are noted where they are repeated and work on what the loop does not make anew.
"""

import re

from tree_sitter import Node

from judge.grading.reading.syntax.cppcosts import name_of
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope

_LOOPS = frozenset({"for_statement", "for_range_loop", "while_statement", "do_statement"})
_FUNCTIONS = frozenset({"function_definition", "lambda_expression"})
_DECLARING = frozenset({"declaration", "parameter_declaration", "optional_parameter_declaration", "field_declaration"})
_LARGE = re.compile(  # whole, and neither their iterators nor what takes them
    r"^(?:const\s+)?(?:std::)?(?:string|(?:vector|map|set|unordered_map|unordered_set|deque|array|multiset)\s*<.*>)$"
)
_LIST = re.compile(r"^(?:const\s+)?(?:std::)?vector\s*<")
_TEXT = re.compile(r"^(?:const\s+)?(?:std::)?string\b")
_ELEMENT = re.compile(r"^(?:const\s+)?(?:std::)?\w+\s*<.*\b(string|vector)\b")
_BEGIN = re.compile(r"^(\w+)\.c?begin\(\)$")
_ALGORITHMS = frozenset({"find", "count", "accumulate", "max_element", "min_element", "sort", "stable_sort", "reverse"})
_WORD = re.compile(r"[A-Za-z_]\w*")
_FEW = re.compile(r"^\d\d?$")
_FEW_NODES = 80  # of a loop that does nothing but search
_FEW_LINES = 6


def declare(reader: Reader, kinds: Kinds, node: Node) -> None:
    """Note in a first pass which type each name is declared with, and which functions take whole values."""
    if node.type in _DECLARING:
        written = reader.text(node.child_by_field_name("type"))
        for declarator in node.children_by_field_name("declarator"):
            kinds.made_by.setdefault(name_of(reader, declarator), set()).add(written)
    elif node.type == "function_definition" and (declared := node.child_by_field_name("declarator")) is not None:
        parameters = declared.child_by_field_name("parameters")
        taken = parameters.named_children if parameters is not None else []
        by_value = {place for place, parameter in enumerate(taken) if _is_by_value(reader, parameter)}
        name = reader.text(declared.child_by_field_name("declarator"))
        kinds.copied[name] = kinds.copied.get(name, by_value) & by_value


def _is_by_value(reader: Reader, parameter: Node) -> bool:
    declarator = parameter.child_by_field_name("declarator")
    is_plain = declarator is not None and declarator.type == "identifier"
    return is_plain and bool(_LARGE.match(reader.text(parameter.child_by_field_name("type"))))


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note the construct that a node is, if it is one."""
    match node.type:
        case "call_expression":
            name, owner = _called(reader, kinds, node)
        case "assignment_expression":
            name, owner = _assigned(reader, kinds, node)
        case "for_range_loop" | "for_statement":
            _searches(reader, node, scope)
            name, owner = _copies_each(reader, kinds, node)
        case _:
            return
    if name and (owner is None or _base(reader, owner) not in _made_around(reader, node)):
        reader.note_costly(node, scope, name, _head_of(node))


def _called(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, Node | None]:
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or argument_list is None:
        return "", None
    arguments = argument_list.named_children
    first = reader.text(arguments[0]) if arguments else ""
    if function.type == "field_expression":
        owner = function.child_by_field_name("argument")
        return _method(reader, kinds, owner, reader.text(function.child_by_field_name("field")), arguments), owner
    last = reader.text(function).rpartition("::")[2]
    if last in _ALGORITHMS and (begin := _BEGIN.match(first)):
        if last == "find" and _is(kinds, begin[1], _TEXT):
            return "find() in text", arguments[0]
        is_list = _is(kinds, begin[1], _LIST) or _is(kinds, begin[1], _TEXT)
        return (f"{last}()", arguments[0]) if is_list else ("", None)
    if last == "strlen" and arguments and _is_condition(node):
        return "strlen()", arguments[0]
    copied = kinds.copied.get(last, set())
    given = next((arguments[place] for place in sorted(copied) if place < len(arguments)), None)
    if given is not None and given.type in ("identifier", "field_expression", "subscript_expression"):
        return "by value", given
    return "", None


def _method(reader: Reader, kinds: Kinds, owner: Node | None, last: str, arguments: list[Node]) -> str:
    name, first = reader.text(owner), reader.text(arguments[0]) if arguments else ""
    is_text, is_list = _is(kinds, name, _TEXT), _is(kinds, name, _LIST)
    if not (is_text or is_list) or not arguments:
        return ""
    is_front = first in (f"{name}.begin()", "begin()") or (is_text and first == "0")
    if last in ("insert", "erase"):
        is_at_end = first.startswith((f"{name}.end()", f"--{name}.end()"))
        if is_at_end or (arguments[0].type == "call_expression" and not is_front):
            return ""  # at the end, or what `remove` and `unique` left behind
        front = "0" if is_text else "begin()"
        return f"{last}({front})" if is_front else f"{last}()"
    if is_text and last == "substr":
        is_short = len(arguments) == 2 and _FEW.match(reader.text(arguments[1]))
        return "" if is_short else "substr()"
    is_whole = len(arguments) == 1  # else from a place on
    return "find() in text" if is_text and is_whole and last in ("find", "rfind") else ""


def _assigned(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, Node | None]:
    """Return the construct of `s = s + x` and `copy = whole`."""
    target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if target is None or value is None or reader.text(node.child_by_field_name("operator")) != "=":
        return "", None
    name = reader.text(target)
    if value.type == "identifier" and _is(kinds, name, _LIST) and _is(kinds, reader.text(value), _LIST):
        return "vector =", value
    operands, first = set[str](), value
    while first.type == "binary_expression" and reader.text(first.child_by_field_name("operator")) == "+":
        left, right = first.child_by_field_name("left"), first.child_by_field_name("right")
        if left is None or right is None:
            break
        operands.add(reader.text(right))
        first = left
    operands.add(reader.text(first))
    is_sum = value.type == "binary_expression" and name in operands and _is(kinds, name, _TEXT)
    return ("+", target) if is_sum else ("", None)


def _copies_each(reader: Reader, kinds: Kinds, node: Node) -> tuple[str, Node | None]:
    """Return the construct of a loop that copies each text or vector that it goes through."""
    declarator, over = node.child_by_field_name("declarator"), node.child_by_field_name("right")
    if declarator is None or over is None or declarator.type not in ("identifier", "structured_binding_declarator"):
        return "", None
    written = reader.text(node.child_by_field_name("type"))
    types = kinds.made_by.get(reader.text(over), set())
    is_large = bool(_LARGE.match(written)) or (
        written.endswith("auto") and bool(types) and all(_ELEMENT.match(each) for each in types)
    )
    return ("for by value", over) if is_large else ("", None)


def _searches(reader: Reader, node: Node, scope: Scope) -> None:
    """Note each line of a short loop that compares one value of a list after the other until it finds one."""
    body = node.child_by_field_name("body")
    if body is None or node.descendant_count > _FEW_NODES:
        return
    below = list(reader.below(body))
    if any(part.type in _LOOPS for part in below):
        return
    tested = next((part for part in below if part.type == "if_statement"), None)
    ends = any(part.type in ("break_statement", "return_statement") for part in below)
    condition = tested.child_by_field_name("condition") if tested is not None else None
    if condition is None or not (ends or scope.in_loop):
        return
    variable = _variable(reader, node)
    compared = next((part for part in reader.below(condition) if part.type == "binary_expression"), None)
    if compared is None or not variable or reader.text(compared.child_by_field_name("operator")) != "==":
        return
    sides = [reader.text(compared.child_by_field_name(side)) for side in ("left", "right")]
    element = (
        re.compile(rf"^{re.escape(variable)}(\.\w+)?$")
        if node.type == "for_range_loop"
        else re.compile(rf"^\w+\[{re.escape(variable)}\](\.\w+)?$")
    )
    if sum(bool(element.match(side)) for side in sides) != 1 or not ends:
        return
    if any(re.search(rf"\b{re.escape(variable)}\b", side) for side in sides if not element.match(side)):
        return
    reader.note_span(node, scope, "search loop", _FEW_LINES)


def _variable(reader: Reader, loop: Node) -> str:
    """Return the name that a loop counts with, or gives each value."""
    if loop.type == "for_range_loop":
        return reader.text(loop.child_by_field_name("declarator")).lstrip("&* ")
    start = loop.child_by_field_name("initializer")
    declarator = start.child_by_field_name("declarator") if start is not None else None
    return name_of(reader, declarator) if declarator is not None else ""


def _is(kinds: Kinds, name: str, kind: re.Pattern[str]) -> bool:
    """Return whether all that is declared with this name is of this kind."""
    types = kinds.made_by.get(name, set())
    return bool(types) and all(kind.match(written) for written in types)


def _is_condition(node: Node) -> bool:
    """Return whether a node is part of the condition of a loop."""
    below, above = node, node.parent
    while above is not None and above.type not in _LOOPS | _FUNCTIONS:
        below, above = above, above.parent
    return above is not None and above.type in _LOOPS and above.child_by_field_name("condition") == below


def _loop_of(node: Node) -> Node | None:
    below, above = node, node.parent
    while above is not None and above.type not in _FUNCTIONS:
        is_part = above.type in _LOOPS and below not in (
            above.child_by_field_name("initializer"),
            above.child_by_field_name("right") if above.type == "for_range_loop" else None,
        )
        if is_part:
            return above
        below, above = above, above.parent
    return None


def _head_of(node: Node) -> int:
    loop = _loop_of(node)
    return loop.start_point.row + 1 if loop is not None and loop.start_point.row != node.start_point.row else 0


def _base(reader: Reader, owner: Node) -> str:
    name = _WORD.match(reader.text(owner))
    return name[0] if name else ""


def _made_around(reader: Reader, node: Node) -> frozenset[str]:
    """Return the names that the innermost loop around a node makes anew."""
    loop = _loop_of(node)
    return reader.made_in(loop, _makes) if loop is not None else frozenset()


def _makes(reader: Reader, node: Node) -> set[str]:
    if node.type == "declaration":
        return {name_of(reader, declarator) for declarator in node.children_by_field_name("declarator")}
    if node.type == "for_range_loop":
        return set(_WORD.findall(reader.text(node.child_by_field_name("declarator"))))
    if node.type != "assignment_expression" or reader.text(node.child_by_field_name("operator")) != "=":
        return set()
    target, value = reader.text(node.child_by_field_name("left")), node.child_by_field_name("right")
    return {target} - set(_WORD.findall(reader.text(value))) if _WORD.fullmatch(target) else set()
