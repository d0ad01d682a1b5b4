"""Python lists that are used as queues, or to look things up: a deque, or a set beside the list.

The kind of a variable is told from everything that the source does with it: each use has to be one that a deque has too
and that means the same. The list must be the variable's own: nobody else may hold it.
"""

from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.pyscopes import FUNCTIONS, is_bound
from judge.grading.reading.rewriting.python.values import MethodCall, Values, method_of
from judge.grading.reading.syntax.walking import nodes_of

_SAME = frozenset({"append", "extend", "clear", "count", "remove", "reverse"})  # methods of both
_READS_ALL = frozenset(
    {"len", "sum", "max", "min", "sorted", "list", "tuple", "set", "any", "all", "enumerate", "bool"}
)
_LISTS = ("list", "sorted", "len", "set", "map", "range")
_CONDITIONS = frozenset({"if_statement", "while_statement", "elif_clause"})


def deque_for_list(code: PyCode) -> tuple[Edit, ...]:
    """`q.pop(0)` -> `q.popleft()`, `q.insert(0, x)` -> `q.appendleft(x)`, where a deque does all that `q` does."""
    if ("deque" in code.names and code.bindings.full("deque") != "collections.deque") or not has_plain_lists(code):
        return ()
    values = Values(code)
    edits: list[Edit] = []
    for uses in _lists_moved(code):
        changes = list(_as_deque(code, values, uses))
        if changes and None not in changes:
            edits += [edit for edit in changes if edit is not None]
    if not edits:
        return ()
    return (*edits, *([] if "deque" in code.names else [code.at_top("from collections import deque")]))


def has_plain_lists(code: PyCode) -> bool:
    """Return whether what looks like a list is one: no class of the source, or of NumPy, can look like it."""
    has_classes = any(node.type == "class_definition" for node in nodes_of(code.root))
    return not has_classes and not code.names & {"numpy", "np"} and not any(map(code.binds, _LISTS))


def _lists_moved(code: PyCode) -> Iterator[list[Node]]:
    """Yield the uses of each variable of which the front is taken off, or added to, in a loop."""
    done: set[int] = set()
    for node in nodes_of(code.root):
        call = method_of(code, node)
        if call is None or not _moves(code, call) or node.id in done:
            continue
        uses = code.scopes.uses(node)
        done.update(use.id for use in uses)
        yield uses


def _moves(code: PyCode, call: MethodCall) -> bool:
    texts = [code.text(argument) for argument in call.arguments]
    return (call.name == "pop" and texts == ["0"]) or (call.name == "insert" and len(texts) == 2 and texts[0] == "0")


def _as_deque(code: PyCode, values: Values, uses: list[Node]) -> Iterator[Edit | None]:
    """Yield the edits of each use; None where a deque would do something else."""
    for use in uses:
        above, call = use.parent, method_of(code, use)
        if above is None:
            yield None
        elif call is not None:
            yield from _called(code, call)
        elif is_bound(use):
            yield from _given(code, values, use)
        elif not _is_read_alike(code, use, above):
            is_added = above.type == "binary_operator" and code.text(above.child_by_field_name("operator")) == "+"
            is_result = above.type == "return_statement" and code.scopes.owner(use) == _function_of(use)
            as_list = f"list({code.text(use)})".encode()
            yield Edit(use.start_byte, use.end_byte, as_list) if is_added or is_result else None


def _called(code: PyCode, call: MethodCall) -> Iterator[Edit | None]:
    arguments = [argument.type for argument in call.arguments]
    if _moves(code, call) and call.name == "pop":
        yield Edit(call.attribute.start_byte, call.node.end_byte, b"popleft()")
    elif _moves(code, call):
        yield Edit(call.attribute.start_byte, call.arguments[1].start_byte, b"appendleft(")
    elif call.name not in _SAME and not (call.name == "pop" and not arguments):
        yield None


def _given(code: PyCode, values: Values, use: Node) -> Iterator[Edit | None]:
    """Make the value that the variable gets a deque, if it is a list that nobody else has."""
    above = use.parent
    assert above is not None
    value = above.child_by_field_name("right") if above.type == "assignment" else None
    if above.type == "augmented_assignment":
        is_more = above.child_by_field_name("left") == use and code.text(above.child_by_field_name("operator")) == "+="
        if not is_more:
            yield None
    elif value is not None and above.child_by_field_name("left") == use and values.is_fresh_list(value):
        if above.parent is None or above.parent.type != "expression_statement":
            yield None
        elif code.text(value) == "[]":
            yield Edit(value.start_byte, value.end_byte, b"deque()")
        else:
            yield Edit(value.start_byte, value.start_byte, b"deque(")
            yield Edit(value.end_byte, value.end_byte, b")", is_place=False)
    elif above.type == "parameters":
        yield _parameter(code, values, use, above)
    else:
        yield _unpacked(code, values, use)


