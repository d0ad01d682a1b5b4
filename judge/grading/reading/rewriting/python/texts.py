"""Python texts that grow piece by piece, each time as a copy of the whole text."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tree_sitter import Node

from judge.grading.reading.rewriting.editing import Edit, indentation, line_end_of
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.python.outputs import outputs_of, prints_elsewhere
from judge.grading.reading.syntax.walking import nodes_of

_LOOPS = frozenset({"for_statement", "while_statement"})
_FUNCTIONS = frozenset({"function_definition", "lambda", "class_definition"})


@dataclass(frozen=True, kw_only=True, slots=True)
class _Growth:
    """A statement that does nothing but add to a text. `is_front`: before it."""

    name: str
    node: Node
    piece: str
    is_front: bool

    @property
    def uses(self) -> int:
        """How often it names the text."""
        return 1 if self.node.type == "augmented_assignment" else 2


def joined_pieces(code: PyCode) -> tuple[Edit, ...]:
    """`s += x` in a loop -> pieces in a buffer, or a deque, that become a text after the loop, if the loop uses `s` for
    nothing else.
    """
    edits: list[Edit] = []
    imports: set[str] = set()
    for loop, growths in _grown(code):
        name, pieces = growths[0].name, f"{growths[0].name}_pieces"
        if pieces in code.names:
            continue
        kind = "deque" if any(growth.is_front for growth in growths) else "StringIO"
        module = "collections" if kind == "deque" else "io"
        if kind in code.names and code.bindings.full(kind) != f"{module}.{kind}":
            continue
        if kind not in code.names:
            imports.add(f"from {module} import {kind}")
        edits += _collected(code, loop, growths, kind)
        edits.append(
            _after(code, loop, f"{name} = " + (f'"".join({pieces})' if kind == "deque" else f"{pieces}.getvalue()"))
        )
    return (*edits, code.at_top(*sorted(imports))) if imports else tuple(edits)


def printed_at_once(code: PyCode) -> tuple[Edit, ...]:
    """A text that only grows in a loop and is printed after it -> each piece is printed in the loop."""
    if code.needs_flushes or code.replaces_stdout or code.binds("print") or not code.has_module_sys:
        return ()
    edits: list[Edit] = []
    for loop, growths in _grown(code):
        printed = loop.next_named_sibling
        while printed is not None and printed.type == "comment":
            printed = printed.next_named_sibling
        begun = _assignment_before(code, loop, growths[0].name)
        call = printed.named_children[0] if printed is not None and printed.type == "expression_statement" else None
        if call is None or call.type != "call" or begun is None or any(growth.is_front for growth in growths):
            continue
        ends, values = code.separators(call), code.positional(call)
        is_printed = code.text(call.child_by_field_name("function")) == "print" and len(values) == 1
        if ends is None or not is_printed or code.text(values[0]) != growths[0].name:
            continue
        uses = code.scopes.uses(values[0])
        is_its_own = len(uses) == 2 + sum(growth.uses for growth in growths)
        outputs = outputs_of(code)
        prints = any(loop.start_byte <= site.node.start_byte < loop.end_byte for site in outputs)
        if not is_its_own or prints or prints_elsewhere(loop, outputs) or code.plain_string(begun) != "":
            continue
        edits += [_instead(growth, f"sys.stdout.write({growth.piece})") for growth in growths]
        assert printed is not None
        if ends[1]:
            edits.append(
                Edit(
                    call.start_byte,
                    call.end_byte,
                    b"print()" if ends[1] == "\\n" else f'print(end="{ends[1]}")'.encode(),
                )
            )
        else:
            edits += code.without([printed])
    return (*edits, *([] if code.imports_sys else [code.at_top("import sys")])) if edits else ()


def _grown(code: PyCode) -> Iterator[tuple[Node, list[_Growth]]]:
    """Yield the outermost loops in which a text does nothing but grow, each with what adds to it."""
    ends: dict[str, int] = {}
    for loop in nodes_of(code.root):
        if loop.type not in _LOOPS:
            continue
        growths = list(_growths(code, loop))
        used = [code.text(node) for node in nodes_of(loop) if node.type == "identifier"]
        if any(node.type in ("function_definition", "lambda") for node in nodes_of(loop)):
            continue  # where another may be meant
        for name in dict.fromkeys(growth.name for growth in growths):
            own = [growth for growth in growths if growth.name == name]
            if used.count(name) != sum(growth.uses for growth in own) or loop.start_byte < ends.get(name, 0):
                continue
            begun = _assignment_before(code, loop, name)
            if begun is None or begun.type != "string" or code.text(begun).lower().startswith(("b", "rb")):
                continue
            if not _is_seen_elsewhere(code, loop, name):
                ends[name] = loop.end_byte
                yield loop, own


def _growths(code: PyCode, loop: Node) -> Iterator[_Growth]:
    """Yield each statement that only adds to a name: `s += x`, `s = s + x` or `s = x + s`."""
    for node in nodes_of(loop):
        above = node.parent
        if above is None or above.type != "expression_statement" or above.named_child_count != 1:
            continue
        target, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is None or right is None or target.type != "identifier":
            continue
        name = code.text(target)
        if node.type == "augmented_assignment" and code.text(node.child_by_field_name("operator")) == "+=":
            yield _Growth(name=name, node=node, piece=code.text(right), is_front=False)
        if node.type != "assignment" or right.type != "binary_operator":
            continue
        last, rest = right.child_by_field_name("right"), right.child_by_field_name("left")
        if re.match(rf"{re.escape(name)}\s*\+", code.text(right)):
            piece = re.sub(rf"^{re.escape(name)}\s*\+\s*", "", code.text(right))
            yield _Growth(name=name, node=node, piece=piece, is_front=False)
        elif code.text(last) == name and code.text(right.child_by_field_name("operator")) == "+":
            yield _Growth(name=name, node=node, piece=code.text(rest), is_front=True)


def _assignment_before(code: PyCode, loop: Node, name: str) -> Node | None:
    """Return what a name is given just before the loop, in the loop's own block; None if that is not known."""
    before = loop.prev_named_sibling
    while before is not None:
        inner = before.named_children[0] if before.type == "expression_statement" and before.named_children else None
        if inner is not None and inner.type == "assignment" and code.text(inner.child_by_field_name("left")) == name:
            return inner.child_by_field_name("right")
        if re.search(rf"\b{re.escape(name)}\b", code.text(before)):
            return None
        before = before.prev_named_sibling
    return None


