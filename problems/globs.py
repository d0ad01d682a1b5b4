"""Patterns of submissions.yaml: `*` within one name, `{a,b}` for alternatives, a folder for its whole content.

Written out here since a pattern comes from a stranger: a regular expression with many stars would take for ever.
Source: "Glob patterns" of the package format 2025-09.
"""

import re
from functools import lru_cache
from itertools import product

MOST_ALTERNATIVES = 1_000
_BRACES = re.compile(r"\{([^{}]*)\}")


class TooManyAlternatives(ValueError):
    """The braces of a pattern multiply into more than MOST_ALTERNATIVES patterns."""


def matches(pattern: str, name: str) -> bool:
    """Whether the pattern fits the name ("secret/1-easy") or a folder that holds it. Raises TooManyAlternatives."""
    parts = name.split("/")
    return any(
        len(wanted) <= len(parts) and all(_fits(one, part) for one, part in zip(wanted, parts, strict=False))
        for wanted in _alternatives(pattern)
    )


def count(pattern: str) -> int:
    """Return the number of patterns it expands to. Raises TooManyAlternatives."""
    return len(_alternatives(pattern))


@lru_cache(maxsize=MOST_ALTERNATIVES)
def _alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Expand the braces and split each alternative at the slashes, without surrounding space."""
    pieces = _BRACES.split(pattern.removesuffix("/"))
    choices = [
        [word.strip() for word in piece.split(",")] if place % 2 else [piece] for place, piece in enumerate(pieces)
    ]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MOST_ALTERNATIVES:
        raise TooManyAlternatives(f"means more than {MOST_ALTERNATIVES:,} patterns")
    return tuple(tuple("".join(words).split("/")) for words in product(*choices))


def _fits(pattern: str, text: str) -> bool:
    """Whether the pattern matches the text; each star takes as little as possible."""
    first, *rest = pattern.split("*")
    if not rest:
        return pattern == text
    last = rest.pop()
    if len(text) < len(first) + len(last) or not text.startswith(first) or not text.endswith(last):
        return False
    place, end = len(first), len(text) - len(last)
    for piece in rest:
        found = text.find(piece, place, end)
        if found < 0:
            return False
        place = found + len(piece)
    return True
