"""C++ containers that something else does the same for in fewer steps: a deque for a vector, a hash table for a tree.

A use that the other container does not have does not compile, and so nothing comes of it. What compiles and means
something else is looked for here: pointers into a vector, the order of a map.
"""

import re
from collections.abc import Iterator

from tree_sitter import Node

from judge.grading.reading.rewriting.cppcode import CppCode
from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.syntax.walking import nodes_of

_VECTOR = re.compile(r"(?P<std>std\s*::\s*)?vector(?=\s*<)")
_MAP = re.compile(r"(?P<std>std\s*::\s*)?map(?=\s*<)")
_UNORDERED = frozenset(
    {"count", "size", "empty", "at", "clear", "contains", "find"}
)  # methods that no order matters to
_FREE = frozenset({"std::string", "string"})


def deque_for_vector(code: CppCode) -> tuple[Edit, ...]:
    """`v.erase(v.begin())` -> `v.pop_front()`, `v.insert(v.begin(), x)` -> `v.push_front(x)`, and `v` is a deque."""
    edits: list[Edit] = []
    for declaration, declarator, name in _variables(code):
        kind, text = declaration.child_by_field_name("type"), code.text(declaration.child_by_field_name("type"))
        vector = _VECTOR.match(text)
        if kind is None or (vector is None and text not in _FREE):
            continue
        uses = code.uses(name)
        moves = [edit for use in uses if (edit := _moved(code, use, name))]
        if not moves or sum(_is_name_of_declarator(use) for use in uses) != 1:
            continue
        if (
            vector is not None
            and not _has_pointers(code, name)
            and len(declaration.children_by_field_name("declarator")) == 1
        ):
            end = kind.start_byte + len(vector[0].encode())
            edits += [*moves, Edit(kind.start_byte, end, f"{vector['std'] or ''}deque".encode())]
        elif vector is None and code.text(declarator) == name:
            edits += _text_as_deque(code, declaration, declarator, uses, moves)
    return (*edits, *_include(code, "deque")) if edits else ()


def _variables(code: CppCode) -> Iterator[tuple[Node, Node, str]]:
    for node in nodes_of(code.root):
        for declarator in node.children_by_field_name("declarator") if node.type == "declaration" else ():
            inner: Node | None = declarator
            while inner is not None and inner.type in ("init_declarator", "function_declarator"):
                inner = inner.child_by_field_name("declarator")  # `vector<int> v(n);` looks like a function
            if inner is not None and inner.type == "identifier":
                yield node, declarator, code.text(inner)


def _is_name_of_declarator(use: Node) -> bool:
    above = use.parent
    if above is None:
        return False
    fields = above.children_by_field_name("declarator")
    return use in fields


def _method(code: CppCode, use: Node) -> tuple[Node, str, list[Node]] | None:
    """Return the call of a method of a variable, the method and the arguments; None if it is used otherwise."""
    above = use.parent
    call = above.parent if above is not None and above.type == "field_expression" else None
    if above is None or call is None or call.type != "call_expression" or call.child_by_field_name("function") != above:
        return None
    arguments = call.child_by_field_name("arguments")
    children = arguments.named_children if arguments is not None else []
    return call, code.text(above.child_by_field_name("field")), [child for child in children if child.type != "comment"]


def _moved(code: CppCode, use: Node, name: str) -> Edit | None:
    """Return the edit of a statement that takes the first element off, or puts one before it."""
    method = _method(code, use)
    if method is None or code.statement_of(method[0]) is None:
        return None
    call, what, arguments = method
    texts = [re.sub(r"\s", "", code.text(argument)) for argument in arguments]
    if what == "erase" and texts == [f"{name}.begin()"]:
        return Edit(call.start_byte, call.end_byte, f"{name}.pop_front()".encode())
    if what == "erase" and texts == ["0", "1"]:  # of an empty string, that is nothing
        return Edit(call.start_byte, call.end_byte, f"({name}.empty() ? void() : {name}.pop_front())".encode())
    is_front = what == "insert" and len(texts) in (2, 3) and texts[0] in (f"{name}.begin()", "0")
    if not is_front or (len(texts) == 3 and texts[1] != "1") or (len(texts) == 2 and texts[0] == "0"):
        return None
    if arguments[-1].type == "initializer_list":
        return None
    return Edit(call.start_byte, arguments[-1].start_byte, f"{name}.push_front(".encode())


