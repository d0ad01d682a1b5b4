"""What the library's problems are about: the keywords of their packages, in the reader's language."""

from django.utils.translation import gettext, gettext_noop

_TOPICS = (
    gettext_noop("beginner"),
    gettext_noop("binary search"),
    gettext_noop("call limit"),
    gettext_noop("copying memory"),
    gettext_noop("CPU time"),
    gettext_noop("dictionary"),
    gettext_noop("divide and conquer"),
    gettext_noop("double-ended queue"),
    gettext_noop("dynamic programming"),
    gettext_noop("every space counts"),
    gettext_noop("first problem"),
    gettext_noop("floating point"),
    gettext_noop("flush"),
    gettext_noop("geometry"),
    gettext_noop("greedy"),
    gettext_noop("hashing"),
    gettext_noop("input"),
    gettext_noop("interactive"),
    gettext_noop("leftover prints"),
    gettext_noop("memory"),
    gettext_noop("number theory"),
    gettext_noop("output"),
    gettext_noop("quadratic time"),
    gettext_noop("recursion"),
    gettext_noop("scoring"),
    gettext_noop("several right answers"),
    gettext_noop("sorting"),
    gettext_noop("streaming"),
    gettext_noop("strings"),
    gettext_noop("text"),
    gettext_noop("threads"),
    gettext_noop("trees"),
    gettext_noop("unbuffered input"),
    gettext_noop("unbuffered output"),
)


def topic_name(tag: str) -> str:
    """Return a tag of a problem in the reader's language; one that the library does not use as it was typed."""
    return gettext(tag) if tag in _TOPICS else tag


def topics_named(text: str) -> list[str]:
    """Return the library's tags whose name in the reader's language has this text."""
    return [tag for tag in _TOPICS if text.casefold() in gettext(tag).casefold()]
