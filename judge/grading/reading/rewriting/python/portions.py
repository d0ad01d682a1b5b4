"""Print the lines of a loop, or the parts of one long text, joined, 1,000 at a time.

A loop that does nothing but print becomes an iterator of its lines. All that it computes is computed in the same order;
only the printing waits, for at most 1,000 lines. So it stays as it is where something in it prints by itself, or where
the variable of the loop is used after it. The lines of a loop that ends by an exception are printed all the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from judge.grading.reading.places import Stream
from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.pyscopes import FUNCTIONS
from judge.grading.reading.rewriting.python.outputs import may_print_otherwise, outputs_of, prints_elsewhere
from judge.grading.reading.rewriting.python.written import Written, written_by
from judge.grading.reading.syntax.walking import Site, nodes_of

_LINES = """

def print_lines(lines, end):
    lines, portion = iter(lines), []
    try:
        portion.extend(islice(lines, 1_000))
        while portion:
            print(end.join(portion), end=end)
            portion.clear()
            portion.extend(islice(lines, 1_000))
    finally:
        print(end.join(portion), end=end if portion else "")
"""
_JOINED = """

def print_joined(parts, sep, end):
    parts, between = iter(parts), ""
    while portion := list(islice(parts, 1_000)):
        print(between + sep.join(portion), end="")
        between = sep
    print(end=end)
