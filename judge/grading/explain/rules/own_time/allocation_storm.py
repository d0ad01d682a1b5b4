"""Find programs that allocate memory and give it back again and again.

A forked process and its parent each get a fresh page where they first write to one that they share: as much as there
was, twice, for each process. That is no allocation, so it is taken off; where nobody counted the processes, nothing is
said.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import KERNEL_SHARE, MANY_CALLS, Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import Deed
from problems.translation import gettext as _
from problems.translation import gettext_noop

_NAMES = ("brk", "mmap", "munmap", "mremap", "madvise")
_STARTS = ("fork", "vfork", "clone", "clone3")  # of a process or a thread
_PAGE_BYTES = 4_096
_MANY_FAULTS = 20_000  # about 20 ms
_LARGE_PIECE_BYTES = 128 * 1024  # of a write; from this size on malloc asks the kernel for each block by default
_COPIES = 60  # of each byte printed, at most: a list of its lines, and the string
_TIMES_OVER = 4  # so often the same memory was fetched anew; a program that only needs much fetches it once


def find(facts: Facts) -> Finding | None:
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
    if not storms or blamed < KERNEL_SHARE:
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
        },
        lines=lines_of(facts.code.find(Deed.ALLOCATE, repeated=True)),
    )


def say(telling: Telling) -> Said:
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
    return Said(text=text, advice=_(telling.language.advice.allocation))


RULE = Rule(
    code="allocation-storm",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.MEMORY,
    hint=gettext_noop("Memory is asked for again and again: keep it and use it again."),
)
