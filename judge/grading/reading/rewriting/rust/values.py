"""Rust vectors that are cloned for a call or moved as a whole, and texts that are walked through for each character.

A change that the compiler does not accept is dropped, so that it need not be known here who owns what. What compiles
and means something else is looked for: an index that counts other things, a method that answers otherwise.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.rewriting.rustcode import MethodCall, RustCode, method_call, method_on
from judge.grading.reading.syntax.walking import nodes_of

_LOOPS = frozenset({"for_expression", "while_expression", "loop_expression"})
_CHANGES_BEHIND = frozenset({"Cell", "RefCell", "Mutex", "RwLock", "unsafe"})  # what changes behind a shared borrow
_OWNED = re.compile(r"(?:Vec\s*<|String\s*\Z)")
_VEC = re.compile(r"(?:std::vec::)?Vec(?=\s*<|::)")
_SAME = frozenset(
    {"len", "is_empty", "iter", "clear", "contains", "extend", "swap", "iter_mut", "into_iter", "truncate", "get"}
)
_RENAMED = {"push": "push_back", "first": "front", "last": "back", "pop": "pop_back"}
_BORROWS = frozenset({"reference_expression", "index_expression"})
_TEXT_READS = frozenset({"chars", "len", "as_bytes", "bytes", "is_empty", "trim", "contains", "as_str", "starts_with"})


def borrowed_parameters(code: RustCode) -> tuple[Edit, ...]:
    """`f(v.clone())` -> `f(&v)` with `fn f(v: &Vec<T>)`, where every call clones what it gives."""
    if code.names & _CHANGES_BEHIND:
        return ()
    edits: list[Edit] = []
    for function in (node for node in code.root.children if node.type == "function_item"):
        name, parameters = code.text(function.child_by_field_name("name")), function.child_by_field_name("parameters")
        uses = code.uses(name)
        calls = [use.parent for use in uses if use.parent is not None and use.parent.type == "call_expression"]
        if parameters is None or not calls or len(calls) != len(uses) - 1:
            continue
        for number, parameter in enumerate(parameters.named_children):
            kind, pattern = parameter.child_by_field_name("type"), parameter.child_by_field_name("pattern")
            is_plain = pattern is not None and pattern.type == "identifier"
            if kind is None or not is_plain or any(child.type == "mutable_specifier" for child in parameter.children):
                continue
            clones = [_clone_in(code, call, number) for call in calls]
            if _OWNED.match(code.text(kind)) and None not in clones:
                edits.append(Edit(kind.start_byte, kind.start_byte, b"&"))
                edits += [edit for clone in clones if clone is not None for edit in clone]
    return tuple(edits)


def _clone_in(code: RustCode, call: Node, number: int) -> list[Edit] | None:
    """Return the edits of `v.clone()` as an argument; None if it is something else."""
    arguments = call.child_by_field_name("arguments")
    values = arguments.named_children if arguments is not None else []
    method = method_call(code, values[number]) if number < len(values) else None
    if method is None or method.name not in ("clone", "to_vec", "to_owned", "to_string") or method.arguments:
        return None
    start, end = method.owner.start_byte, method.owner.end_byte
    return [Edit(start, start, b"&", is_place=False), Edit(end, method.node.end_byte, b"")]


def deque_for_vec(code: RustCode) -> tuple[Edit, ...]:
    """`v.remove(0)` -> `v.pop_front()`, `v.insert(0, x)` -> `v.push_front(x)`, and `v` is a `VecDeque`."""
    edits: list[Edit] = []
    for let in nodes_of(code.root):
        pattern = let.child_by_field_name("pattern") if let.type == "let_declaration" else None
        name, value = code.text(pattern), let.child_by_field_name("value")
        made = _made(code, let, value) if value is not None else None
        if pattern is None or made is None or pattern.type != "identifier":
            continue
        uses = code.uses(name)
        calls = [method for use in uses if (method := method_on(code, use))]
        if not any(_is_front(code, method) for method in calls) or code.changes_in_macros(name):
            continue
        changes = [_renamed(code, method) for method in calls]
        if None not in changes and sum(map(_is_bound, uses)) == 1:
            edits += made + [edit for change in changes if change is not None for edit in change]
    return tuple(edits)


def _is_bound(use: Node) -> bool:
    """Return whether this identifier gives a name to something."""
    above = use.parent
    while above is not None and (above.type.endswith("_pattern") or above.type == "closure_parameters"):
        if above.type == "closure_parameters" or above.parent is None:
            return True
        use, above = above, above.parent
    return above is not None and above.child_by_field_name("pattern") == use


def _is_front(code: RustCode, call: MethodCall) -> bool:
    is_one = (call.name, len(call.arguments)) in (("remove", 1), ("insert", 2))
    return is_one and code.text(call.arguments[0]) == "0"


def _renamed(code: RustCode, call: MethodCall) -> list[Edit] | None:
    """Return the edits of a method's call; None if a deque has none that does the same."""
    if _is_front(code, call) and call.name == "remove":
        return [Edit(call.field.start_byte, call.node.end_byte, b'pop_front().expect("an element")')]
    if _is_front(code, call):
        return [Edit(call.field.start_byte, call.arguments[1].start_byte, b"push_front(")]
    if call.name in _RENAMED:
        return [Edit(call.field.start_byte, call.field.end_byte, _RENAMED[call.name].encode())]
    return [] if call.name in _SAME else None