"""
HELPERS = frozenset({"print_lines", "print_joined"})
_USED = ("print", "str", "map", "iter", "list")
_NOT_IN_GENERATORS = frozenset({"yield", "await", "named_expression"})
_COMPREHENSIONS = frozenset(
    {"list_comprehension", "set_comprehension", "dictionary_comprehension", "generator_expression"}
)
_LOOSE = frozenset({"conditional_expression", "lambda", "expression_list"})  # needs parentheses beside `for` and `if`
_MADE = frozenset({"generator_expression", "list_comprehension", "call"})  # values that nothing else keeps


def joined_portions(code: PyCode) -> tuple[Edit, ...]:
    """`for x in a: print(x)` -> the lines joined; `print(*a)` and `print(sep.join(...))` of many -> in portions."""
    if code.needs_flushes or code.replaces_stdout or may_print_otherwise(code) or any(map(code.binds, _USED)):
        return ()
    has_islice = code.bindings.full("islice") == "itertools.islice"
    if ("islice" in code.names and not has_islice) or code.names & HELPERS:
        return ()
    outputs = outputs_of(code)
    loops: list[Edit] = []
    end = 0
    for node in nodes_of(code.root):
        if node.type == "for_statement" and node.start_byte >= end and (loop := _loop_of(code, node, outputs)):
            loops.append(Edit(node.start_byte, node.end_byte, _as_lines(code, loop)))
            end = node.end_byte
    joined = [edit for site in outputs if not site.place.is_repeated for edit in _joined(code, site.node)]
    if not loops and not joined:
        return ()
    imports = "" if has_islice else "from itertools import islice\n"
    helpers = imports + (_LINES if loops else "") + (_JOINED if joined else "") + "\n"
    return (*loops, *joined, code.at_top(*helpers.splitlines(), ""))


@dataclass(frozen=True, kw_only=True, slots=True)
class _Loop:
    """A loop that only prints. `heads`: its `for` and `if` from the outermost to the innermost."""

    node: Node
    heads: tuple[Node, ...]
    written: Written


def _loop_of(code: PyCode, node: Node, outputs: list[Site]) -> _Loop | None:
    """Return the loop that begins here; None if it does more than to print, or printing may not wait."""
    heads: list[Node] = []
    inner: Node | None = node
    while inner is not None and inner.type in ("for_statement", "if_statement"):
        body = inner.child_by_field_name("body" if inner.type == "for_statement" else "consequence")
        has_else = inner.child_by_field_name("alternative") is not None or "async" in {
            child.type for child in inner.children
        }
        statements = [child for child in body.named_children if child.type != "comment"] if body is not None else []
        heads.append(inner)
        inner = statements[0] if len(statements) == 1 and not has_else else None
    call = inner.named_children[0] if inner is not None and inner.type == "expression_statement" else None
    inside = [site for site in outputs if node.start_byte <= site.node.start_byte < node.end_byte]
    if call is None or len(inside) != 1 or inside[0].node != call or inside[0].place.stream is not Stream.STDOUT:
        return None
    written = written_by(code, inside[0])
    is_plain = not any(part.type in _NOT_IN_GENERATORS for part in nodes_of(node))
    if written is None or not is_plain or prints_elsewhere(node, outputs) or _is_in_a_class(node):
        return None
    targets = [target for head in heads if (target := head.child_by_field_name("left"))]
    names = [inner for target in targets for inner in nodes_of(target)]
    if not all(part.type in ("identifier", "pattern_list", "tuple_pattern", ",", "(", ")") for part in names):
        return None
    if any(_is_used_after(code, name, node) for name in names if name.type == "identifier"):
        return None
    return _Loop(node=node, heads=tuple(heads), written=written)


def _is_in_a_class(node: Node) -> bool:
    above = node.parent
    while above is not None and above.type not in FUNCTIONS:
        if above.type == "class_definition":
            return True
        above = above.parent
    return False


def _is_used_after(code: PyCode, target: Node, loop: Node) -> bool:
    """Return whether somebody may see the value that the loop leaves in a variable of its own."""
    name = code.text(target)
    for use in code.scopes.uses(target):
        if loop.start_byte <= use.start_byte < loop.end_byte:
            continue
        above = use.parent
        while above is not None and not _binds_again(code, above, name):
            above = above.parent
        if above is None:
            return True
    return False


def _binds_again(code: PyCode, node: Node, name: str) -> bool:
    """Return whether a loop or a comprehension gives the name a value of its own before it uses it."""
    clauses = [node] if node.type == "for_statement" else []
    if node.type in _COMPREHENSIONS:
        clauses = [child for child in node.named_children if child.type == "for_in_clause"]
    targets = [target for clause in clauses if (target := clause.child_by_field_name("left"))]
    return any(inner.type == "identifier" and code.text(inner) == name for it in targets for inner in nodes_of(it))


def _as_lines(code: PyCode, loop: _Loop) -> bytes:
    written = loop.written
    first = loop.heads[0]
    target, values = code.text(first.child_by_field_name("left")), first.child_by_field_name("right")
    if len(loop.heads) == 1 and written.is_value_of(target) and values is not None and values.type not in _LOOSE:
        lines = f"map(str, {code.text(values)})"
    else:
        lines = f"({' '.join([written.text, *(_clause(code, head) for head in loop.heads)])})"
    comments = [code.text(node) for node in nodes_of(loop.node) if node.type == "comment"]
    start = (line_end_of(code.source) + indentation(code.source, loop.node.start_byte)).decode()
    return start.join([*comments, f'print_lines({lines}, "{written.end}")']).encode()


def _clause(code: PyCode, head: Node) -> str:
    value = head.child_by_field_name("right" if head.type == "for_statement" else "condition")
    text = code.text(value)
    if value is not None and value.type in _LOOSE:
        text = f"({text})"
    return (
        f"for {code.text(head.child_by_field_name('left'))} in {text}" if head.type == "for_statement" else f"if {text}"
    )


def _joined(code: PyCode, call: Node) -> Iterator[Edit]:
    """`print(*values, sep=s)`, or `print(s.join(values))` where the values are made for it alone."""
    values, ends = code.positional(call), code.separators(call)
    if ends is None or code.text(call.child_by_field_name("function")) != "print" or len(values) != 1:
        return
    sep, end = ends
    value, parts = values[0], ""
    if value.type == "list_splat":
        value = value.named_children[0]
        parts = f"map(str, {code.text(value)})"
    else:
        function, argument = value.child_by_field_name("function"), value.child_by_field_name("arguments")
        made = (
            [argument] if argument is not None and argument.type == "generator_expression" else code.positional(value)
        )
        is_join = function is not None and code.text(function.child_by_field_name("attribute")) == "join"
        plain = code.plain_string(function.child_by_field_name("object")) if function is not None and is_join else None
        if plain is None or len(made) != 1 or made[0].type not in _MADE:
            return
        sep, parts = plain, code.text(made[0])
        if made[0].type == "list_comprehension":
            parts = f"({parts[1:-1]})"
    if not _calls_its_own(code, value):
        yield Edit(call.start_byte, call.end_byte, f'print_joined({parts}, "{sep}", "{end}")'.encode())


def _calls_its_own(code: PyCode, value: Node) -> bool:
    """Return whether functions of the program's own may run while the values are made."""
    names = {code.text(node.child_by_field_name("name")) for node in nodes_of(code.root) if node.type in FUNCTIONS}
    words = [code.text(node) for node in nodes_of(value) if node.type in ("identifier", "lambda", "yield", "await")]
    return any(word in names or word.startswith(("lambda", "yield", "await")) for word in words)
