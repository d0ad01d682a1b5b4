"""Edits of a source: byte ranges of it with their new text, and the ranges of whole statements."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tree_sitter import Node

from judge.grading.reading.syntax.walking import Site, nodes_of

_BLANK = b" \t"
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """What takes the place of the bytes from `start` up to `end`. `is_place`: one of those that a reader counts."""

    start: int
    end: int
    text: bytes
    is_place: bool = True


@dataclass(frozen=True)
class SourceCode:
    """One source as it is written, and what it does on which line."""

    source: bytes
    root: Node
    sites: tuple[Site, ...]

    def text(self, node: Node | None) -> str:
        """Return the text of a node; nothing without one."""
        return self.source[node.start_byte : node.end_byte].decode("utf-8", "replace") if node is not None else ""

    @cached_property
    def _identifiers(self) -> Mapping[str, list[Node]]:
        identifiers: dict[str, list[Node]] = defaultdict(list)
        for node in nodes_of(self.root):
            if node.type == "identifier":
                identifiers[self.text(node)].append(node)
        return dict(identifiers)

    def uses(self, name: str, whole: Node | None = None) -> list[Node]:
        """Return the identifiers of this name, in order: those in `whole`, or all."""
        uses = self._identifiers.get(name, [])
        if whole is None:
            return uses
        ends = (bisect_left(uses, byte, key=lambda use: use.start_byte) for byte in (whole.start_byte, whole.end_byte))
        return uses[slice(*ends)]

    def text_without(self, whole: Node, is_quiet: Callable[[Node], bool]) -> str:
        """Return the text of a node, with a blank in the place of each quiet one below it."""
        pieces, done = [], whole.start_byte
        for node in nodes_of(whole):
            if node.start_byte >= done and is_quiet(node):
                pieces.append(self.source[done : node.start_byte])
                done = node.end_byte
        return b" ".join([*pieces, self.source[done : whole.end_byte]]).decode("utf-8", "replace")

    def first_in(self, body: Node | None, *statements: bytes, is_place: bool) -> Edit | None:
        """Return the edit that puts statements at the beginning of a body in braces; None without a body."""
        if body is None:
            return None
        at = body.start_byte + 1
        first = next((child for child in body.named_children if "comment" not in child.type), None)
        start = b" "
        if first is not None and first.start_point.row != body.start_point.row:
            start = line_end_of(self.source) + indentation(self.source, first.start_byte)
        return Edit(at, at, b"".join(start + statement for statement in statements), is_place)


def applied(source: bytes, edits: Iterable[Edit]) -> bytes:
    """Return the changed source; of two edits that overlap the later one is left out."""
    pieces, done = [], 0
    for edit in sorted(set(edits)):
        if edit.start >= done:
            pieces += [source[done : edit.start], edit.text]
            done = edit.end
    return b"".join([*pieces, source[done:]])


def line_end_of(source: bytes) -> bytes:
    """Return how the source ends its lines."""
    return b"\r\n" if b"\r\n" in source else b"\n"


def indentation(source: bytes, start: int) -> bytes:
    """Return the blanks with which the line of this byte begins."""
    begin = source.rfind(b"\n", 0, start) + 1
    line = source[begin:start]
    return line[: len(line) - len(line.lstrip(_BLANK))]


def is_alone(source: bytes, start: int, end: int) -> bool:
    """Return whether nothing else stands on the lines from `start` to `end`."""
    begin, after = _lines_around(source, start, end)
    return not source[begin:start].strip(_BLANK) and not source[end:after].strip()


def without(source: bytes, node: Node, *, is_free: bool, replacement: bytes) -> Edit:
    """Return the edit that takes a statement out, with its line if it stands alone there.

    `is_free`: it stands among others, so that nothing has to stay in its place; else `replacement` does.
    """
    if not is_free:
        return Edit(node.start_byte, node.end_byte, replacement)
    if is_alone(source, node.start_byte, node.end_byte):
        return Edit(*_lines_around(source, node.start_byte, node.end_byte), b"")
    end = node.end_byte
    while source[end : end + 1] in (b" ", b"\t"):
        end += 1
    return Edit(node.start_byte, end, b"")


def _lines_around(source: bytes, start: int, end: int) -> tuple[int, int]:
    """Return where the line of `start` begins, and where the one of `end` ends, after its newline."""
    after = source.find(b"\n", end)
    return source.rfind(b"\n", 0, start) + 1, len(source) if after < 0 else after + 1


def beginning_of(source: bytes) -> int:
    """Return the first byte after a byte order mark."""
    return len(_BOM) if source.startswith(_BOM) else 0
