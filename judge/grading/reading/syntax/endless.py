"""Find loops that nothing in them can end, and functions that call themselves twice, in any language's tree.

Both are told by names only, so all that might still end a loop, or change what its condition depends on, makes it one
of which nothing is said: a `break`, a `return`, an exception, a call of a function that is not known to do neither, and
the condition's variable anywhere but where it is only read.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.walking import Reader, Scope

_PLAIN = re.compile(r"^(?!.*(?:<<|>>))[\w\s<>=!+*/%-]*$")  # a condition of names, numbers and comparisons, no call
_NAME = re.compile(r"[A-Za-z_]\w*")
_NO_VARIABLES = frozenset({"true", "True", "and", "or", "not", "mut", "as", "usize", "i64", "i32", "u64", "u32", "std"})
_ALWAYS = frozenset({"", "true", "True", "1"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Shapes:
    """The node types of a language. `targets`: of a node that sets something, the field with what it sets."""

    while_loops: Mapping[str, tuple[str, ...]]  # type -> the fields that are run again and again
    ends: frozenset[str]  # statements that may leave a loop
    targets: Mapping[str, str]
    gives_away: frozenset[str]  # nodes below which a name may be changed by others
    calls: Mapping[str, str]  # type of a call -> the field with what is called
    harmless: frozenset[str]  # functions and methods that neither end the program nor change a plain variable
    together: frozenset[str]  # expressions in which two calls of the own function are two branches


def look_at_loop(reader: Reader, node: Node, scope: Scope, shapes: Shapes) -> None:
    """Note a loop that can never end by what its text shows."""
    if node.type not in shapes.while_loops or reader.is_large(node):
        return
    condition = reader.text(node.child_by_field_name("condition")).strip().strip("()").strip()
    if not _PLAIN.match(condition):
        return
    variables = set(_NAME.findall(condition)) - _NO_VARIABLES
    if not variables and condition not in _ALWAYS:
        return
    parts = [node.child_by_field_name(field) for field in shapes.while_loops[node.type]]
    if any(_may_end(reader, part, variables, shapes) for part in parts if part is not None):
        return
    reader.note(node, scope, Deed.ENDLESS, Stream.OTHER, condition[:40] or "true")


def _may_end(reader: Reader, part: Node, variables: set[str], shapes: Shapes) -> bool:
    for node in reader.below(part):
        if node.type in shapes.ends:
            return True
        if node.type in shapes.calls and _name_of_call(reader, node, shapes) not in shapes.harmless:
            return True
        if node.type in shapes.targets and variables & _names_below(reader, node, shapes.targets[node.type]):
            return True
        if node.type == "binary_expression" and reader.text(node.child_by_field_name("operator")) != ">>":
            continue  # only `cin >> x` gives away, and the other `>>` is taken for it
        if node.type in shapes.gives_away and variables & _names_below(reader, node, ""):
            return True
    return False


def look_at_function(reader: Reader, node: Node, scope: Scope, shapes: Shapes, name: str) -> None:
    """Note a function that calls itself, and the expression in which it does so twice if nothing keeps its results."""
    if not name or reader.is_large(node):
        return
    nodes = list(reader.below(node))
    calls = [call for call in nodes if call.type in shapes.calls and _name_of_call(reader, call, shapes) == name]
    if calls:
        reader.note(node, scope, Deed.RECURSE, Stream.OTHER, name)
    is_cached = node.parent is not None and node.parent.type == "decorated_definition"  # in Python
    has_table = any(
        inner.type in shapes.targets and "[" in reader.text(inner.child_by_field_name(shapes.targets[inner.type]))
        for inner in nodes
    )
    if is_cached or has_table:
        return
    for call in calls:
        reader.note(call, scope, Deed.AGAIN, Stream.OTHER, name)
    for inner in (inner for inner in nodes if inner.type in shapes.together):
        below = [call for call in calls if inner.start_byte <= call.start_byte and call.end_byte <= inner.end_byte]
        if len(below) > 1:
            reader.note(inner, scope, Deed.BRANCH, Stream.OTHER, name)
            return


def _name_of_call(reader: Reader, node: Node, shapes: Shapes) -> str:
    """Return the last part of what is called: `append` of `seen.append`."""
    names = _NAME.findall(reader.text(node.child_by_field_name(shapes.calls[node.type])))
    return names[-1] if names else ""


def _names_below(reader: Reader, node: Node, field: str) -> set[str]:
    part = node.child_by_field_name(field) if field else node
    if part is None:
        part = node
    return {reader.text(inner) for inner in reader.below(part) if inner.type in ("identifier", "field_identifier")}


PYTHON = Shapes(
    while_loops={"while_statement": ("body",)},
    ends=frozenset({"break_statement", "return_statement", "raise_statement", "yield", "assert_statement", "await"}),
    targets=dict.fromkeys(("assignment", "augmented_assignment", "for_statement", "for_in_clause"), "left")
    | {"named_expression": "name", "with_item": "value", "delete_statement": ""},
    gives_away=frozenset({"argument_list", "as_pattern"}),
    calls={"call": "function"},
    harmless=frozenset({"append", "print", "len", "range", "abs", "min", "max", "sum", "int", "str", "add", "divmod"}),
    together=frozenset({"binary_operator", "return_statement", "boolean_operator"}),
)
CPP = Shapes(
    while_loops={
        "while_statement": ("body", "condition"),
        "do_statement": ("body", "condition"),
        "for_statement": ("body", "condition", "update"),
    },
    ends=frozenset(
        {"break_statement", "return_statement", "throw_statement", "goto_statement", "co_return_statement"}
        | {"co_yield_statement", "labeled_statement"}
    ),
    targets=dict.fromkeys(("for_range_loop", "init_declarator"), "declarator")
    | dict.fromkeys(("update_expression", "pointer_expression"), "argument")
    | {"assignment_expression": "left", "lambda_expression": ""},
    gives_away=frozenset({"argument_list", "binary_expression"}),
    calls={"call_expression": "function"},
    harmless=frozenset({"push_back", "emplace_back", "size", "abs", "min", "max", "printf", "insert", "push"}),
    together=frozenset({"binary_expression", "return_statement"}),
)
RUST = Shapes(
    while_loops={"while_expression": ("body",), "loop_expression": ("body",)},
    ends=frozenset({"break_expression", "return_expression", "try_expression", "await_expression", "label"}),
    targets=dict.fromkeys(("assignment_expression", "compound_assignment_expr"), "left")
    | dict.fromkeys(("let_declaration", "for_expression"), "pattern")
    | {
        "reference_expression": "value",
        "closure_expression": "",
        "macro_invocation": "",  # its inside is unknown
    },
    gives_away=frozenset(),  # only a reference lets others change it
    calls={"call_expression": "function"},
    harmless=frozenset(
        {"push", "len", "min", "max", "wrapping_add", "wrapping_mul", "insert", "black_box", "spin_loop"}
    ),
    together=frozenset({"binary_expression", "return_expression"}),
)
