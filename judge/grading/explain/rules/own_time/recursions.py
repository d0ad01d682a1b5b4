"""Find recursions that compute the same again and again, or whose depth costs time or does not fit.

Two calls in one expression double the calls with each level, or only divide the work, as in a merge sort. A tiny input
tells the two apart: divided work of some hundred bytes never takes long.

Each call that has not returned keeps its own memory. How deep a compiled program's stack was, no number tells: it grows
without a call. But where it ends can be told: a stack as large as the memory limit ends by the signal of a bad address,
while the kernel ends whatever else needs too much by SIGKILL. CPython keeps its calls in pieces of 16 KiB, each by a
call of `mmap`. Nothing else in it takes so many pieces that are so small: other blocks below 128 KiB come from larger
ones. So many such calls, for so little memory, of a source with a function that calls itself are a deep recursion.
"""

import signal

from judge.grading import words
from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import CALLS_PER_FAULT, Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import hot_lines
from judge.grading.reading.places import Deed, lines_of
from judge.grading.reading.program_errors import ErrorKind
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop, ngettext

_OWN_SHARE = 80  # per cent of the CPU time outside the kernel; a deep stack costs fresh memory
_FEW_BYTES = 512  # of an input
_FEW_WRITES = 1_000
_MANY_PIECES = 500  # 8 MiB
_LEAST_PART = 20  # per cent of the peak memory, and of all fresh pages: blocks of 128 KiB cannot be so many
_SHARE = 10  # per cent of the CPU time that the memory must have cost in the kernel
_PAGE_BYTES = 4_096
_OFTEN = 2_000  # calls of mmap
_NEARLY_ALL = 75  # per cent of the samples whose line is known, so that the memory is that of these lines


def find_branching(facts: Facts) -> Finding | None:
    """Find a slow case that is tiny, of a program with a function that calls itself twice in an expression."""
    case = facts.slow_case
    case_input = facts.inputs.get(case.name) if case else None
    if case is None or case_input is None or case_input.bytes > _FEW_BYTES:
        return None
    share = percent(case.usage.user_time_us, case.usage.cpu_time_us)
    if share < _OWN_SHARE or case.io.write_calls > _FEW_WRITES:
        return None
    branches = facts.code.find(Deed.BRANCH)
    if not branches:
        return None
    return Finding(
        code="branching-recursion",
        evidence={
            **facts.about(case),
            "function": branches[0].name,
            "input_bytes": case_input.bytes,
            "cpu_time_us": case.usage.cpu_time_us,
            "weight_percent": share,
        },
        lines=lines_of(branches),
    )


def say_branching(telling: Telling) -> Said:
    """Tell how small the input was, and which function branches."""
    sentence = _(
        "On {where}, whose input is only {size}, your program used {cpu_time} of CPU time. `{function}` calls itself "
        "twice in one expression and keeps no results, so the number of calls can double with each level."
    )
    text = telling.fill(sentence, size=telling.size("input_bytes"))
    advice = _("Keep the result for each argument, and return it when it is asked for again.")
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