def _has_pointers(code: CppCode, name: str) -> bool:
    """Return whether something may take the elements for an array."""
    taken = rf"(?:&|\baddressof\b)[\s(*]*\b{re.escape(name)}\b(?:\s*[^\s);,]|[\s)]*[\[.])"
    return re.search(taken.encode(), code.source.replace(b"&&", b"  ")) is not None


def _text_as_deque(
    code: CppCode, declaration: Node, declarator: Node, uses: list[Node], moves: list[Edit]
) -> Iterator[Edit]:
    """Yield the edits that make a `string` a `deque<char>`, if it only gets characters and is printed.

    A string has one more place than it has characters, so that one that is asked for a place stays.
    """
    name, kind = code.text(declarator), code.text(declaration.child_by_field_name("type"))
    prefix = "std::" if kind.startswith("std") else ""
    edits: list[Edit] = []
    for use in uses:
        above, method = use.parent, _method(code, use)
        is_moved = any(edit.start <= use.start_byte < edit.end for edit in moves)
        if above is None or _is_name_of_declarator(use) or is_moved:
            continue
        if method is not None:
            call, what, arguments = method
            is_char = len(arguments) == 1 and what == "push_back"
            if not is_char and what not in ("size", "length", "empty", "back", "front"):
                return
            if what == "length":
                field = call.child_by_field_name("function")
                inner = field.child_by_field_name("field") if field is not None else None
                edits += [Edit(inner.start_byte, inner.end_byte, b"size")] if inner is not None else []
        elif above.type == "binary_expression" and code.text(above.child_by_field_name("operator")) == "<<":
            if above.child_by_field_name("right") != use:
                return
            text = f"{prefix}string({name}.begin(), {name}.end())"
            edits.append(Edit(use.start_byte, use.end_byte, text.encode()))
        else:
            return
    yield from moves
    yield from edits
    made = f"{prefix}deque<char> {name};".encode()
    if len(declaration.children_by_field_name("declarator")) == 1:
        yield Edit(declaration.start_byte, declaration.end_byte, made)
        return
    before, after = declarator.prev_sibling, declarator.next_sibling
    if before is not None and before.type == ",":
        yield Edit(before.start_byte, declarator.end_byte, b"")
    elif after is not None and after.next_sibling is not None:
        yield Edit(declarator.start_byte, after.next_sibling.start_byte, b"")
    start = line_end_of(code.source) + indentation(code.source, declaration.start_byte)
    yield Edit(declaration.end_byte, declaration.end_byte, start + made, is_place=False)


def unordered_for_map(code: CppCode) -> tuple[Edit, ...]:
    """`map<K, V> m` -> `unordered_map<K, V> m`, where only single keys are asked for."""
    edits: list[Edit] = []
    for declaration, declarator, name in _variables(code):
        kind = declaration.child_by_field_name("type")
        tree = _MAP.match(code.text(kind))
        if kind is None or tree is None or len(declaration.children_by_field_name("declarator")) != 1:
            continue
        uses = code.uses(name)
        is_plain = code.text(declarator) == name and sum(_is_name_of_declarator(use) for use in uses) == 1
        if is_plain and all(_is_name_of_declarator(use) or _asks_for_one(code, use, name) for use in uses):
            end = kind.start_byte + len(tree[0].encode())
            edits.append(Edit(kind.start_byte, end, f"{tree['std'] or ''}unordered_map".encode()))
    return (*edits, *_include(code, "unordered_map")) if edits else ()


def _asks_for_one(code: CppCode, use: Node, name: str) -> bool:
    above, method = use.parent, _method(code, use)
    if above is None:
        return False
    if above.type == "subscript_expression":
        return above.child_by_field_name("argument") == use
    if method is None:
        return False
    call, what, arguments = method
    outer = call.parent
    is_compared = outer is not None and outer.type == "binary_expression"
    operator = code.text(outer.child_by_field_name("operator")) if outer is not None and is_compared else ""
    if what in ("find", "end"):
        sides = re.sub(r"\s", "", code.text(outer)) if operator in ("==", "!=") else ""
        return f"{name}.end()" in sides and f"{name}.find(" in sides
    if what == "erase":  # of a key, or of what `find` gave, which is used nowhere else
        return len(arguments) == 1 and not re.search(r"\.(begin|end|find)\(|\bit\b", code.text(arguments[0]))
    return what in _UNORDERED


def _include(code: CppCode, header: str) -> list[Edit]:
    if re.search(rf"#\s*include\s*<(bits/stdc\+\+\.h|{header})>".encode(), code.source):
        return []
    return [Edit(0, 0, f"#include <{header}>".encode() + line_end_of(code.source), is_place=False)]