def _parameter(code: PyCode, values: Values, use: Node, parameters: Node) -> Edit | None:
    """`def f(q):` -> the same, and `q = deque(q)` at its beginning, if each call gives it a list of its own."""
    if not values.is_given_fresh_lists(use, parameters) or parameters.parent is None:
        return None
    body = parameters.parent.child_by_field_name("body")
    statements = [child for child in body.named_children if child.type != "comment"] if body is not None else []
    if not statements or body is None or statements[0].start_point.row == parameters.start_point.row:
        return None
    name, blanks = code.text(use), indentation(code.source, statements[0].start_byte)
    text = f"{name} = deque({name})".encode() + line_end_of(code.source) + blanks
    return Edit(statements[0].start_byte, statements[0].start_byte, text, is_place=False)


def _function_of(node: Node) -> int:
    above = node.parent
    while above is not None and above.type not in FUNCTIONS:
        above = above.parent
    return above.id if above is not None else 0


def _unpacked(code: PyCode, values: Values, use: Node) -> Edit | None:
    """`x, q = f(a)` -> the same, and `q = deque(q)` after it."""
    pattern, name = use.parent, code.text(use)
    above = pattern.parent if pattern is not None and pattern.type == "pattern_list" else None
    value = above.child_by_field_name("right") if above is not None and above.type == "assignment" else None
    statement = above.parent if above is not None else None
    if pattern is None or value is None or statement is None or statement.type != "expression_statement":
        return None
    place = pattern.named_children.index(use)
    is_alone = sum(code.text(child) == name for child in pattern.named_children) == 1
    if not is_alone or not values.is_fresh_list(value, place) or statement.next_sibling is None:
        return None
    start = line_end_of(code.source) + indentation(code.source, statement.start_byte)
    if code.source[statement.end_byte : statement.end_byte + 1] not in (b"\n", b"\r"):
        return None
    return Edit(statement.end_byte, statement.end_byte, start + f"{name} = deque({name})".encode(), is_place=False)


def _is_read_alike(code: PyCode, use: Node, above: Node) -> bool:
    """Return whether this use only reads what a list and a deque give alike."""
    if above.type in _CONDITIONS:
        return above.child_by_field_name("condition") == use
    if above.type == "subscript":
        places = above.children_by_field_name("subscript")
        is_element = above.child_by_field_name("value") == use and len(places) == 1 and places[0].type != "slice"
        return is_element and not is_deleted(above)
    if above.type in ("for_statement", "for_in_clause"):
        inside = [other for other in code.scopes.uses(use) if above.start_byte <= other.start_byte < above.end_byte]
        return above.child_by_field_name("right") == use and inside == [use]
    if above.type == "augmented_assignment":
        return code.text(above.child_by_field_name("operator")) == "+="
    if above.type in ("not_operator", "boolean_operator"):
        return _is_condition(above)
    if above.type == "comparison_operator":
        return code.text(above).split()[-2:-1] == ["in"] and above.named_children[-1] == use
    if above.type == "list_splat":
        return True
    call = above.parent if above.type == "argument_list" else None
    if call is None or call.type != "call" or len(above.named_children) != 1:
        return False
    function = code.text(call.child_by_field_name("function"))
    return (function in _READS_ALL and not code.binds(function)) or function.rpartition(".")[2] in ("join", "extend")


def is_deleted(node: Node) -> bool:
    """Return whether a `del` statement names this, in parentheses or not."""
    above = node.parent
    while above is not None and above.type in ("expression_list", "tuple", "parenthesized_expression"):
        above = above.parent
    return above is not None and above.type == "delete_statement"


def _is_condition(node: Node) -> bool:
    """Return whether only the truth of an expression matters."""
    above = node.parent
    while above is not None and above.type in ("not_operator", "boolean_operator", "parenthesized_expression"):
        node, above = above, above.parent
    return above is not None and above.type in _CONDITIONS and above.child_by_field_name("condition") == node
