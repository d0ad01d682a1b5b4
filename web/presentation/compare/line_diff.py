"""A line diff of two sources, with unchanged stretches folded away."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from web.presentation.visible import visible_text

MAX_LINES = 1_000  # of each source, beside what both begin and end with: beyond it, matching may take seconds
_CONTEXT = 3
_LEAST_FOLDED = 4
_MAX_MARKED_LINE = 300  # characters of a line in which single words are compared
_MOST_PAIRS = 4_000_000  # of words, in all such lines together: what takes about half a second at worst
_WORDS = re.compile(r"\w+|\s+|.", re.S)


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffLine:
    """One line of one source."""

    number: int
    html: SafeString


@dataclass(frozen=True, kw_only=True, slots=True)
class DiffBlock:
    """Lines that belong together. `kind` is same, changed or folded; folded ones have no lines, only `count`."""

    kind: str
    left: list[DiffLine]
    right: list[DiffLine]
    count: int

    @property
    def rows(self) -> list[tuple[DiffLine | None, DiffLine | None]]:
        """The lines side by side, None where one side has no line left."""
        return list(zip_longest(self.left, self.right))


def difference(before: str, after: str) -> list[DiffBlock] | None:
    """Return the blocks in order; empty if both sources are the same, None if they are too long to match."""
    a, b = (text.replace("\r\n", "\n").removesuffix("\n").split("\n") for text in (before, after))
    if a == b:
        return []
    head = _common(a, b)
    tail = _common(a[head:][::-1], b[head:][::-1])
    middle_a, middle_b = a[head : len(a) - tail], b[head : len(b) - tail]
    if max(len(middle_a), len(middle_b)) > MAX_LINES:
        return None
    matcher = SequenceMatcher(None, middle_a, middle_b, autojunk=max(len(middle_a), len(middle_b)) > MAX_LINES // 2)
    spans = [("equal", 0, head, 0, head)] if head else []
    spans += [(tag, i1 + head, i2 + head, j1 + head, j2 + head) for tag, i1, i2, j1, j2 in matcher.get_opcodes()]
    spans += [("equal", len(a) - tail, len(a), len(b) - tail, len(b))] if tail else []
    return list(_blocks(_joined(spans), a, b))


def _joined(spans: list[tuple[str, int, int, int, int]]) -> list[tuple[str, int, int, int, int]]:
    """Join neighbouring equal spans."""
    joined: list[tuple[str, int, int, int, int]] = []
    for span in spans:
        if joined and joined[-1][0] == span[0] == "equal":
            span = ("equal", joined[-1][1], span[2], joined.pop()[3], span[4])
        joined.append(span)
    return joined


def _blocks(spans: list[tuple[str, int, int, int, int]], a: list[str], b: list[str]) -> Iterator[DiffBlock]:
    marker = _Marker()
    for place, (tag, i1, i2, j1, j2) in enumerate(spans):
        if tag != "equal":
            marked = [marker.marked(old, new) for old, new in zip(a[i1:i2], b[j1:j2], strict=False)]
            left = [old for old, _new in marked] + [visible_text(line) for line in a[i1 + len(marked) : i2]]
            right = [new for _old, new in marked] + [visible_text(line) for line in b[j1 + len(marked) : j2]]
            yield _block("changed", left, i1, right, j1)
            continue
        before = _CONTEXT if place > 0 else 0
        after = _CONTEXT if place < len(spans) - 1 else 0
        hidden = (i2 - i1) - before - after
        if hidden < _LEAST_FOLDED:
            yield _same(a[i1:i2], i1, j1)
            continue
        if before:
            yield _same(a[i1 : i1 + before], i1, j1)
        yield DiffBlock(kind="folded", left=[], right=[], count=hidden)
        if after:
            yield _same(a[i2 - after : i2], i2 - after, j2 - after)


def _same(lines: list[str], i: int, j: int) -> DiffBlock:
    html = [visible_text(line) for line in lines]
    return _block("same", html, i, html, j)


def _block(kind: str, left: list[SafeString], i: int, right: list[SafeString], j: int) -> DiffBlock:
    return DiffBlock(
        kind=kind,
        left=[DiffLine(number=number, html=line) for number, line in enumerate(left, i + 1)],
        right=[DiffLine(number=number, html=line) for number, line in enumerate(right, j + 1)],
        count=max(len(left), len(right)),
    )


class _Marker:
    """Marks differing words in pairs of lines, within a budget of work."""

    def __init__(self) -> None:
        self._room = _MOST_PAIRS

    def marked(self, old: str, new: str) -> tuple[SafeString, SafeString]:
        """Return both lines with their differing words marked, if they have much in common."""
        a, b = ([] if len(line) > _MAX_MARKED_LINE else _WORDS.findall(line) for line in (old, new))
        self._room -= len(a) * len(b)
        if self._room < 0 or not (a and b):
            return visible_text(old), visible_text(new)
        matcher = SequenceMatcher(None, a, b, autojunk=False)
        if matcher.ratio() < 0.4:
            return visible_text(old), visible_text(new)
        codes = matcher.get_opcodes()
        before = [("".join(a[i1:i2]), tag != "equal") for tag, i1, i2, _, _ in codes if i2 > i1]
        after = [("".join(b[j1:j2]), tag != "equal") for tag, _, _, j1, j2 in codes if j2 > j1]
        return _with_marks(before), _with_marks(after)


def _with_marks(parts: list[tuple[str, bool]]) -> SafeString:
    pieces = ((visible_text(text), is_own) for text, is_own in parts)
    marks = ((format_html('<mark class="diff-word">{}</mark>', html) if is_own else html,) for html, is_own in pieces)
    return format_html_join("", "{}", marks)


def _common(a: list[str], b: list[str]) -> int:
    """Return how many lines both begin with."""
    pairs = enumerate(zip(a, b, strict=False))
    return next((place for place, (ours, theirs) in pairs if ours != theirs), min(len(a), len(b)))
