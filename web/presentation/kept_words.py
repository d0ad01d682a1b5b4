"""Sentences that rows keep in English, without their templates, said again in the reader's language.

New rows of what the judge and packages say keep a `problems.translation.Sentence`. The sandbox knows no translator, and
an experiment's text is what its runs are compared by: of these the template is found again by its words.
"""

from django.utils.translation import gettext, gettext_noop

from problems.translation import said_again

# why a worker does not count system calls by name: sandbox/meter/meter.py
_METER = (
    gettext_noop("the meter cannot be read: %(reason)s"),
    gettext_noop("the meter saw no program start in the jail"),
    gettext_noop("the kernel skipped %(number)s system calls"),
    gettext_noop("system calls are counted by name on x86-64 and arm64 only, not on %(machine)s"),
    gettext_noop("counting system calls by name needs root"),
    gettext_noop("this kernel does not describe its types (%(path)s): use one built with BTF"),
    gettext_noop("the meter is not built: install clang and libbpf-dev, then make -C sandbox/native"),
    gettext_noop("the meter cannot be loaded: %(reason)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"),
    gettext_noop("the meter cannot be loaded: %(reason)s"),
    gettext_noop("the meter cannot be attached: %(reason)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"),
    gettext_noop("the meter cannot be attached: %(reason)s"),
    gettext_noop("the meter cannot count a run: %(reason)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"),
    gettext_noop("the meter cannot count a run: %(reason)s"),
)


# what the library's problems are about: the keywords of their packages
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


def meter_problem(kept: str) -> str:
    """Return why a worker does not count system calls by name, in the reader's language as far as it is known."""
    return said_again(kept, _METER) or kept
