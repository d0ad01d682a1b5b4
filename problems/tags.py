"""Tags of problems: short names of topics, the same however they were typed."""

from collections.abc import Iterable

from problems.names import visible

MOST_TAGS = 12
MOST_CHARACTERS = 40


def as_tags(words: Iterable[str]) -> tuple[str, ...]:
    """Return the words as tags: one space between words, nothing invisible, each tag once, at most MOST_TAGS.

    Only a first capital of an ordinary word becomes small: "Binary search" and "binary search" are one tag, "CPU time"
    stays.
    """
    tags = (as_tag(word) for word in words)
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:MOST_TAGS]


def as_tag(word: str) -> str:
    """Return one word or phrase as a tag; "" if nothing is left of it."""
    tag = " ".join(visible(word).split())[:MOST_CHARACTERS].strip()
    is_ordinary = tag[:1].isupper() and tag[1:2].islower()
    return tag[0].lower() + tag[1:] if is_ordinary else tag


def typed_tags(text: str) -> tuple[str, ...]:
    """Return the tags of a text in which commas separate them."""
    return as_tags(text.split(","))
