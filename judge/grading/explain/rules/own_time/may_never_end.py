"""Find programs that may never end: a loop that nothing in it can end, or far too long over a tiny input.

Nobody can tell of a program that it will not end, so the sentence says "may", and only where all of these are so: the
run used up its CPU time in the program itself, wrote nothing, read at most a little, and has no other thread that could
end the loop. Then either the text of a loop shows nothing that could end it; or the input is so small, in bytes and in
its numbers, that hardly any algorithm takes long over it, a loop with a condition is there, and neither recursion nor
anything that makes many steps of a small number.
"""

import re

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Deed, lines_of
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop, ngettext

_OWN_SHARE = 90  # per cent of the CPU time outside the kernel
_HANDLING_SHARE = 5  # per cent that reading can have taken at most
_FEW_BYTES = 512  # of an input
_SMALL_NUMBER = 1_000
_SMALLER_NUMBER = 100  # where a loop stands in a loop
# What makes many steps of a small number: powers, subsets, orders, a large number in the source itself.
_MANY_STEPS = re.compile(rb"\b1\w*\s*<<|\*\*|permut|combination|product|\bpow\b|\b\d[\d_']{4,}|\b\d+e\d")
_LONG_US = 100_000
_UNTIL = ("while_statement", "do_statement", "while_expression", "loop_expression")


def find(facts: Facts) -> Finding | None:
    """Find a case that ran out of CPU time in silence, with a loop that may be why."""
    case = facts.focus
    if case is None or not _is_silent(facts, case) or facts.code.has(Deed.THREAD) or facts.code.has(Deed.PROCESS):
        return None
    endless = facts.code.find(Deed.ENDLESS)
    case_input = facts.inputs.get(case.name)
    if not endless:  # only over a tiny input
        if case_input is None or case_input.largest is None or case_input.bytes > _FEW_BYTES:
            return None
        if case_input.largest > (_SMALLER_NUMBER if facts.code.has(Deed.LOOP, repeated=True) else _SMALL_NUMBER):
            return None
        if facts.code.has(Deed.RECURSE) or _MANY_STEPS.search(facts.source):
            return None
    places = endless or facts.code.find(Deed.LOOP, names=_UNTIL)
    if not places:
        return None
    return Finding(
        code="may-never-end",
        evidence={
            "test_case": case.name,
            "user_time_us": case.usage.user_time_us,
            "cpu_time_us": case.usage.cpu_time_us,
            "read_calls": case.io.read_calls,
            "is_endless": bool(endless),
            "loops": len(lines_of(places)),
            **({"input_bytes": case_input.bytes} if case_input and not endless else {}),
            "weight_percent": percent(case.usage.user_time_us, case.usage.cpu_time_us),
        },
        lines=lines_of(places),
    )


def say(telling: Telling) -> Said:
    """Tell that nothing came of the whole run, and which loops to look at."""
    if telling.has("is_endless"):
        reason = ngettext(
            "Nothing inside the loop at the line below changes what its condition depends on, or leaves the loop.",
            "Nothing inside the loops at the lines below changes what their conditions depend on, or leaves the loops.",
            telling.value("loops"),
        )
    else:
        reason = _("The input is tiny ({size}), and the numbers in it are small.")
        reason = telling.fill(reason, size=telling.size("input_bytes"))
    text = _(
        "Your program may never end: on {test_case} it computed for {user_time} until it was stopped, and wrote "
        "nothing."
    )
    advice = _("Check that each step brings the loop nearer to its end; try the smallest input by hand.")
    return Said(text=f"{telling.fill(text)} {reason}", advice=advice)


def _is_silent(facts: Facts, case: CaseJudged) -> bool:
    usage = case.usage
    if facts.is_interactive or case.passes > 1 or case.verdict is not Verdict.TLE:
        return False
    if case.stdout_bytes or case.stderr_bytes or case.io.write_calls or usage.cpu_time_us < _LONG_US:
        return False
    is_own = percent(usage.user_time_us, usage.cpu_time_us) >= _OWN_SHARE
    is_over = usage.cpu_time_us > facts.limit_us
    case_input = facts.inputs.get(case.name)
    read_bytes = min(case.io.read_bytes, case_input.bytes) if case_input else case.io.read_bytes
    handled_us = read_bytes * facts.language.costs.handling_ns_per_byte // 1_000
    return is_own and is_over and percent(handled_us, usage.cpu_time_us) <= _HANDLING_SHARE


RULE = Rule(
    code="may-never-end",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("The program may never end: look at what should end its loops."),
)
