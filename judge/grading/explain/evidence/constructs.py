"""What each costly construct does and what does it in few steps, in sentences: those that the readers of sources note.

The sentences say what is so however long the list is. That it took the time, the samples of its line say.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from problems.translation import gettext_noop as _

CONTAINER, COPYING, PASS, DEAR = "costly-container", "copying", "repeated-pass", "dear-steps"
ORDER = (CONTAINER, PASS, DEAR, COPYING)  # of two constructs at one line the first one costs most


@dataclass(frozen=True, kw_only=True, slots=True)
class Construct:
    """A construct: as it is written, the code of the finding that names it, what it does each time, and the advice.

    The key of one that is only so if it is given a list or a text ends with "?".
    The time was spent there, say `at_line` and `at_lines`, with `written` as `{construct}`.
    """

    written: str
    finding: str
    does: str
    advice: str
    at_line: str = _("{percent} of the CPU time on {where} was spent at the line with `{construct}`.")
    at_lines: str = _("{percent} of the CPU time on {where} was spent at the lines with `{construct}`.")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Addition(Construct):
    """A text, and another one added to it."""

    written: str = "+"
    finding: str = COPYING
    at_line: str = _(
        "{percent} of the CPU time on {where} was spent at the line that adds to a text with `{construct}`."
    )
    at_lines: str = _(
        "{percent} of the CPU time on {where} was spent at the lines that add to a text with `{construct}`."
    )


_SHIFTS = _("Each time it moves all values behind that place: up to as many steps as there are values.")
_SEARCHES = _("Each time it goes through the values from the first one on: up to as many steps as there are.")
_PASSES = _("Each time it goes through all of the values: as many steps as there are.")
_SORTS = _("Each time it puts all of the values in order.")
_COPIES = _("Each time it copies all that it works on: as many steps as there are values or characters.")
_COPIES_PART = _("Each time it copies that part: as many steps as it has values or characters.")
_SHIFTS_IF_LIST = _(
    "If it is a list, each time it moves all values behind that place: up to as many steps as there are values."
)
_SEARCHES_IF_LIST = _(
    "If it is a list or a text, each time it goes through the values from the first one on: up to as many steps as "
    "there are."
)
_PASSES_IF_LIST = _(
    "If it is a list or a text, each time it goes through all of the values: as many steps as there are."
)

_DEQUE = _("`collections.deque` takes its first value in one step, with `popleft()`; so does an index that counts up.")
_DEQUE_FRONT = _(
    "`collections.deque` adds at the front in one step, with `appendleft()`; or fill a list at its end and reverse it "
    "once."
)
_IN_ORDER = _(
    "To take the smallest value again and again, a heap (`heapq`) needs few steps; to count how many are smaller, a "
    "Fenwick tree or a merge sort."
)
_AT_ONCE = _("Mark what is to go, or build a new list once, instead of taking values out one by one.")
_DICTIONARY = _("A dictionary from each value to its place, made once, answers in one step.")
_COUNTER = _("A `collections.Counter`, made once, answers in one step.")
_SET = _("A set answers in one step.")
_TEXT_ONCE = _("Go through the text once and keep what was found, instead of searching it again.")
_PREFIX = _("Keep a running sum, or prefix sums, instead of adding the same values up again.")
_SO_FAR = _("Keep the best value so far, or a heap, instead of looking at all of them again.")
_FLAG = _("Keep a count or a flag that says it, instead of looking at all of them again.")
_SORT_ONCE = _("Sort once, before the loop; where values come and go, a heap keeps the smallest one at hand.")
_INDEX = _("An index into the whole text or list needs no copy.")
_JOIN = _('Append the parts to a list and join them once at the end, with `"".join(parts)`.')
_EXTEND = _("`append` and `extend` add to the list itself.")
_COPY_ONCE = _("Copy once, before the loop; or change the one that is there and undo the change afterwards.")
_EXACT = _("Integers are many times faster, in a smaller unit (cents) or as numerator and denominator.")
_EXACT_DOES = _("It computes with exact numbers, in many steps for each operation.")

_PYTHON = {
    "pop(0)": Construct(written="pop(0)", finding=CONTAINER, does=_SHIFTS, advice=_DEQUE),
    "insert(0)": Construct(written="insert(0, ...)", finding=CONTAINER, does=_SHIFTS, advice=_DEQUE_FRONT),
    "insert()": Construct(written="insert(...)", finding=CONTAINER, does=_SHIFTS, advice=_IN_ORDER),
    "insort()": Construct(written="insort(...)", finding=CONTAINER, does=_SHIFTS, advice=_IN_ORDER),
    "del": Construct(written="del", finding=CONTAINER, does=_SHIFTS, advice=_AT_ONCE),
    "pop(0)?": Construct(written="pop(0)", finding=CONTAINER, does=_SHIFTS_IF_LIST, advice=_DEQUE),
    "insert(0)?": Construct(written="insert(0, ...)", finding=CONTAINER, does=_SHIFTS_IF_LIST, advice=_DEQUE_FRONT),
    "insert()?": Construct(written="insert(...)", finding=CONTAINER, does=_SHIFTS_IF_LIST, advice=_IN_ORDER),
    "index()?": Construct(written="index(...)", finding=CONTAINER, does=_SEARCHES_IF_LIST, advice=_DICTIONARY),
    "count()?": Construct(written="count(...)", finding=PASS, does=_PASSES_IF_LIST, advice=_COUNTER),
    "remove()": Construct(written="remove(...)", finding=CONTAINER, does=_SEARCHES, advice=_AT_ONCE),
    "index()": Construct(written="index(...)", finding=CONTAINER, does=_SEARCHES, advice=_DICTIONARY),
    "count()": Construct(written="count(...)", finding=PASS, does=_PASSES, advice=_COUNTER),
    "in": Construct(written="in", finding=CONTAINER, does=_SEARCHES, advice=_SET),
    "in text": Construct(written="in", finding=CONTAINER, does=_SEARCHES, advice=_TEXT_ONCE),
    "find()": Construct(written="find(...)", finding=CONTAINER, does=_SEARCHES, advice=_TEXT_ONCE),
    "sum()": Construct(written="sum(...)", finding=PASS, does=_PASSES, advice=_PREFIX),
    "max()": Construct(written="max(...)", finding=PASS, does=_PASSES, advice=_SO_FAR),
    "min()": Construct(written="min(...)", finding=PASS, does=_PASSES, advice=_SO_FAR),
    "any()": Construct(written="any(...)", finding=PASS, does=_SEARCHES, advice=_FLAG),
    "all()": Construct(written="all(...)", finding=PASS, does=_SEARCHES, advice=_FLAG),
    "sorted()": Construct(written="sorted(...)", finding=PASS, does=_SORTS, advice=_SORT_ONCE),
    "sort()": Construct(written="sort()", finding=PASS, does=_SORTS, advice=_SORT_ONCE),
    "slice": Construct(written="[a:b]", finding=COPYING, does=_COPIES_PART, advice=_INDEX),
    "+": _Addition(does=_COPIES, advice=_JOIN),
    "+=": Construct(written="+=", finding=COPYING, does=_COPIES, advice=_JOIN),
    "list +": Construct(written="+", finding=COPYING, does=_COPIES, advice=_EXTEND),
    "replace()": Construct(written="replace(...)", finding=COPYING, does=_COPIES, advice=_TEXT_ONCE),
    "join()": Construct(written="join(...)", finding=COPYING, does=_COPIES, advice=_COPY_ONCE),
    "Decimal": Construct(written="Decimal", finding=DEAR, does=_EXACT_DOES, advice=_EXACT),
    "Fraction": Construct(written="Fraction", finding=DEAR, does=_EXACT_DOES, advice=_EXACT),
    "print(*)": Construct(
        written="print(*...)",
        finding=DEAR,
        does=_(
            "It makes all of the values first, and then writes each of them and each separator by a step of its own."
        ),
        advice=_("Print about 1,000 values at a time, each portion as one text that `join` makes."),
    ),
    "list-sieve": Construct(
        written="range(start, end, step)",
        finding=DEAR,
        does=_(
            "The loop there is that of a sieve already; each value that it sets takes some steps of the interpreter."
        ),
        advice=_(
            "A `bytearray` takes all multiples of a prime at once, from its square on: "
            "`sieve[p * p::p] = bytes(len(range(p * p, n + 1, p)))`."
        ),
    ),
} | {
    f"{name}()": Construct(written=f"{name}(...)", finding=COPYING, does=_COPIES, advice=_COPY_ONCE)
    for name in ("list", "tuple", "set", "dict", "copy", "deepcopy")
}

_CPP_SET = _("An `unordered_set` or an `unordered_map` answers in one step; a `set` or a `map` in few.")
_CPP_DEQUE = _("A `deque` takes its first value in one step, with `pop_front()`; so does an index that counts up.")
_CPP_FRONT = _(
    "A `deque` adds at the front in one step, with `push_front()`; or fill it at its end and reverse it once."
)
_CPP_ORDER = _(
    "To take the smallest value again and again, a `priority_queue` needs few steps; to count how many are smaller, a "
    "Fenwick tree or a merge sort."
)
_CPP_APPEND = _("`+=` and `push_back` add to the text itself; a text that grows at its front can be reversed once.")
_CPP_REFERENCE = _("Take it by reference, as `const vector<int>&`: then nothing is copied.")
_CPP_EACH = _("Write `const auto&` in the loop: then nothing is copied.")

_CPP = {
    "erase(begin())": Construct(written="erase(begin())", finding=CONTAINER, does=_SHIFTS, advice=_CPP_DEQUE),
    "erase(0)": Construct(written="erase(0, ...)", finding=CONTAINER, does=_SHIFTS, advice=_INDEX),
    "erase()": Construct(written="erase(...)", finding=CONTAINER, does=_SHIFTS, advice=_AT_ONCE),
    "insert(begin())": Construct(written="insert(begin(), ...)", finding=CONTAINER, does=_SHIFTS, advice=_CPP_FRONT),
    "insert(0)": Construct(written="insert(0, ...)", finding=CONTAINER, does=_SHIFTS, advice=_CPP_FRONT),
    "insert()": Construct(written="insert(...)", finding=CONTAINER, does=_SHIFTS, advice=_CPP_ORDER),
    "find()": Construct(written="find(...)", finding=CONTAINER, does=_SEARCHES, advice=_CPP_SET),
    "find() in text": Construct(written="find(...)", finding=CONTAINER, does=_SEARCHES, advice=_TEXT_ONCE),
    "search loop": Construct(written="==", finding=CONTAINER, does=_SEARCHES, advice=_CPP_SET),
    "count()": Construct(
        written="count(...)",
        finding=PASS,
        does=_PASSES,
        advice=_("Count once, in an array or an `unordered_map`, and look the counts up."),
    ),
    "accumulate()": Construct(written="accumulate(...)", finding=PASS, does=_PASSES, advice=_PREFIX),
    "max_element()": Construct(written="max_element(...)", finding=PASS, does=_PASSES, advice=_SO_FAR),
    "min_element()": Construct(written="min_element(...)", finding=PASS, does=_PASSES, advice=_SO_FAR),
    "sort()": Construct(written="sort(...)", finding=PASS, does=_SORTS, advice=_SORT_ONCE),
    "stable_sort()": Construct(written="stable_sort(...)", finding=PASS, does=_SORTS, advice=_SORT_ONCE),
    "reverse()": Construct(written="reverse(...)", finding=PASS, does=_PASSES, advice=_CPP_FRONT),
    "strlen()": Construct(
        written="strlen(...)",
        finding=PASS,
        does=_("Each time that the condition is asked, it goes through the whole text to find its end."),
        advice=_("Ask for the length once, before the loop, and keep it in a variable."),
    ),
    "substr()": Construct(written="substr(...)", finding=COPYING, does=_COPIES_PART, advice=_INDEX),
    "+": _Addition(does=_COPIES, advice=_CPP_APPEND),
    "vector =": Construct(written="=", finding=COPYING, does=_COPIES, advice=_COPY_ONCE),
    "by value": Construct(
        written="by value",
        finding=COPYING,
        at_line=_("{percent} of the CPU time on {where} was spent at the line that passes a vector or text by value."),
        at_lines=_("{percent} of the CPU time on {where} was spent at the lines that pass a vector or text by value."),
        does=_("The function called there takes a whole vector or text by value, and copies it for each call."),
        advice=_CPP_REFERENCE,
    ),
    "for by value": Construct(
        written="for",
        finding=COPYING,
        does=_("The loop there copies each text or vector that it looks at."),
        advice=_CPP_EACH,
    ),
}

_RUST_SET = _("A `HashSet` or a `HashMap` answers in one step.")
_RUST_DEQUE = _("A `VecDeque` takes its first value in one step, with `pop_front()`; so does an index that counts up.")
_RUST_FRONT = _(
    "A `VecDeque` adds at the front in one step, with `push_front()`; or fill a `Vec` at its end and reverse it once."
)
_RUST_ORDER = _(
    "To take the smallest value again and again, a `BinaryHeap` needs few steps; to count how many are smaller, a "
    "Fenwick tree or a merge sort."
)
_RUST_APPEND = _("`push_str` and `push` add to the text itself.")
_RUST_BORROW = _("Borrow it, as a slice (`&[T]`, `&str`): then nothing is copied.")

_RUST = (
    {
        "remove(0)": Construct(written="remove(0)", finding=CONTAINER, does=_SHIFTS, advice=_RUST_DEQUE),
        "drain(..1)": Construct(written="drain(..1)", finding=CONTAINER, does=_SHIFTS, advice=_RUST_DEQUE),
        "remove()": Construct(written="remove(...)", finding=CONTAINER, does=_SHIFTS, advice=_AT_ONCE),
        "insert(0)": Construct(written="insert(0, ...)", finding=CONTAINER, does=_SHIFTS, advice=_RUST_FRONT),
        "insert()": Construct(written="insert(...)", finding=CONTAINER, does=_SHIFTS, advice=_RUST_ORDER),
        "nth()": Construct(
            written="chars().nth(...)",
            finding=CONTAINER,
            does=_("Each time it goes through the text from its beginning: as many steps as that character's place."),
            advice=_("`as_bytes()` has each byte at hand, or collect the characters into a `Vec<char>` once."),
        ),
        "sum()": Construct(written="sum()", finding=PASS, does=_PASSES, advice=_PREFIX),
        "max()": Construct(written="max()", finding=PASS, does=_PASSES, advice=_SO_FAR),
        "min()": Construct(written="min()", finding=PASS, does=_PASSES, advice=_SO_FAR),
        "count()": Construct(written="count()", finding=PASS, does=_PASSES, advice=_FLAG),
        "sort()": Construct(written="sort()", finding=PASS, does=_SORTS, advice=_SORT_ONCE),
        "sort_by()": Construct(written="sort_by(...)", finding=PASS, does=_SORTS, advice=_SORT_ONCE),
        "sort_by_key()": Construct(written="sort_by_key(...)", finding=PASS, does=_SORTS, advice=_SORT_ONCE),
        "format!": Construct(written="format!", finding=COPYING, does=_COPIES, advice=_RUST_APPEND),
        "+": _Addition(does=_COPIES, advice=_RUST_APPEND),
        "insert_str(0)": Construct(written="insert_str(0, ...)", finding=CONTAINER, does=_SHIFTS, advice=_RUST_FRONT),
        "insert_str()": Construct(written="insert_str(...)", finding=CONTAINER, does=_SHIFTS, advice=_RUST_APPEND),
    }
    | {
        f"{name}()": Construct(written=f"{name}(...)", finding=CONTAINER, does=_SEARCHES, advice=_RUST_SET)
        for name in ("contains", "position", "any", "find", "all")
    }
    | {
        f"{name}()": Construct(written=f"{name}()", finding=COPYING, does=_COPIES, advice=_RUST_BORROW)
        for name in ("clone", "to_vec", "to_string", "to_owned")
    }
)

CONSTRUCTS: Mapping[str, Mapping[str, Construct]] = {"python": _PYTHON, "cpp": _CPP, "rust": _RUST}