def _is_seen_elsewhere(code: PyCode, loop: Node, name: str) -> bool:
    """Return whether somebody may look at the name before the loop has ended: another function, or an `except`."""
    around, above = set[int](), loop.parent
    while above is not None:
        if above.type == "try_statement":
            return True
        around.add(above.id)
        above = above.parent
    others = [node for node in nodes_of(code.root) if node.type in _FUNCTIONS and node.id not in around]
    return any(re.search(rf"\b{re.escape(name)}\b", code.text(other)) for other in others)


def _collected(code: PyCode, loop: Node, growths: list[_Growth], kind: str) -> Iterator[Edit]:
    end, blanks, name = line_end_of(code.source), indentation(code.source, loop.start_byte), growths[0].name
    if kind == "deque":
        lines, methods = [f"{name}_pieces = deque([{name}])"], ("append", "appendleft")
    else:
        lines, methods = [f"{name}_pieces = StringIO()", f"{name}_pieces.write({name})"], ("write", "")
    before = b"".join(line.encode() + end + blanks for line in lines)
    yield Edit(loop.start_byte, loop.start_byte, before, is_place=False)
    for growth in growths:
        yield _instead(growth, f"{name}_pieces.{methods[growth.is_front]}({growth.piece})")


def _instead(growth: _Growth, text: str) -> Edit:
    return Edit(growth.node.start_byte, growth.node.end_byte, text.encode())


def _after(code: PyCode, loop: Node, statement: str) -> Edit:
    text = line_end_of(code.source) + indentation(code.source, loop.start_byte) + statement.encode()
    return Edit(loop.end_byte, loop.end_byte, text, is_place=False)
