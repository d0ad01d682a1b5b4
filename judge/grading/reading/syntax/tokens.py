"""The tokens of a source that a page colours, by its grammar."""

from collections.abc import Mapping

from tree_sitter import Node

from judge.grading.reading.places import TokenKind

MOST_TOKENS = 20_000


def tokens_in(root: Node, kinds: Mapping[str, TokenKind]) -> list[int]:
    """Return [bytes since the end of the one before, bytes, place of its kind in TokenKind] of each token, in order, as
    one flat list: at most MOST_TOKENS of them. `kinds`: of the types of nodes; what the grammar itself spells out in
    letters is a keyword.

    One pass with a cursor, never by recursion: a source may be nested as deep as it is long.
    """
    numbers = {kind: number for number, kind in enumerate(TokenKind)}
    tokens: list[int] = []
    end = 0
    cursor = root.walk()
    while len(tokens) < 3 * MOST_TOKENS:
        node = cursor.node
        assert node is not None
        kind = _kind(node, kinds)
        if kind is not None and node.end_byte > node.start_byte >= end:
            tokens += [node.start_byte - end, node.end_byte - node.start_byte, numbers[kind]]
            end = node.end_byte
        if kind is None and cursor.goto_first_child():
            continue
        while not cursor.goto_next_sibling():
            if not cursor.goto_parent():
                return tokens
    return tokens


def _kind(node: Node, kinds: Mapping[str, TokenKind]) -> TokenKind | None:
    if node.is_named:
        return kinds.get(node.type)
    if node.type[:1] == "#" and len(node.type) > 1:
        return TokenKind.DIRECTIVE
    return TokenKind.KEYWORD if node.type.replace("_", "").isalpha() else None
