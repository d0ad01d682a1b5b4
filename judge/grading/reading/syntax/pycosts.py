"""Find what costs more in Python than it looks: searches and shifts of lists, copies of texts, conversions."""

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.walking import LIST, NONE, TEXT, Kinds, Reader, Scope

_LISTS = frozenset({"list", "list_comprehension"})
_TEXTS = frozenset({"string", "concatenated_string"})
_MAKES_LIST = frozenset({"list", "sorted"})
_MAKES_TEXT = frozenset({"str", "input", "repr", "hex", "bin"})
_SEARCHES = frozenset({"index", "count", "remove"})
_CONVERTS = frozenset({"int", "float", "str", "format"})
_WHOLE = frozenset({"sum", "max", "min", "sorted", "list", "tuple", "set", "dict", "any", "all", "map", "reversed"})
_WHOLE_METHODS = frozenset({"sort", "reverse", "join", "copy", "split", "replace", "extend", "update", "find"})
_AT_MODULE_LEVEL = ""


def kind_of(reader: Reader, value: Node) -> str:
    """Return what a value is: a list, a text or neither."""
    if value.type in _LISTS:
        return LIST
    if value.type in _TEXTS:
        return TEXT
    if value.type == "call":
        last = reader.text(value.child_by_field_name("function")).rpartition(".")[2]
        if last in _MAKES_LIST or last in ("split", "readlines", "splitlines"):
            return LIST
        return TEXT if last in _MAKES_TEXT or last in ("join", "strip", "readline") else NONE
    if value.type == "binary_operator" and reader.text(value.child_by_field_name("operator")) == "*":
        return kind_of(reader, value.named_children[0])
    return NONE


def declare(reader: Reader, kinds: Kinds, node: Node) -> None:
    """Note in a first pass what an assignment, a loop or a parameter says of a name."""
    if node.type == "assignment":
        name, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        if name is not None and value is not None and name.type == "identifier":
            branches = [_operands(reader, branch) for branch in _branches(value)]
            if not any(reader.text(name) in operands for operands in branches):  # `s = s + x` leaves it what it is
                kinds.set(reader.text(name), kind_of(reader, value))
        elif name is not None and name.type == "pattern_list":
            for part in name.named_children:
                is_rest = part.type == "list_splat_pattern"
                kinds.set(reader.text(part).removeprefix("*"), LIST if is_rest else NONE)
    elif node.type in ("for_statement", "for_in_clause"):
        target = node.child_by_field_name("left")
        for part in reader.below(target) if target is not None else ():
            if part.type == "identifier":
                kinds.set(reader.text(part), NONE)
    elif node.type == "parameters":
        for part in node.named_children:
            if part.type == "identifier":
                kinds.set(reader.text(part), NONE)


def look(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    """Note what a node costs, if it is one of those."""
    match node.type:
        case "comparison_operator":
            container = node.named_children[-1]
            if container.type == "subscript" and container.named_children[-1].type == "slice":
                container = container.named_children[0]
            operators = {child.type for child in node.children if not child.is_named}
            if operators & {"in", "not in"} and kinds.is_list(reader.text(container)):
                reader.note(node, scope, Deed.SEARCH, Stream.OTHER, "in")
        case "delete_statement":
            target = reader.text(node).removeprefix("del").strip()
            if target.endswith("[0]") and kinds.is_list(target.removesuffix("[0]")):
                reader.note(node, scope, Deed.SHIFT, Stream.OTHER, "del")
        case "assignment" | "augmented_assignment":
            _assigned(reader, kinds, node, scope)
        case "call":
            _called(reader, kinds, node, scope)
        case "subscript":
            owner, inside = node.child_by_field_name("value"), node.named_children[-1]
            if inside.type == "slice" and owner is not None and not _is_gone_through_once(node):
                reader.note(node, scope, Deed.LOOP, Stream.OTHER, "slice")


def _is_gone_through_once(node: Node) -> bool:
    """Return whether it is what a comprehension goes through; that the comprehension repeats is noted of itself."""
    return node.parent is not None and node.parent.type == "for_in_clause"


def _assigned(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    target, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    name = reader.text(target)
    if target is None or right is None or kinds.of.get(name, NONE) is NONE:
        return
    if node.type == "augmented_assignment":
        # CPython appends to a function's own variable in place, and copies one of the module.
        is_own = scope.function != _AT_MODULE_LEVEL
        if reader.text(node.child_by_field_name("operator")) == "+=" and kinds.is_text(name):
            reader.note(node, scope, Deed.GATHER if is_own else Deed.COPY, Stream.OTHER, "+=")
        return
    sums = [operands for branch in _branches(right) if name in (operands := _operands(reader, branch))]
    if not sums:
        return
    is_own = kinds.is_text(name) and scope.function != _AT_MODULE_LEVEL
    if not all(is_own and operands[0] == name and len(operands) == 2 for operands in sums):
        reader.note(node, scope, Deed.COPY, Stream.OTHER, "+")


def _branches(value: Node) -> list[Node]:
    """Return the two values of `a if c else b`; of others the value itself."""
    if value.type == "conditional_expression" and value.named_child_count == 3:
        return [value.named_children[0], value.named_children[2]]
    return [value]


def _operands(reader: Reader, value: Node) -> list[str]:
    """Return the operands of a sum, first to last, and the list of which it is a slice; nothing of other values."""
    operands: list[str] = []
    while value.type == "binary_operator" and reader.text(value.child_by_field_name("operator")) == "+":
        operand, right = value.child_by_field_name("left"), value.child_by_field_name("right")
        if operand is None or right is None:
            return []
        operands.append(reader.text(right))
        value = operand
    if value.type == "subscript" and not operands and value.named_children[-1].type == "slice":
        return ["", "", reader.text(value.child_by_field_name("value"))]
    return [reader.text(value), *reversed(operands)] if operands else []


def _called(reader: Reader, kinds: Kinds, node: Node, scope: Scope) -> None:
    function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is None or argument_list is None:
        return
    written = reader.text(function)
    owner, _, last = written.rpartition(".")
    first = reader.text(argument_list.named_children[0]) if argument_list.named_children else ""
    if kinds.is_list(owner):
        if last in ("pop", "insert") and first == "0":
            reader.note(node, scope, Deed.SHIFT, Stream.OTHER, f"{last}(0)")
            return
        if last in _SEARCHES or last == "sort":
            reader.note(node, scope, Deed.SEARCH, Stream.OTHER, f"{last}()")
            return
    if written in _CONVERTS or last == "format":
        reader.note(node, scope, Deed.CONVERT, Stream.OTHER, f"{last}()")
    if written == "print" and "\\n" in reader.text(argument_list):
        reader.note(node, scope, Deed.GATHER, Stream.OTHER, "lines")  # several in one call
    if last == "join":
        reader.note(node, scope, Deed.GATHER, Stream.OTHER, last)
    if (written in _WHOLE or last in _WHOLE_METHODS) and not _is_gone_through_once(node):
        reader.note(node, scope, Deed.LOOP, Stream.OTHER, last)
