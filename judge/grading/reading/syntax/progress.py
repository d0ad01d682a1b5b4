"""Find loops whose text does not show that they come to an end: for the others, an algorithm with fewer steps helps.

A loop is known to end if it goes through something that does not grow in it, reads until the input ends, or asks of a
number that each turn brings nearer to a bound that stays where it is. All others may end as well: nobody knows.
"""

import re

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.syntax.loops import NAME, Asked, Loop, LoopShapes
from judge.grading.reading.syntax.walking import Kinds, Reader, Scope

WIDE = re.compile(r"long|int64|\bll\b|\bi64\b|u64|size|i128|u128|__int128|double|float|f64|f32|ptrdiff")
_FLOAT = re.compile(r"double|float|f64|f32")
_UNSIGNED = re.compile(r"unsigned|size_t|size_type|\bu(?:int)?(?:8|16|32|64|128|size|ll)\b|\buint\w*_t")
# Conditions that are false once the input has ended, or holds something else than is asked for.
_READS = re.compile(
    r"^(?:std::)?cin>>|^(?:std::)?getline\(|^!?\(?(?:std::)?cin>>.*\)$|^scanf\(.*\)(?:==[1-9]|>0|>=[1-9])$"
    r"|^fgets\(|getchar(?:_unlocked)?\(\)\)?!=(?:EOF|-1)$|^let(?:Some|Ok)\(.*=.*\.next\(\)|read_line\(.*(?:>0|!=0)$"
)
_ENDLESS = re.compile(r"\b(?:count|cycle|repeat|iter|iter_mut|successors|from_fn)\(|\.\.$|\byield\b")
_COUNTDOWN = re.compile(r"^(?:--([A-Za-z_]\w*)|([A-Za-z_]\w*)--)(?:>0|!=0)?$")
_EMPTY = re.compile(
    r"^!([A-Za-z_]\w*)\.(?:empty|is_empty)\(\)$|^([A-Za-z_]\w*)\.size\(\)(?:>0|!=0)?$|^(?:len\()?([A-Za-z_]\w*)\)?(?:>0|!=0)?$"
    r"|^letSome\(.*\)=([A-Za-z_]\w*)\.pop(?:_front|_back)?\(\)$"
)
_ADDS = frozenset({"push", "push_back", "push_front", "emplace", "emplace_back", "append", "appendleft", "extend"}) | {
    "insert", "add", "resize", "extendleft", "update", "append_all",
}  # fmt: skip
_TAKES = frozenset({"pop", "pop_front", "pop_back", "popleft", "popitem", "erase"})
_NUMBER = re.compile(r"^\d[\d'_]*(?:[a-zA-Z]\w*)?$")
_POSITIVE = re.compile(r"^0*[1-9][\d'_]*(?:[a-zA-Z]\w*)?$")
_HALF = re.compile(r"/2|>>1")


def look(reader: Reader, node: Node, scope: Scope, shapes: LoopShapes, kinds: Kinds) -> None:
    """Note a loop that is not known to end."""
    if node.type in shapes.counted:
        gone_through = reader.text(node.child_by_field_name(shapes.counted[node.type])).strip()
        if not _ENDLESS.search(gone_through.replace(" ", "")) and not _grows(reader, node, gone_through, shapes):
            return
    elif node.type in shapes.conditioned:
        loop = Loop(reader, node, shapes, kinds)
        if not reader.is_large(node) and any(is_bounded(loop, asked) for asked in loop.asks):
            return
    elif node.type != "loop_expression":
        return
    reader.note(node, scope, Deed.OPEN, Stream.OTHER, node.type)


def _grows(reader: Reader, node: Node, gone_through: str, shapes: LoopShapes) -> bool:
    """Return whether a list may grow in the loop that goes through it."""
    if not NAME.fullmatch(gone_through):
        return bool(reader.is_large(node))
    called = (
        reader.text(inner.child_by_field_name(shapes.calls[inner.type]))
        for inner in reader.below(node)
        if inner.type in shapes.calls
    )
    return any(text.rpartition(".")[0] == gone_through and text.rpartition(".")[2] in _ADDS for text in called)


def is_bounded(loop: Loop, asked: Asked) -> bool:
    """Return whether this part of a loop's condition is certain to become false."""
    if _READS.search(asked.text):
        return True
    if countdown := _COUNTDOWN.match(asked.text):
        name = countdown[1] or countdown[2]
        return name not in loop.lent and all(change.operator == "-" for change in loop.of(name))
    if drained := _EMPTY.match(asked.text):
        name = next(part for part in drained.groups() if part)
        adds = any(owner == name and method in _ADDS for owner, method, _ in loop.methods)
        takes = any(owner == name and method in _TAKES and always for owner, method, always in loop.methods)
        if takes and not adds and not loop.of(name) and name not in loop.lent:
            return True
    if not asked.operator:
        return _shrinks(loop, asked.text)
    return _is_crossed(loop, asked) or _narrows(loop, asked)


def _shrinks(loop: Loop, name: str) -> bool:
    """Return whether a number is divided until it is 0."""
    changes = loop.of(name)
    if name in loop.lent or not any(change.is_always for change in changes):
        return False
    return all(
        (change.operator in ("/", "//", ">>") and _POSITIVE.match(change.value))
        and (change.operator == ">>" or change.value != "1")
        for change in changes
    )


