"""`python -m judge.grading.reading.syntax LANGUAGE PART... < SOURCE`: what the source is made of, as JSON.

PART: "places", what it does on which line; "tokens", how a page colours it (`tokens_in`). The answer has an entry
of each part.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from importlib import import_module

from tree_sitter import Node

from judge.grading.reading.places import TokenKind
from judge.grading.reading.syntax.walking import nodes_of

MOST_TOKENS = 20_000
_MOST_PLACES = 5_000


def main() -> None:
    """Answer."""
    language, *parts = sys.argv[1:]
    syntax = import_module(f"judge.grading.reading.syntax.{language}")
    source = sys.stdin.buffer.read()
    answer: dict[str, object] = {}
    if "places" in parts:
        answer["places"] = [asdict(place) for place in syntax.read(source)[:_MOST_PLACES]]
    if "tokens" in parts:
        answer["tokens"] = tokens_in(syntax.PARSER.parse(source).root_node, syntax.TOKENS)
    json.dump(answer, sys.stdout)


def tokens_in(root: Node, kinds: Mapping[str, TokenKind]) -> list[int]:
    """Return [bytes since the end of the one before, bytes, place of its kind in TokenKind] of each token, in order, as
    one flat list: at most MOST_TOKENS of them. `kinds`: of the types of nodes; what the grammar itself spells out in
    letters is a keyword.
    """
    numbers = {kind: number for number, kind in enumerate(TokenKind)}
    tokens: list[int] = []
    end = 0
    for node in nodes_of(root, closed=kinds):
        if len(tokens) == 3 * MOST_TOKENS:
            break
        if node.is_named:
            kind = kinds.get(node.type)
        elif node.type[:1] == "#" and len(node.type) > 1:
            kind = TokenKind.DIRECTIVE
        else:
            kind = TokenKind.KEYWORD if node.type.replace("_", "").isalpha() else None
        if kind is not None and node.end_byte > node.start_byte >= end:
            tokens += [node.start_byte - end, node.end_byte - node.start_byte, numbers[kind]]
            end = node.end_byte
    return tokens


if __name__ == "__main__":
    main()
