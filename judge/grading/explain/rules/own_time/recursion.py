"""Find a function that calls itself twice in each call and keeps no results, over a tiny input.

Two calls in one expression double the calls with each level, or only divide the work, as in a merge sort. A tiny input
tells the two apart: divided work of some hundred bytes never takes long.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import Deed
from judge.grading.words import percent
from problems.translation import gettext as _
from problems.translation import gettext_noop

_OWN_SHARE = 80  # per cent of the CPU time outside the kernel; a deep stack costs fresh memory
_FEW_BYTES = 512  # of an input
_FEW_WRITES = 1_000


def find(facts: Facts) -> Finding | None:
    """Find a slow case that is tiny, of a program with such a function."""
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


def say(telling: Telling) -> Said:
    """Tell how small the input was, and which function branches."""
    sentence = _(
        "On {where}, whose input is only {size}, your program used {cpu_time} of CPU time. `{function}` calls itself "
        "twice in one expression and keeps no results, so the number of calls can double with each level."
    )
    text = telling.fill(sentence, size=telling.size("input_bytes"))
    advice = _("Keep the result for each argument, and return it when it is asked for again.")
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


RULE = Rule(
    code="branching-recursion",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("A recursion computes the same again and again: keep its results."),
)