def _made(code: RustCode, let: Node, value: Node) -> list[Edit] | None:
    """Return the edits that make the variable a deque: its type, and what it is made of."""
    kind, text = let.child_by_field_name("type"), code.text(value)
    edits = []
    if kind is not None:
        vec = _VEC.match(code.text(kind))
        if vec is None:
            return None
        edits.append(Edit(kind.start_byte, kind.start_byte + len(vec[0]), b"std::collections::VecDeque"))
    if re.match(r"Vec(::<.*>)?::(new|with_capacity)\(", text):
        return [*edits, Edit(value.start_byte, value.start_byte + len("Vec"), b"std::collections::VecDeque")]
    if text.startswith("vec!"):
        start = Edit(value.start_byte, value.start_byte, b"std::collections::VecDeque::from(")
        return [*edits, start, Edit(value.end_byte, value.end_byte, b")", is_place=False)]
    if kind is not None and text.endswith(".collect()"):
        return edits
    turbofish = re.search(r"\.collect::<(Vec)<[^()]*>>\(\)\Z", text)
    if turbofish:
        start_byte = value.start_byte + len(text[: turbofish.start(1)].encode())
        return [*edits, Edit(start_byte, start_byte + len("Vec"), b"std::collections::VecDeque")]
    return None


def chars_before_loop(code: RustCode) -> tuple[Edit, ...]:
    """`s.chars().nth(i)` in a loop -> `s_chars.get(i).copied()` of the characters, collected before the loop."""
    edits: list[Edit] = []
    for loop in nodes_of(code.root):
        is_statement = loop.parent is not None and loop.parent.type == "expression_statement"
        block = loop.parent.parent if loop.parent is not None and is_statement else loop.parent
        if loop.type not in _LOOPS or block is None or block.type != "block" or _is_in_a_loop(loop, code):
            continue
        names = dict.fromkeys(name for name, _ in _nths(code, loop))
        for name in names:
            collected = f"{name}_chars"
            if collected in code.names or not _is_read(code, loop, name):
                continue
            blanks = line_end_of(code.source) + indentation(code.source, loop.start_byte)
            before = f"let {collected}: Vec<char> = {name}.chars().collect();".encode() + blanks
            edits.append(Edit(loop.start_byte, loop.start_byte, before, is_place=False))
            edits += [
                Edit(call.start_byte, call.end_byte, f"{collected}.get({index}).copied()".encode())
                for owner, call in _nths(code, loop)
                if owner == name and (index := code.text(call.child_by_field_name("arguments"))[1:-1])
            ]
    return tuple(edits)


def _is_in_a_loop(loop: Node, code: RustCode) -> bool:
    """Return whether a loop stands in another one that leaves the texts as they are: then that one is changed."""
    above = loop.parent
    while above is not None and above.type not in ("function_item", "closure_expression"):
        if above.type in _LOOPS and all(_is_read(code, above, name) for name, _ in _nths(code, loop)):
            return True
        above = above.parent
    return False


def _nths(code: RustCode, loop: Node) -> Iterator[tuple[str, Node]]:
    """Yield each `s.chars().nth(i)` with the name of the text."""
    for node in nodes_of(loop):
        nth = method_call(code, node)
        is_nth = nth is not None and nth.name == "nth" and len(nth.arguments) == 1
        chars = method_call(code, nth.owner) if nth is not None and is_nth else None
        if chars is not None and chars.name == "chars" and chars.owner.type == "identifier":
            yield code.text(chars.owner), node


def _is_read(code: RustCode, loop: Node, name: str) -> bool:
    """Return whether a text comes from before a loop, and stays as it is in it."""
    if code.changes_in_macros(name, loop):
        return False
    for use in code.uses(name, loop):
        method = method_on(code, use)
        if use.parent is not None and use.parent.type == "token_tree":
            continue  # in a macro that reads it
        above = use.parent if use.parent is not None and use.parent.type in _BORROWS else None
        is_borrowed = above is not None and not any(child.type == "mutable_specifier" for child in above.children)
        if not is_borrowed and (method is None or method.name not in _TEXT_READS):
            return False
    return True
