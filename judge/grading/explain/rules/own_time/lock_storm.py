"""Find threads that ask the kernel for locks so often that this alone takes much of the CPU time.

Threads that never run at the same time are for `taking_turns`.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import KERNEL_SHARE, MANY_CALLS, Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import taking_turns
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import Deed
from problems.translation import gettext as _
from problems.translation import gettext_noop

_STARTS = ("clone", "clone3")


def find(facts: Facts) -> Finding | None:
    """Find a slow case whose futex calls took at least a fifth of the CPU time in the kernel."""
    case = facts.slow_case
    if case is None or facts.kernel_percent(case) < KERNEL_SHARE:
        return None
    profile = facts.profile(case) if facts.code.has(Deed.THREAD) else None
    if profile is None:
        return None
    calls = profile.syscalls.get("futex", 0)
    if calls < MANY_CALLS or not any(profile.syscalls.get(name) for name in _STARTS):
        return None
    named = max(1, sum(profile.syscalls.values()))
    blamed = int(facts.kernel_percent(case) * calls / (named + 2 * case.usage.minor_faults))
    if blamed < KERNEL_SHARE or taking_turns.find(facts) is not None:
        return None
    return Finding(
        code="lock-storm",
        evidence={
            "test_case": case.name,
            "futex_calls": calls,
            "voluntary_switches": case.usage.voluntary_switches,
            **facts.kernel(case),
            "weight_percent": blamed,
            **({"is_accepted": True} if "is_accepted" in facts.about(case) else {}),
        },
        lines=lines_of(facts.code.find(Deed.THREAD)),
    )


def say(telling: Telling) -> Said:
    """Tell how many calls there were, and what the kernel took for them."""
    sentence = _(
        "The threads of your program asked the kernel about locks again and again on {test_case}: {calls} futex calls "
        "in the profile pass, {switches} voluntary context switches; {percent} of the CPU time ({system_time} of "
        "{cpu_time}) was spent in the kernel."
    )
    calls, switches = telling.count("futex_calls"), telling.count("voluntary_switches")
    text = telling.fill(sentence, calls=calls, switches=switches)
    advice = _("Let each thread work on data of its own, and take the lock once for many steps.")
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


RULE = Rule(
    code="lock-storm",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.WAITING,
    hint=gettext_noop("The threads ask for locks all the time: let each work on data of its own."),
)
