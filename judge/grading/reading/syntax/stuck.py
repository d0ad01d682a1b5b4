"""Find loops with a known mistake because of which they may never end, told by their text.

Of a loop that anything but its condition may end (`break`, `return`, an exception) nothing is said.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream, Stuck
from judge.grading.reading.syntax.loops import NAME, Asked, Change, Loop, LoopShapes
from judge.grading.reading.syntax.progress import ends_of, is_bounded, is_unsigned_zero, middle_of
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope

_NOTHING = frozenset({("+", "0"), ("-", "0"), ("*", "1"), ("/", "1"), ("//", "1"), (">>", "0"), ("<<", "0")})
_EXITS = frozenset({"exit", "_exit", "quick_exit", "abort", "quit", "panic", "terminate", "longjmp"})
_ENDS = re.compile(r"^(?:break|return|throw|raise|goto|yield|co_|await|try_expression|labeled_statement)")
_FRACTION = re.compile(r"^\d{0,20}\.\d{1,20}$|^\d{1,20}\.$")
_FLOAT_TYPE = re.compile(r"double|float|f64|f32")
_NARROW = frozenset({"int", "signed", "signed int", "int32_t", "std::int32_t", "i32"})
_STEP = re.compile(r"^[1-9][\d_]*$")


def look(reader: Reader, node: Node, scope: Scope, shapes: LoopShapes, kinds: Kinds) -> None:
    """Note a loop with such a mistake, at the line of it."""
    if node.type not in shapes.conditioned or reader.is_large(node):
        return
    loop = Loop(reader, node, shapes, kinds)
    if len(loop.asks) != 1 or is_bounded(loop, loop.asks[0]) or may_be_left(loop):
        return
    for place, kind in _mistakes(loop, loop.asks[0]):
        reader.note(place, scope, Deed.STUCK, Stream.OTHER, kind.value)
        return


def may_be_left(loop: Loop) -> bool:
    """Return whether anything but its condition may end a loop."""
    for node in loop.nodes:
        if _ENDS.match(node.type):
            return True
        if node.type in loop.shapes.calls:
            called = loop.text(node.child_by_field_name(loop.shapes.calls[node.type]))
            if NAME.findall(called)[-1:] and NAME.findall(called)[-1] in _EXITS:
                return True
    return False


def _mistakes(loop: Loop, asked: Asked) -> Iterator[tuple[Node, Stuck]]:
    if asked.operator in ("<=", ">="):
        low, high = _sides(asked)
        if is_unsigned_zero(loop, high, low) and _own(loop, high):
            yield loop.node, Stuck.UNSIGNED
    yield from _searches(loop, asked)
    yield from _resets(loop, asked)
    yield from _directions(loop, asked)
    yield from _squares(loop, asked)
    yield from _fractions(loop, asked)
    changes = [change for name in set(NAME.findall(asked.text)) for change in loop.of(name)]
    is_known = asked.operator and changes and _is_plain(loop, asked)
    if is_known and all((change.operator, change.value) in _NOTHING for change in changes):
        yield changes[0].node, Stuck.NOTHING


def _sides(asked: Asked) -> tuple[str, str]:
    return (asked.left, asked.right) if "<" in asked.operator else (asked.right, asked.left)


def _is_plain(loop: Loop, asked: Asked) -> bool:
    """Return whether only the changes that are known here can change what is asked."""
    return not set(NAME.findall(asked.text)) & loop.lent and not re.search(r"[\w\])]\(|\[", asked.text)


def _directions(loop: Loop, asked: Asked) -> Iterator[tuple[Node, Stuck]]:
    """Find a number that only steps away from its bound, which does not follow it."""
    if asked.operator not in ("<", "<=", ">", ">=") or not _is_plain(loop, asked):
        return
    low, high = _sides(asked)
    of_low, of_high = _own(loop, low), _own(loop, high)
    if (of_low or of_high) and _all(of_low, "-") and _all(of_high, "+"):
        is_other = set(NAME.findall(asked.text)) - {low, high}  # of `i < n - k` nothing is known
        if not any(loop.of(name) for name in is_other):
            yield (of_low or of_high)[0].node, Stuck.DIRECTION


def _squares(loop: Loop, asked: Asked) -> Iterator[tuple[Node, Stuck]]:
    """Find `i * i <= n` with an integer of 32 bits."""
    if asked.operator not in ("<", "<=", ">", ">=") or loop.shapes.is_exact:
        return
    square = re.fullmatch(r"([A-Za-z_]\w*)\*\1", _sides(asked)[0])
    if square and loop.kinds.types.get(square[1]) in _NARROW and loop.of(square[1]) and _all(loop.of(square[1]), "+"):
        yield loop.node, Stuck.SQUARE


def _own(loop: Loop, name: str) -> tuple[Change, ...]:
    return loop.of(name) if NAME.fullmatch(name) and name not in loop.lent else ()


def _all(changes: tuple[Change, ...], direction: str) -> bool:
    return all(change.operator == direction and _STEP.match(change.value) for change in changes)


def _searches(loop: Loop, asked: Asked) -> Iterator[tuple[Node, Stuck]]:
    """Find a binary search whose end stays where it is when two values, or one, are left."""
    ends = ends_of(loop, asked)
    if ends is None or ends[2]:
        return
    low, high, _ = ends
    mid = middle_of(loop, low, high)
    if mid is None or {low, high} & loop.lent:
        return
    for change in loop.of(low):
        if change.operator == "=" and change.value == mid:
            yield change.node, Stuck.SEARCH
    for change in loop.of(high):
        if change.operator == "=" and change.value == mid and asked.operator in ("<=", ">="):
            yield change.node, Stuck.SEARCH


def _resets(loop: Loop, asked: Asked) -> Iterator[tuple[Node, Stuck]]:
    """Find a `for` whose counter each turn sets back to a number, as an inner `for` with the same counter does."""
    if loop.update is None:
        return
    counters = {change.name for change in loop.changes if loop.is_update(change.node)} & set(NAME.findall(asked.text))
    for change in loop.changes:
        if change.node.type != "assignment_expression" or change.name not in counters or loop.is_update(change.node):
            continue
        inner = change.node.parent
        is_inner = inner is not None and inner.type == "for_statement" and loop.is_always(inner)
        if change.operator == "=" and change.value.isdigit() and (change.is_always or is_inner):
            yield change.node, Stuck.COUNTER


def _fractions(loop: Loop, asked: Asked) -> Iterator[tuple[Node, Stuck]]:
    """Find a number that steps by a fraction which no binary number is, and is compared for equality."""
    sides = (asked.left, asked.right)
    if asked.operator != "!=":
        return
    for name, bound in (sides, sides[::-1]):
        changes = _own(loop, name)
        if not changes or loop.may_change(bound):
            continue
        if not loop.shapes.is_exact and not _FLOAT_TYPE.search(loop.kinds.types.get(name, "")):
            continue
        steps = [change for change in changes if change.operator in ("+", "-") and _FRACTION.match(change.value)]
        if len(steps) == len(changes) and any(Fraction(step.value) != Fraction(float(step.value)) for step in steps):
            yield loop.node, Stuck.FRACTION
