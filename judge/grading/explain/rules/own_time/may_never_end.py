"""Find programs that may never end: a loop that nothing in it can end, or far too long over a tiny input.

Nobody can tell of a program that it will not end, so the sentence says "may", and only where all of these are so: the
run used up its CPU time in the program itself, wrote nothing, read at most a little, and has no other thread that could
end the loop. Then either the text of a loop shows nothing that could end it; or the input is so small, in bytes and in
its numbers, that hardly any algorithm takes long over it, a loop with a condition that is not known to end is there,
and neither recursion nor anything that makes many steps of a small number. Or a loop has a known mistake (`Stuck`).
"""

import re

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.quiet import is_silent
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.evidence.shapes import Shape
from judge.grading.explain.rules.own_time import failed_reads
from judge.grading.reading.places import Deed, Place, Stuck, lines_of
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop, ngettext

_FEW_BYTES = 512  # of an input
_SMALL_NUMBER = 1_000
_SMALLER_NUMBER = 100  # where a loop stands in a loop
# What makes many steps of a small number: powers, subsets, orders, a large number in the source itself.
_MANY_STEPS = re.compile(rb"\b1\w*\s*<<|\*\*|permut|combination|product|\bpow\b|\b\d[\d_']{4,}|\b\d+e\d")
_LARGE_SQUARE = 46_340**2  # the next square does not fit into 32 bits
_MISTAKES = {
    Stuck.UNSIGNED: gettext_noop(
        "The condition at the line below is always true: an unsigned number is never less than 0. After 0 comes the "
        "largest one."
    ),
    Stuck.SEARCH: gettext_noop(
        "The binary search can stand still at the line below: the middle, rounded down, can equal the end that is "
        "set to it, and then nothing changes any more."
    ),
    Stuck.COUNTER: gettext_noop("In each turn, the line below sets the counter of the loop around it back."),
    Stuck.DIRECTION: gettext_noop("The line below counts away from the bound that the loop's condition compares with."),
    Stuck.SQUARE: gettext_noop(
        "The product in the condition at the line below does not fit into 32 bits once the number is above 46,340, and "
        "the input has a number of 2,147,395,600 or more: if the condition compares with it, it may never become false."
    ),
    Stuck.FRACTION: gettext_noop(
        "The condition at the line below waits until a sum of fractions equals a number exactly. Fractions such as 0.1 "
        "are rounded in binary, so that the sum can miss it and go on."
    ),
    Stuck.NOTHING: gettext_noop("The line below changes by nothing what the loop's condition compares."),
}
_UNTIL = ("while_statement", "do_statement", "while_expression", "loop_expression")


def find(facts: Facts) -> Finding | None:
    """Find a case that ran out of CPU time in silence, with a loop that may be why."""
    case = facts.focus
    if case is None or failed_reads.find(facts) is not None or not is_silent(facts, case):
        return None
    if facts.code.has(Deed.THREAD, Deed.PROCESS):
        return None
    endless = facts.code.find(Deed.ENDLESS)
    case_input = facts.inputs.get(case.name)
    kind, stuck = ("", ()) if endless else _stuck(facts, case_input)
    if not endless and not stuck:  # only over a tiny input
        if case_input is None or case_input.largest is None or case_input.bytes > _FEW_BYTES:
            return None
        if case_input.largest > (_SMALLER_NUMBER if facts.code.has(Deed.LOOP, repeated=True) else _SMALL_NUMBER):
            return None
        if facts.code.has(Deed.RECURSE) or _MANY_STEPS.search(facts.source):
            return None
    places = endless or stuck or facts.code.find(Deed.OPEN, names=_UNTIL)
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
            **({"kind": kind} if kind else {}),
            **({"input_bytes": case_input.bytes} if case_input and not endless and not kind else {}),
            "weight_percent": percent(case.usage.user_time_us, case.usage.cpu_time_us),
        },
        lines=lines_of(places),
    )


def _stuck(facts: Facts, case_input: Shape | None) -> tuple[str, tuple[Place, ...]]:
    """Return the first kind of mistake, and its places."""
    largest = case_input.largest if case_input and case_input.largest is not None else 0
    for kind in Stuck:
        places = facts.code.find(Deed.STUCK, names=(kind.value,))
        if places and (kind is not Stuck.SQUARE or largest >= _LARGE_SQUARE):
            return kind.value, places
    return "", ()


def say(telling: Telling) -> Said:
    """Tell that nothing came of the whole run, and which loops to look at."""
    if telling.has("is_endless"):
        reason = ngettext(
            "Nothing inside the loop at the line below changes what its condition depends on, or leaves the loop.",
            "Nothing inside the loops at the lines below changes what their conditions depend on, or leaves the loops.",
            telling.value("loops"),
        )
    elif "kind" in telling.evidence:
        reason = _(_MISTAKES[Stuck(telling.text("kind"))])
    else:
        reason = _("The input is tiny ({size}), and the numbers in it are small.")
        reason = telling.fill(reason, size=telling.size("input_bytes"))
    text = _(
        "Your program may never end: on {test_case} it computed for {user_time} until it was stopped, and wrote "
        "nothing."
    )
    advice = _("Check that each step brings the loop nearer to its end; try the smallest input by hand.")
    return Said(text=f"{telling.fill(text)} {reason}", advice=advice)


RULE = Rule(
    code="may-never-end",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("The program may never end: look at what should end its loops."),
)
