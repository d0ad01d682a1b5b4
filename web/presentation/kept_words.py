"""Sentences that rows keep in English, without their templates, said again in the reader's language.

New rows of what the judge and packages say keep a `problems.translation.Sentence`. The sandbox knows no translator, and
an experiment's text is what its runs are compared by: of these the template is found again by its words.
"""

from django.utils.translation import gettext_noop

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


def meter_problem(kept: str) -> str:
    """Return why a worker does not count system calls by name, in the reader's language as far as it is known."""
    return said_again(kept, _METER) or kept
