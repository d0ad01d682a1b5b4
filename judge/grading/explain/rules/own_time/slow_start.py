"""Find programs that take nearly as long over a tiny input: the time goes to their start, not to the case.

It is measured: the smallest case that the program finished took a large part of the time of the slowest. What the
program does there, imports or tables made before anything is read, no number tells.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_TINY_BYTES = 256  # of the small input
_TIMES_LARGER = 10  # the other one
_LONG_US = 100_000
_SHARE = 50  # per cent of the slow case's CPU time
_FINISHED = (Verdict.AC, Verdict.WA)


def find(facts: Facts) -> Finding | None:
    """Find a slow case that came to its end, and a tiny one that took at least half as long."""
    readable = [case for case in facts.cases if case.name in facts.input_bytes and case.verdict in _FINISHED]
    small = min(readable, key=lambda case: facts.input_bytes[case.name], default=None)
    case = facts.slow_case
    if case is None or small is None or small.usage.cpu_time_us < _LONG_US:
        return None
    if case.name == small.name:  # it is even the slowest: by noise
        case = max(facts.cases, key=lambda case: facts.input_bytes.get(case.name, 0))
    if facts.where(case)["is_stopped"]:  # nobody knows how long it would have taken
        return None
    size, few = facts.input_bytes.get(case.name), facts.input_bytes[small.name]
    if size is None or few > _TINY_BYTES or size < _TIMES_LARGER * max(1, few) or small.io.write_calls > 1_000:
        return None
    share = percent(small.usage.cpu_time_us, case.usage.cpu_time_us)
    if share < _SHARE:
        return None
    return Finding(
        code="slow-start",
        evidence={
            **facts.about(case),
            "small_bytes": few,
            "small_time_us": small.usage.cpu_time_us,
            "cpu_time_us": case.usage.cpu_time_us,
            "weight_percent": min(share, 100),
        },
    )


def say(telling: Telling) -> Said:
    """Tell both times."""
    sentence = _(
        "Most of the time does not depend on the input: with an input of {size} your program took {small_time} of CPU "
        "time, and {cpu_time} on {where}."
    )
    text = telling.fill(sentence, size=telling.size("small_bytes"))
    advice = _("Look at what runs before the input is used: imports, and tables made larger than the input needs.")
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


RULE = Rule(
    code="slow-start",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("The time goes to the start, whatever the input: look at imports and tables."),
)
