"""Find threads that never run in parallel, or that ask for locks so often that this alone takes much of the CPU time.

Those that never run in parallel pass a lock to and fro, or share Python's one interpreter.
"""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import KERNEL_SHARE, MANY_CALLS, Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Deed, lines_of
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop
from sandbox.types import Profile

_LONG_US = 300_000
_ONE_CORE = 115  # per cent of the time on the clock: two threads at work the whole time come near to 200
_HANDED_OVER = 5_000  # voluntary switches in a second on the clock: a lock that is only asked for has far fewer
# A thread of CPython that waits for the interpreter asks for it every 5 ms: with one waiting, 200 switches in a second.
_INTERPRETER = 50
_MOSTLY_BUSY = 50  # per cent of the time on the clock
_STARTS = ("clone", "clone3")


def find_turns(facts: Facts) -> Finding | None:
    """Find threads that together worked no more than one of them could have."""
    case = max(facts.cases, key=lambda case: case.usage.wall_time_us, default=None)
    if case is None or facts.is_interactive or case.usage.wall_time_us < _LONG_US:
        return None
    usage = case.usage
    busy = percent(usage.cpu_time_us, usage.wall_time_us)
    if busy > _ONE_CORE:
        return None
    switches_per_s = usage.voluntary_switches * 1_000_000 // usage.wall_time_us
    hand_over = switches_per_s >= _HANDED_OVER
    shares_lock = (
        facts.language.advice.interpreter_lock is not None
        and facts.limits.cores > 1
        and switches_per_s >= _INTERPRETER
        and usage.cpu_time_us >= _LONG_US
        and busy > _MOSTLY_BUSY
    )
    if not (hand_over or shares_lock) or not facts.code.has(Deed.THREAD):
        return None
    profile = facts.profile(case)
    if profile is None:
        return None
    started = sum(profile.syscalls.get(name, 0) for name in _STARTS)
    if hand_over and started and profile.syscalls.get("futex", 0) >= _HANDED_OVER:
        return _turns(facts, case, profile, is_why=True)
    if shares_lock and started > 1 and profile.syscalls.get("futex"):
        return _turns(facts, case, profile, is_why=False)
    return None


def _turns(facts: Facts, case: CaseJudged, profile: Profile, *, is_why: bool) -> Finding:
    """Return the finding. `is_why`: the threads waited for each other; otherwise they share the interpreter's lock."""
    usage, syscalls = case.usage, profile.syscalls
    idle_percent = percent(usage.waiting_time_us, usage.wall_time_us - usage.queued_time_us)
    return Finding(
        code="taking-turns",
        evidence={
            "test_case": case.name,
            "wall_time_us": usage.wall_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "voluntary_switches": usage.voluntary_switches,
            "involuntary_switches": usage.involuntary_switches,
            "futex_calls": syscalls["futex"],
            "is_waiting": is_why,
            "has_one_core": facts.limits.cores == 1,
            # The limit counts the CPU time of all threads: turns that cost no switches are not why it was used up.
            "weight_percent": max(facts.kernel_percent(case), idle_percent) if is_why else 0,
        },
        lines=lines_of(facts.code.find(Deed.THREAD)),
    )


def say_turns(telling: Telling) -> Said:
    """Tell how little the threads ran in parallel, and why."""
    sentence = _(
        "The threads of your program ran one after the other on {test_case}: {cpu_time} of CPU time in {wall_time} of "
        "wall time, with {switches} voluntary context switches; the profile pass counted {calls} futex calls."
    )
    calls, switches = telling.count("futex_calls"), telling.count("voluntary_switches")
    text = telling.fill(sentence, calls=calls, switches=switches)
    if not telling.has("is_waiting"):
        lock = telling.language.advice.interpreter_lock if telling.language else None
        return Said(text=f"{text} {_(lock.why)}", advice=_(lock.advice)) if lock else Said(text=text)
    if telling.has("has_one_core"):
        advice = _(
            "Let each thread do more before it hands over, or do the work in one: on this problem's one core no two "
            "threads can run at the same time."
        )
    else:
        advice = _("Let each thread do more before it hands over, or do the work in one.")
    waited = _("Most of the time one of them waited for another.")
    return Said(text=f"{text} {waited}", advice=advice)


def find_storm(facts: Facts) -> Finding | None:
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
    if blamed < KERNEL_SHARE or find_turns(facts) is not None:
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


def say_storm(telling: Telling) -> Said:
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


RULES = (
    Rule(
        code="taking-turns",
        find=find_turns,
        say=say_turns,
        about=About.TIME,
        reason=Reason.WAITING,
        hint=gettext_noop("The threads take turns instead of working side by side."),
        leaves_time_open=False,
    ),
    Rule(
        code="lock-storm",
        find=find_storm,
        say=say_storm,
        about=About.TIME,
        reason=Reason.WAITING,
        hint=gettext_noop("The threads ask for locks all the time: let each work on data of its own."),
    ),
)
