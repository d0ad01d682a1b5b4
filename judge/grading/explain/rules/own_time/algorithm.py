"""Find programs whose own computation is too slow: neither system calls nor input and output are the reason."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules import failures
from judge.grading.explain.rules.own_time import growing_time, may_never_end
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_OWN_SHARE = 75  # per cent of the CPU time outside the kernel
_CALLS_SHARE = 10  # and at most this much for reads and writes in it; the rest of its part is for fresh memory, mostly
# Turning bytes into values and back is CPU time of the program: with much of it, faster reading or printing may well be
# what helps.
_HANDLING_SHARE = 30
_STEEP = 150  # hundredths: the power of the input's size from which on the growth is worth naming


def find(facts: Facts) -> Finding | None:
    """Find a case that ran out of CPU time, of which the kernel, reading and printing can have taken only little.

    A program that may never end needs no better algorithm, and one whose effect is undefined may do anything: they are
    told that instead.
    """
    case = facts.focus
    if case is None or case.verdict is not Verdict.TLE:
        return None
    usage, io = case.usage, case.io
    share = percent(usage.user_time_us, usage.cpu_time_us)
    if usage.cpu_time_us <= facts.limits.time_limit_ms * 1_000 or share < _OWN_SHARE:
        return None
    if facts.handling_percent(case) > _HANDLING_SHARE:
        return None
    if failures.find_warning(facts) is not None or may_never_end.find(facts) is not None:
        return None
    if facts.blamed_percent(case, io.read_calls + io.write_calls, matters_from=_CALLS_SHARE + 1) > _CALLS_SHARE:
        return None
    growth = growing_time.fitted(facts)
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
            **({"power_percent": round(100 * growth[1].exponent)} if growth else {}),
        },
    )


def say(telling: Telling) -> Said:
    """Tell how much of the time was the program's own."""
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


RULE = Rule(
    code="algorithm",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("Fewer steps are needed, not faster output: think about the algorithm."),
)