def _is_crossed(loop: Loop, asked: Asked) -> bool:
    low, high = (asked.left, asked.right) if "<" in asked.operator else (asked.right, asked.left)
    if asked.operator == "!=":
        if asked.right.rpartition(".")[2] in ("end()", "rend()") and not loop.may_change(asked.right.partition(".")[0]):
            changes = loop.of(asked.left)
            return bool(changes) and all(change.operator == "+" and change.value == "1" for change in changes)
        return asked.right == "0" and _shrinks(loop, asked.left)
    if asked.operator == "==":
        return False
    if _NUMBER.match(low) and _shrinks(loop, high) and not (asked.operator in ("<=", ">=") and int_of(low) == 0):
        return True
    return _is_moved(loop, low, high, "+") or (
        _is_moved(loop, high, low, "-") and not (asked.operator in ("<=", ">=") and is_unsigned_zero(loop, high, low))
    )


def _is_moved(loop: Loop, moving: str, bound: str, direction: str) -> bool:
    """Return whether each turn brings a number nearer to a bound that stays."""
    square = re.fullmatch(r"([A-Za-z_]\w*)\*(?:1LL\*)?\1|1LL\*([A-Za-z_]\w*)\*\2|\(longlong\)(\w+)\*\3", moving)
    if square:
        moving = next(part for part in square.groups() if part)
        if square[1] and not is_wide(loop, moving):
            return False  # the product may overflow before it comes to the bound
    else:
        moving = re.sub(r"^(\w+)[-+]\d+$", r"\1", moving)
    if not NAME.fullmatch(moving) or moving in loop.lent or loop.may_change(bound):
        return False
    changes = loop.of(moving)
    if direction == "+" and any(change.operator == "*" for change in changes):
        return False
    steps = [change.operator == direction and bool(_POSITIVE.match(change.value)) for change in changes]
    return all(steps) and any(change.is_always for change in changes)


def _narrows(loop: Loop, asked: Asked) -> bool:
    """Return whether this is a search that halves what is left in each turn."""
    ends = ends_of(loop, asked)
    if ends is None:
        return False
    low, high, leaves_gap = ends
    mid = middle_of(loop, low, high)
    if mid is None:
        return False
    lows, highs = loop.of(low), loop.of(high)
    above = {f"{mid}+1"} | ({mid} if leaves_gap else set())
    below = {f"{mid}-1"} | ({mid} if leaves_gap or asked.operator in ("<", ">") else set())
    moves = {change.value for change in lows} <= above and {change.value for change in highs} <= below
    return moves and bool(lows) and bool(highs) and all(change.operator == "=" for change in (*lows, *highs))


def ends_of(loop: Loop, asked: Asked) -> tuple[str, str, bool] | None:
    """Return the names of the lower and the upper end of a search, and whether it stops while one value is between."""
    left, right = (asked.left, asked.right) if "<" in asked.operator else (asked.right, asked.left)
    if NAME.fullmatch(left) and NAME.fullmatch(right) and asked.operator in ("<", "<=", ">", ">="):
        return left, right, False
    gap = re.fullmatch(r"1<([A-Za-z_]\w*)-([A-Za-z_]\w*)", f"{left}<{right}")
    if gap and asked.operator in ("<", ">"):
        return gap[2], gap[1], True
    gap = re.fullmatch(r"([A-Za-z_]\w*)\+1<([A-Za-z_]\w*)", f"{left}<{right}")
    return (gap[1], gap[2], True) if gap and asked.operator in ("<", ">") else None


def middle_of(loop: Loop, low: str, high: str) -> str | None:
    """Return the name that is set to the middle of both, rounded down; None if there is none."""
    for change in loop.changes:
        if change.operator != "=" or not {low, high} <= set(NAME.findall(change.value)):
            continue
        if {low, high} & set(NAME.findall(change.name)) or _FLOAT.search(loop.kinds.types.get(change.name, "")):
            continue
        halves = {
            *(f"({a}+{b}){half}" for a, b in ((low, high), (high, low)) for half in ("/2", "//2", ">>1")),
            *(f"{low}+({high}-{low}){half}" for half in ("/2", "//2")),
            f"{low}+(({high}-{low})>>1)",
        }
        if change.value in halves and not (change.value.endswith("/2") and _divides_exactly(loop, change.value, low)):
            return change.name
    return None


def _divides_exactly(loop: Loop, value: str, low: str) -> bool:
    """Return whether `/` keeps the fraction: in Python, or of a number that is no integer."""
    is_exact = loop.shapes.is_exact and not value.endswith("//2")
    return is_exact or bool(_FLOAT.search(loop.kinds.types.get(low, "")))


def is_wide(loop: Loop, name: str) -> bool:
    """Return whether an integer has 64 bits, or as many as it needs."""
    return loop.shapes.is_exact or bool(WIDE.search(loop.kinds.types.get(name, "")))


def is_unsigned_zero(loop: Loop, name: str, bound: str) -> bool:
    """Return whether a number cannot be less than a bound, which is 0."""
    return bound == "0" and bool(_UNSIGNED.search(loop.kinds.types.get(name, "")))


def int_of(text: str) -> int:
    """Return the number that a literal begins with."""
    return int(re.match(r"\d+", text.replace("'", "").replace("_", ""))[0])  # type: ignore[index]
