"""Find programs whose own computation is too slow: neither system calls nor input and output are the reason.

Fewer steps help a program that comes to an end. So they are the advice only where it is known to make progress: by its
loops, which all end as their text shows; by other cases, whose time grows with the input; by counted steps. Otherwise
the sentence says where the time went, and that nobody knows whether the program would have ended.
"""

from itertools import pairwise

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules import failures
from judge.grading.explain.rules.own_time import (
    backtracking,
    computing,
    counted_work,
    failed_reads,
    growing_time,
    may_never_end,
)
from judge.grading.reading.places import Deed
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_LONG_US = 50_000  # of a case that ended: the start of a program takes less
_TIMES = 2  # so many times the bytes and the time of another case show that a case was computed step by step
_STEEP = 150  # hundredths: the power of the input's size from which on the growth is worth naming


def find(facts: Facts) -> Finding | None:
    """Find a case that ran out of CPU time, of which the kernel, reading and printing can have taken only little.

    A program that may never end needs no better algorithm, and one whose effect is undefined may do anything: they are
    told that instead; likewise one whose counted lines tell more, or whose time a construct explains.
    """
    others = (failures.find_warning, may_never_end.find, failed_reads.find, counted_work.find, backtracking.find)
    if any(rule(facts) is not None for rule in others) or computing.is_named(facts):
        return None
    case = computing.stopped_by_computing(facts)
    if case is None:
        return None
    usage, io = case.usage, case.io
    share = percent(usage.user_time_us, usage.cpu_time_us)
    growth = growing_time.fitted(facts)
    shares_lock = facts.language.advice.interpreter_lock is not None and facts.code.has(Deed.THREAD)
    return Finding(
        code="algorithm",
        evidence={
            "test_case": case.name,
            "user_time_us": usage.user_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "own_percent": share,
            "read_calls": io.read_calls,
            "write_calls": io.write_calls,
            "weight_percent": share,
            "is_progressing": growth is not None or makes_progress(facts, case),
            **({"power_percent": round(100 * growth[1].exponent)} if growth else {}),
            **({"shares_lock": True} if shares_lock else {}),
        },
    )


def makes_progress(facts: Facts, case: CaseJudged) -> bool:
    """Return whether a run that was stopped is known to have come nearer to its end.

    A recursion that does not end fills its stack, unless the compiler makes a loop of it: so it does of a last call.
    """
    code = facts.code
    recurses = not facts.language.advice.interpreter_lock and code.has(Deed.RECURSE) and not code.has(Deed.BRANCH)
    if code.places and not code.has(Deed.OPEN, Deed.ENDLESS) and not recurses:
        return True
    sizes = facts.input_bytes
    ended = [other for other in facts.cases if other.exit_code == 0 and other.name in sizes]
    ended.sort(key=lambda other: sizes[other.name])
    return any(
        larger.usage.cpu_time_us >= max(_LONG_US, _TIMES * smaller.usage.cpu_time_us)
        and sizes.get(case.name, 0) >= sizes[larger.name] >= _TIMES * sizes[smaller.name]
        for smaller, larger in pairwise(ended)
    )


def say(telling: Telling) -> Said:
    """Tell how much of the time was the program's own."""
    said = _say_steps(telling) if telling.has("is_progressing") else _say_open(telling)
    if not telling.has("shares_lock"):
        return said
    threads = _(
        "Threads do not help here: only the one that holds Python's interpreter lock runs, and the time limit counts "
        "the CPU time of all of them."
    )
    return Said(text=f"{said.text} {threads}", advice=said.advice)


def _say_steps(telling: Telling) -> Said:
    if telling.duration("user_time_us") == telling.duration("cpu_time_us"):
        sentence = _(
            "Your program's own computation made {test_case} too slow, not its input or output: nearly all of the CPU "
            "time ({cpu_time}) was spent in your program itself and its libraries, with {reads} and {writes}."
        )
    else:
        sentence = _(
            "Your program's own computation made {test_case} too slow, not its input or output: {percent} of the CPU "
            "time ({user_time} of {cpu_time}) was spent in your program itself and its libraries, with {reads} and "
            "{writes}."
        )
    text = telling.fill(sentence, percent=telling.percent("own_percent"))
    if telling.has("power_percent") and telling.value("power_percent") >= _STEEP:
        advice = _(
            "Its time grows much faster than the input: use an algorithm whose number of steps grows with the input's "
            "size, or little more. Faster input or output will not help."
        )
    else:
        advice = _("Use an algorithm with fewer steps; faster input or output will not help.")
    return Said(text=text, advice=advice)


def _say_open(telling: Telling) -> Said:
    sentence = _(
        "On {test_case}, {percent} of the CPU time ({user_time} of {cpu_time}) was spent in your program itself and "
        "its libraries, not on input or output, with {reads} and {writes}. Whether it would have come to an end, these "
        "numbers do not tell."
    )
    advice = _(
        "Check first that every loop ends: try a tiny input by hand. If they all do, use an algorithm with fewer "
        "steps; faster input or output will not help."
    )
    return Said(text=telling.fill(sentence, percent=telling.percent("own_percent")), advice=advice)


RULE = Rule(
    code="algorithm",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop(
        "The time is its own computing, not output: look at its loops, whether they end and how often they run."
    ),
)