def find_slow(facts: Facts) -> Finding | None:
    """Find a slow case of a Python program that spent a part of its time on memory for a deep recursion."""
    case = facts.slow_case
    if case is None or facts.kernel_percent(case) < _SHARE:
        return None
    if descents := _find_descents(facts, case):
        return descents
    pieces = _pieces(facts, case)
    if not pieces:
        return None
    calls, faults = facts.calls(case), case.usage.minor_faults
    pages = min(pieces * facts.language.runtime.frames_bytes // _PAGE_BYTES, faults)
    of_calls = (pieces + CALLS_PER_FAULT * pages) / max(1, calls.total + CALLS_PER_FAULT * faults)
    blamed = int(facts.kernel_percent(case) * of_calls)
    if blamed < _SHARE:
        return None
    return Finding(
        code="deep-recursion",
        evidence={
            **facts.about(case),
            **_functions(facts),
            "memory_calls": pieces,
            "minor_faults": faults,
            "pages_of_calls": pages,
            "peak_memory_bytes": case.usage.peak_memory_bytes,
            **facts.kernel(case),
            "weight_percent": blamed,
        },
        lines=lines_of(facts.code.find(Deed.RECURSE)),
    )


def _find_descents(facts: Facts, case: CaseJudged) -> Finding | None:
    """Find a recursion that goes down again and again: samples show it, and pieces that were taken and given back."""
    times, again = hot_lines.times_of(facts, case), facts.code.find(Deed.AGAIN)
    large = set(lines_of(facts.code.find(Deed.COSTLY, Deed.KEEP)))  # what a line makes beside the call
    places = tuple(place for place in again if place.line not in large)
    if times is None:
        return None
    share = hot_lines.share_of(times, lines_of(places))
    of_known = percent(share * times.samples, 100 * max(1, times.samples - times.elsewhere))
    if share < hot_lines.MOST or of_known < _NEARLY_ALL or not facts.language.runtime.frames_bytes:
        return None
    profile = facts.profile(case)
    calls = profile.syscalls.get("mmap", 0) if profile is not None else 0
    if calls < _OFTEN:
        return None
    return Finding(
        code="deep-recursion",
        evidence={
            **facts.about(case),
            "functions": " ".join(dict.fromkeys(place.name for place in places)),
            "line_percent": share,
            "memory_calls": calls,
            "peak_memory_bytes": case.usage.peak_memory_bytes,
            **facts.kernel(case),
            "weight_percent": share,
        },
        lines=lines_of(places),
    )


def _say_descents(telling: Telling) -> Said:
    sentence = ngettext(
        "{share} of the CPU time on {where} was spent where {functions} calls itself. It goes down many levels again "
        "and again, and keeps no results: CPython asked the kernel for memory {calls} times in the profile pass, "
        "with never more than {peak} in use at a time.",
        "{share} of the CPU time on {where} was spent where {functions} call themselves. They go down many levels "
        "again and again, and keep no results: CPython asked the kernel for memory {calls} times in the "
        "profile pass, with never more than {peak} in use at a time.",
        _count(telling),
    )
    share, calls = telling.percent("line_percent"), telling.count("memory_calls")
    text = telling.fill(sentence, share=share, functions=_quoted(telling), calls=calls)
    advice = _(
        "If a call with the same argument gives the same result, keep it in a list or a dictionary; or fill a table in "
        "a loop, each value from one that is there already."
    )
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


def say_slow(telling: Telling) -> Said:
    """Tell how often CPython asked for memory for calls, and how many fresh pages that was."""
    if telling.has("line_percent"):
        return _say_descents(telling)
    sentence = ngettext(
        "Your program's recursion is deep: {functions} calls itself, and CPython keeps the calls that have not "
        "returned in pieces of 16 KiB. In the profile pass it asked the kernel for memory {calls} times. On {where}, "
        "{percent} of the CPU time ({system_time} of {cpu_time}) was spent in the kernel, which cleared {faults} fresh "
        "pages of 4 KiB, about {pages} of them for such calls.",
        "Your program's recursion is deep: {functions} call themselves, and CPython keeps the calls that have not "
        "returned in pieces of 16 KiB. In the profile pass it asked the kernel for memory {calls} times. On {where}, "
        "{percent} of the CPU time ({system_time} of {cpu_time}) was spent in the kernel, which cleared {faults} fresh "
        "pages of 4 KiB, about {pages} of them for such calls.",
        _count(telling),
    )
    calls, pages = telling.count("memory_calls"), telling.count("pages_of_calls")
    text = telling.fill(sentence, functions=_quoted(telling), calls=calls, pages=pages)
    advice = _("Use a loop with a list as its stack: it keeps only what each level needs, and makes no call for it.")
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


def find_overflow(facts: Facts) -> Finding | None:
    """Find a first failure whose stack, or what keeps the calls in its place, is full. Raises CountsAwaited."""
    case = facts.first_failure
    if case is None or case.verdict not in (Verdict.RE, Verdict.MLE):
        return None
    error = case.ending.error if case.ending else None
    if error is not None and error.kind is ErrorKind.STACK:
        evidence: dict[str, object] = {"is_said": True}
    elif _is_at_the_end_of_its_stack(facts, case):
        evidence = {"signal": signal.Signals(case.signal or 0).name}
        if facts.language.runtime.stack_bytes:
            evidence["stack_limit_bytes"] = facts.language.runtime.stack_bytes
    elif (
        case.verdict is Verdict.MLE
        and _pieces(facts, case) * facts.language.runtime.frames_bytes > facts.limits.memory_bytes // 2
    ):
        evidence = {"has_many_pieces": True, "memory_calls": _pieces(facts, case)}
    else:
        return None
    if not facts.code.has(Deed.RECURSE):  # the source is parsed only where there are other signs
        return None
    return Finding(
        code="stack-overflow",
        evidence={
            "test_case": case.name,
            **_functions(facts),
            "peak_memory_bytes": case.usage.peak_memory_bytes,
            **evidence,
        },
        lines=lines_of(facts.code.find(Deed.RECURSE)),
    )


def say_overflow(telling: Telling) -> Said:
    """Tell how the run ended, and which functions call themselves."""
    number = _count(telling)
    if telling.has("has_many_pieces"):
        sentence = ngettext(
            "Most of the memory went to a deep recursion: {functions} calls itself, and CPython keeps the calls that "
            "have not returned in pieces of 16 KiB. It asked for memory {calls} times, and {test_case} had used {peak} "
            "when it was stopped.",
            "Most of the memory went to a deep recursion: {functions} call themselves, and CPython keeps the calls "
            "that have not returned in pieces of 16 KiB. It asked for memory {calls} times, and {test_case} had used "
            "{peak} when it was stopped.",
            number,
        )
    elif telling.has("is_said"):
        sentence = ngettext(
            "The recursion is too deep on {test_case}, as the error output says: {functions} calls itself, and each "
            "call that has not returned counts.",
            "The recursion is too deep on {test_case}, as the error output says: {functions} call themselves, and each "
            "call that has not returned counts.",
            number,
        )
    elif telling.has("stack_limit_bytes"):
        sentence = ngettext(
            "The stack is full: {signal} ended {test_case} when the program had used {peak} of memory. The stack of a "
            "Python program has {room}, whatever the memory limit is. {functions} calls itself, and each call that "
            "goes through C code, as through `lru_cache`, keeps a part of the stack until it returns.",
            "The stack is full: {signal} ended {test_case} when the program had used {peak} of memory. The stack of a "
            "Python program has {room}, whatever the memory limit is. {functions} call themselves, and each call that "
            "goes through C code, as through `lru_cache`, keeps a part of the stack until it returns.",
            number,
        )
    else:
        sentence = ngettext(
            "The stack is full: {signal} ended {test_case} when the program had used {peak} of memory. {functions} "
            "calls itself, and each call that has not returned keeps a part of the stack.",
            "The stack is full: {signal} ended {test_case} when the program had used {peak} of memory. {functions} "
            "call themselves, and each call that has not returned keeps a part of the stack.",
            number,
        )
    calls = telling.count("memory_calls") if telling.has("memory_calls") else ""
    room = words.size(telling.value("stack_limit_bytes")) if telling.has("stack_limit_bytes") else ""
    peak = telling.size("peak_memory_bytes")
    text = telling.fill(sentence, functions=_quoted(telling), calls=calls, room=room, peak=peak)
    return Said(text=text, advice=_advice_of_overflow(telling))


def _advice_of_overflow(telling: Telling) -> str:
    if telling.has("stack_limit_bytes"):
        return _(
            "See that the recursion ends for every input. A plain function that keeps its results in a dictionary "
            "takes none of the stack; a thread that is started after `threading.stack_size(...)` has a larger one, "
            "within the memory limit; a loop needs neither."
        )
    return _(
        "See that the recursion ends for every input. If it has to be so deep, use a loop with a stack of its own, "
        "in an array or a list."
    )


def _pieces(facts: Facts, case: CaseJudged) -> int:
    """Return how many pieces of memory hold calls of a deep recursion; 0 if nothing shows any. Raises CountsAwaited."""
    size = facts.language.runtime.frames_bytes
    if not size or case.usage.minor_faults < _MANY_PIECES or not facts.code.has(Deed.RECURSE):
        return 0
    profile = facts.profile(case)
    pieces = profile.syscalls.get("mmap", 0) if profile is not None else 0
    most = max(case.usage.peak_memory_bytes, case.usage.minor_faults * _PAGE_BYTES)
    if pieces < _MANY_PIECES:
        return 0
    if pieces * size > case.usage.peak_memory_bytes or percent(pieces * size, most) < _LEAST_PART:
        return 0
    return pieces


def _is_at_the_end_of_its_stack(facts: Facts, case: CaseJudged) -> bool:
    """Return whether the signal can only be that of a full stack."""
    if case.signal is None or case.signal != facts.language.overflow_signal:
        return False
    room = facts.language.runtime.stack_bytes
    if room:  # less than the memory limit
        return case.verdict is Verdict.RE and case.usage.peak_memory_bytes >= room
    return case.verdict is Verdict.MLE


def _functions(facts: Facts) -> dict[str, object]:
    """Return the functions that call themselves, by name: of several it is not known which one went deep."""
    return {"functions": " ".join(dict.fromkeys(place.name for place in facts.code.find(Deed.RECURSE)))}


def _count(telling: Telling) -> int:
    return len(telling.text("functions").split())


def _quoted(telling: Telling) -> str:
    return ", ".join(f"`{name}`" for name in telling.text("functions").split())


RULES = (
    Rule(
        code="branching-recursion",
        find=find_branching,
        say=say_branching,
        about=About.TIME,
        reason=Reason.STEPS,
        hint=gettext_noop("A recursion computes the same again and again: keep its results."),
    ),
    Rule(
        code="deep-recursion",
        find=find_slow,
        say=say_slow,
        about=About.TIME,
        reason=Reason.MEMORY,
        hint=gettext_noop("A deep recursion costs memory at each level: use a loop with a stack of its own."),
    ),
    Rule(
        code="stack-overflow",
        find=find_overflow,
        say=say_overflow,
        about=About.FAILURE,
        reason=Reason.MEMORY,
        hint=gettext_noop("The recursion is too deep: see that it ends, or use a loop with its own stack."),
    ),
)
