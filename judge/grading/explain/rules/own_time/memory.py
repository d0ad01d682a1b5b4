"""Find programs that allocate memory and give it back again and again, or that touch much of it for the first time.

A forked process and its parent each get a fresh page where they first write to one that they share: as much as there
was, twice, for each process. That is no allocation, so it is taken off; where nobody counted the processes, nothing is
said. The kernel clears each page of 4 KiB when it is first used. Of all other programs this is told where it takes a
part of the time, never most of it.
"""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import CALLS_PER_FAULT, KERNEL_SHARE, MANY_CALLS, Calls, Facts, calls_of
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import hot_lines, recursions
from judge.grading.reading.places import Deed, lines_of
from problems.translation import gettext as _, gettext_noop

_NAMES = ("brk", "mmap", "munmap", "mremap", "madvise")
_STARTS = ("fork", "vfork", "clone", "clone3")  # of a process or a thread
_PAGE_BYTES = 4_096
_MANY_FAULTS = 20_000  # about 20 ms
_LARGE_PIECE_BYTES = 128 * 1024  # of a write; from this size on malloc asks the kernel for each block by default
_COPIES = 60  # of each byte printed, at most: a list of its lines, and the string
_TIMES_OVER = 4  # so often the same memory was fetched anew; a program that only needs much fetches it once
_SHARE = 10  # per cent of the CPU time
_NOTABLE_FAULTS = 5_000  # about 5 ms, 20 MiB
_MOST = 0.5  # of the kernel's work, so that the sentence may say "most of it"


def find_storm(facts: Facts) -> Finding | None:
    """Find a case where asking for memory took a large share of the CPU time in the kernel."""
    case = facts.focus
    if case is None or not facts.is_slow(case) or facts.kernel_percent(case) < KERNEL_SHARE:
        return None
    faults = case.usage.minor_faults
    times_over = faults * _PAGE_BYTES / max(1, case.usage.peak_memory_bytes)
    profile = facts.profile(case) if times_over >= _TIMES_OVER else None
    if profile is None:
        return None
    requests, started = (sum(profile.syscalls.get(name, 0) for name in names) for names in (_NAMES, _STARTS))
    storms = (requests >= MANY_CALLS or faults >= _MANY_FAULTS) and times_over >= _TIMES_OVER + 2 * started
    # the share of the CPU time that the kernel spent on memory: all that other calls do not explain
    calls = facts.calls(case)
    others = max(calls.total - requests, calls.reads + calls.writes)
    blamed = int(facts.kernel_percent(case) * (1 - calls.share(others)))
    if not storms or blamed < KERNEL_SHARE or _is_named(facts):
        return None
    io = case.io
    # The memory may be that of large pieces of output.
    is_large = io.write_calls > 0 and io.write_bytes >= _LARGE_PIECE_BYTES * io.write_calls
    is_much = faults * _PAGE_BYTES <= _COPIES * io.write_bytes
    return Finding(
        code="allocation-storm",
        evidence={
            **facts.about(case),
            "minor_faults": faults,
            "memory_calls": requests,
            "peak_memory_bytes": case.usage.peak_memory_bytes,
            **facts.kernel(case),
            "weight_percent": blamed,
            **({"has_large_pieces": True} if is_large and is_much else {}),
            **({"has_recursion": True} if facts.code.has(Deed.AGAIN, repeated=True) else {}),
        },
        lines=lines_of(facts.code.find(Deed.ALLOCATE, repeated=True)),
    )


def _is_named(facts: Facts) -> bool:
    """Return whether a recursion, or the construct at the lines that took the time, is what takes the memory."""
    return recursions.find_slow(facts) is not None or hot_lines.explains_most(facts)


def say_storm(telling: Telling) -> Said:
    """Tell how much memory was fetched, and how little of it was in use at a time."""
    if telling.has("memory_calls"):
        sentence = _(
            "Your program took memory from the kernel again and again on {where}: {faults} fresh pages of 4 KiB and "
            "{calls} calls for it in the profile pass, but never more than {peak} at a time; {percent} of its CPU time "
            "({system_time} of {cpu_time}) was spent in the kernel."
        )
    else:
        sentence = _(
            "Your program took memory from the kernel again and again on {where}: {faults} fresh pages of 4 KiB, but "
            "never more than {peak} at a time; {percent} of its CPU time ({system_time} of {cpu_time}) was spent in "
            "the kernel."
        )
    text = telling.fill(sentence, calls=telling.count("memory_calls"))
    if telling.has("is_accepted") or telling.language is None:  # nobody knows that an accepted one would gain by it
        return Said(text=text)
    if telling.has("has_large_pieces"):
        advice = _(
            "Print smaller pieces, of about 1,000 lines: each string of 128 KiB or more is made in memory that the "
            "kernel has to clear first."
        )
        return Said(text=text, advice=advice)
    if telling.has("has_recursion"):  # each call that has not returned takes memory, too
        return Said(text=text)
    return Said(text=text, advice=_(telling.language.advice.allocation))


def find_fresh(facts: Facts) -> Finding | None:
    """Find a slow case where page faults cost a tenth of the CPU time, or more, in the kernel."""
    case = facts.slow_case
    if case is None or case.usage.minor_faults < _NOTABLE_FAULTS:
        return None
    # First as if there had been only the reads and writes: further calls leave less for the faults.
    if not _is_much(facts, case, calls_of(case, None)):
        return None
    calls = facts.calls(case)
    if not _is_much(facts, case, calls) or find_storm(facts) is not None or _is_named(facts):
        return None
    has_recursion = not facts.language.runtime.is_interpreted and facts.code.has(Deed.RECURSE)
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


def say_fresh(telling: Telling) -> Said:
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
    return CALLS_PER_FAULT * calls.faults / (calls.total + CALLS_PER_FAULT * calls.faults)


STORM, FRESH = RULES = (
    Rule(
        code="allocation-storm",
        find=find_storm,
        say=say_storm,
        about=About.TIME,
        reason=Reason.MEMORY,
        hint=gettext_noop("Memory is asked for again and again: keep it and use it again."),
    ),
    Rule(
        code="fresh-memory",
        find=find_fresh,
        say=say_fresh,
        about=About.TIME,
        reason=Reason.MEMORY,
        hint=gettext_noop("Much memory is used for the first time: smaller tables, or one table used again."),
    ),
)
