"""Why a worker does not count system calls by name, in the reader's language."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from sandbox.errors import MeterProblem, MeterStop

_SENTENCES = {
    MeterStop.UNREADABLE: gettext_noop("the meter cannot be read: %(words)s"),
    MeterStop.NO_START: gettext_noop("the meter saw no program start in the jail"),
    MeterStop.SKIPPED: gettext_noop("the kernel skipped %(number)s system calls"),
    MeterStop.ARCHITECTURE: gettext_noop("system calls are counted by name on x86-64 and arm64 only, not on %(words)s"),
    MeterStop.NOT_ROOT: gettext_noop("counting system calls by name needs root"),
    MeterStop.NO_KERNEL_TYPES: gettext_noop(
        "this kernel does not describe its types (%(words)s): use one built with BTF"
    ),
    MeterStop.NOT_BUILT: gettext_noop(
        "the meter is not built: install clang and libbpf-dev, then make -C sandbox/native"
    ),
    MeterStop.NOT_LOADED: gettext_noop("the meter cannot be loaded: %(words)s"),
    MeterStop.NOT_ATTACHED: gettext_noop("the meter cannot be attached: %(words)s"),
    MeterStop.NOT_COUNTING: gettext_noop("the meter cannot count a run: %(words)s"),
    MeterStop.FAILED: gettext_noop("the profile pass failed because of an error of ours"),
}
_LACKS_CAPABILITIES = {
    MeterStop.NOT_LOADED: gettext_noop(
        "the meter cannot be loaded: %(words)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
    ),
    MeterStop.NOT_ATTACHED: gettext_noop(
        "the meter cannot be attached: %(words)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
    ),
    MeterStop.NOT_COUNTING: gettext_noop(
        "the meter cannot count a run: %(words)s (grant CAP_BPF and CAP_PERFMON: see sandbox/privileges.md)"
    ),
}


def meter_sentence(problem: MeterProblem) -> str:
    """Return the reason; in the words of the problem where its code has none."""
    templates = _LACKS_CAPABILITIES if problem.lacks_capabilities else _SENTENCES
    if problem.code not in templates:
        return str(problem)
    return _(templates[problem.code]) % {"words": problem.words, "number": problem.number}
