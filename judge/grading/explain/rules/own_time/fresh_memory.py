"""Find a part of the CPU time that went to the kernel for memory that the program touched for the first time.

The kernel clears each page of 4 KiB when it is first used. `allocation_storm` is about programs that take the same
memory again and again; this one is about all others, where it is a part of the time, never most of it.
"""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Calls, Facts, calls_of
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import allocation_storm, recursions
from judge.grading.reading.places import Deed
from problems.translation import gettext as _
from problems.translation import gettext_noop

_SHARE = 10  # per cent of the CPU time
_MANY_FAULTS = 5_000  # about 5 ms, 20 MiB
_MOST = 0.5  # of the kernel's work, so that the sentence may say "most of it"
_CALLS_PER_FAULT = 2  # as in `judge.grading.explain.evidence.facts`


def find(facts: Facts) -> Finding | None:
    """Find a slow case where page faults cost a tenth of the CPU time, or more, in the kernel."""
    case = facts.slow_case
    if case is None or case.usage.minor_faults < _MANY_FAULTS:
        return None
    # First as if there had been only the reads and writes: further calls leave less for the faults.
    if not _is_much(facts, case, calls_of(case, None)):
        return None
    calls = facts.calls(case)
    if not _is_much(facts, case, calls) or allocation_storm.find(facts) is not None:
        return None
    if recursions.find_slow(facts) is not None:
        return None
    has_recursion = not facts.language.runtime.frames_bytes and facts.code.has(Deed.RECURSE)
    return Finding(
        code="fresh-memory",
        evidence={
            **facts.about(case),
            "minor_faults": case.usage.minor_faults,
            "peak_memory_bytes": case.usage.peak_memory_bytes,
            **facts.kernel(case),
            "weight_percent": int(facts.kernel_percent(case) * _of_faults(calls)),
            **({"has_recursion": True} if has_recursion else {}),
        },
    )


def say(telling: Telling) -> Said:
    """Tell how much memory was touched for the first time, and what the kernel took for it."""
    sentence = _(
        "{percent} of the CPU time ({system_time} of {cpu_time}) was spent in the kernel on {where}, most of it on "
        "memory that your program used for the first time: {faults} fresh pages of 4 KiB, with at most {peak} in use "
        "at a time."
    )
    text = telling.fill(sentence)
    if telling.has("has_recursion"):
        advice = _(
            "Memory that is reused costs nothing more: keep fewer and smaller tables, or use one table again. If your "
            "recursion goes many thousands of levels deep, its stack is such memory too, and a loop with a stack of "
            "its own needs less of it."
        )
    else:
        advice = _("Memory that is reused costs nothing more: keep fewer and smaller tables, or use one table again.")
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


def _is_much(facts: Facts, case: CaseJudged, calls: Calls) -> bool:
    of_faults = _of_faults(calls)
    return of_faults >= _MOST and int(facts.kernel_percent(case) * of_faults) >= _SHARE


def _of_faults(calls: Calls) -> float:
    """Return the share, from 0 to 1, of the page faults in the kernel's work."""
    return _CALLS_PER_FAULT * calls.faults / (calls.total + _CALLS_PER_FAULT * calls.faults)


RULE = Rule(
    code="fresh-memory",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.MEMORY,
    hint=gettext_noop("Much memory is used for the first time: smaller tables, or one table used again."),
)
