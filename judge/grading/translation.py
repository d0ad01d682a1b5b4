"""Sentences of the judge for readers of any language: the seam is that of the room below, `problems.translation`."""

from problems.translation import (
    CountedSentence,
    Sentence,
    gettext,
    gettext_noop,
    joined,
    listed,
    ngettext,
    quoted,
    translated,
    use,
)

__all__ = [
    "CountedSentence",
    "Sentence",
    "gettext",
    "gettext_noop",
    "joined",
    "listed",
    "ngettext",
    "quoted",
    "translated",
    "use",
]
