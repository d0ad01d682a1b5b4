"""`python -m judge.grading.reading.syntax LANGUAGE PART... < SOURCE`: what the source is made of, as JSON.

PART: "places", what it does on which line; "tokens", how a page colours it (`syntax.tokens`). The answer has an entry
of each part.
"""

import json
import sys
from dataclasses import asdict
from importlib import import_module

from judge.grading.reading.syntax.tokens import tokens_in

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


if __name__ == "__main__":
    main()
