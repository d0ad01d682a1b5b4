"""Whether a case was too slow by its own computing, as rules ask that blame its steps."""

from judge.grading.events import CaseJudged
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.rules.own_time import backtracking, collisions, growing_work, hot_lines
from judge.grading.verdicts import Verdict
from judge.grading.words import percent

_OWN_SHARE = 75  # per cent of the CPU time outside the kernel
_CALLS_SHARE = 10  # and at most this much for reads and writes in it; the rest of its part is for fresh memory, mostly
# Turning bytes into values and back is CPU time of the program: with much of it, faster reading or printing may well be
# what helps.
_HANDLING_SHARE = 30


def stopped_by_computing(facts: Facts) -> CaseJudged | None:
    """Return the case that ran out of CPU time, if the kernel, reading and printing can have taken only little of it.

    Raises CountsAwaited.
    """
    case = facts.focus
    if case is None or case.verdict is not Verdict.TLE or case.usage.cpu_time_us <= facts.limit_us:
        return None
    if percent(case.usage.user_time_us, case.usage.cpu_time_us) < _OWN_SHARE:
        return None
    if facts.handling_percent(case) > _HANDLING_SHARE:
        return None
    calls = case.io.read_calls + case.io.write_calls
    if facts.blamed_percent(case, calls, matters_from=_CALLS_SHARE + 1) > _CALLS_SHARE:
        return None
    return case


def is_named(facts: Facts) -> bool:
    """Return whether a construct explains most of the time: then advice about the number of steps would mislead."""
    rules = (*growing_work.WHOLE, *hot_lines.RULES, collisions.RULE, backtracking.RULE)
    named = (rule.find(facts) for rule in rules if rule.find)
    return any(finding.evidence["weight_percent"] >= hot_lines.MOST for finding in named if finding)
