"""Find constructs whose cost grows with what they work on, in a loop: searches, shifts and copies.

`x in a_list`, `pop(0)`, `erase(begin())`, `s = s + x` look like one step and take as many as the list or the text is
long. They are named only by elimination, when all of these are so: the program's own computation made the case slow,
and reading and printing can have taken only little; nothing else in the source repeats inside of what repeats, or
branches by recursion, so that no other part is known to take more than one step for each value; and the case has so
many values that the construct could have taken most of the time.
"""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import OF_LOOKUP, Deed, Place
from judge.grading.words import percent
from problems.translation import gettext as _
from problems.translation import gettext_noop

CALLS_SHARE = 10  # per cent of the CPU time that reads and writes may have cost in the kernel
_HANDLING_SHARE = 30  # and reading and printing in the program itself
_NOTED_TWICE = ("slice", "substr", OF_LOOKUP)  # copies and lookups themselves, noted as loops too
_MOST_NS = {Deed.SEARCH: 100, Deed.SHIFT: 8, Deed.COPY: 8}  # per value gone through: the most that it takes


def find_container(facts: Facts) -> Finding | None:
    """Find a list that is searched, or moved, as a whole in a loop."""
    return _find(facts, (Deed.SEARCH, Deed.SHIFT), (Deed.COPY,), code="costly-container")


def find_copying(facts: Facts) -> Finding | None:
    """Find a text or a list that is copied as a whole in a loop."""
    return _find(facts, (Deed.COPY,), (Deed.SEARCH, Deed.SHIFT), code="copying")


def say_container(telling: Telling) -> Said:
    """Tell of `costly-container`."""
    sentence = _(
        "Your program goes through a list, or moves all that is in it, again and again on {where}: with about {values} "
        "values this can be {steps} steps. It used {cpu_time} of CPU time; reading and printing took little of it, and "
        "nothing else in the source repeats inside a loop."
    )
    advice = _("Use what answers in one step: a set or a map to look up, a queue to take from the front.")
    return _said(telling, sentence, advice)


def say_copying(telling: Telling) -> Said:
    """Tell of `copying`."""
    sentence = _(
        "Your program copies a whole text or list again and again on {where}: with about {values} values this can be "
        "{steps} values copied. It used {cpu_time} of CPU time; reading and printing took little of it, and nothing "
        "else in the source repeats inside a loop."
    )
    advice = _("Append to the end in place, or gather the parts and join them once; pass large values by reference.")
    return _said(telling, sentence, advice)


def _said(telling: Telling, sentence: str, advice: str) -> Said:
    text = telling.fill(sentence, steps=telling.count("most_steps"))
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


def _find(facts: Facts, deeds: tuple[Deed, ...], others: tuple[Deed, ...], *, code: str) -> Finding | None:
    case = facts.slow_case
    if case is None or not may_be_own(facts, case):
        return None
    places = facts.code.find(*deeds, repeated=True)
    if not places or facts.code.has(*others, repeated=True) or has_nested_work(facts, places):
        return None
    case_input = facts.inputs.get(case.name)
    longest = case_input.bytes // max(1, case_input.words) if case_input else 0  # characters in one of few long words
    values = max(facts.pieces(case).values, longest)
    steps = values * values // 2
    most_ns = max(_MOST_NS[place.deed] for place in places)
    if steps * most_ns // 1_000 < case.usage.cpu_time_us or calls_percent(facts, case) > CALLS_SHARE:
        return None
    # What stands beside a print may run only where something is found, so it is left out, unless that is all.
    prints = set(lines_of(facts.code.find(Deed.PRINT)))
    hottest = tuple(place for place in places if place.line not in prints) or places
    return Finding(
        code=code,
        evidence={
            **facts.about(case),
            "values": values,
            "most_steps": steps,
            "cpu_time_us": case.usage.cpu_time_us,
            "weight_percent": 100 - calls_percent(facts, case),
        },
        lines=lines_of(hottest),
    )


def has_nested_work(facts: Facts, but: tuple[Place, ...] = ()) -> bool:
    """Return whether something else repeats inside of what repeats. What a line reads or prints is bounded by the
    input and the output, so it does not count.
    """
    code = facts.code
    bounded, copied = set(lines_of(code.find(Deed.READ, Deed.PRINT))), set(lines_of(but))
    nested = [
        place
        for place in code.find(Deed.LOOP, repeated=True)
        if place.line not in bounded and not (place.line in copied and place.name in _NOTED_TWICE)
    ]
    return bool(nested) or code.has(Deed.BRANCH) or code.has(Deed.THREAD) or code.has(Deed.PROCESS)


def may_be_own(facts: Facts, case: CaseJudged) -> bool:
    """Return whether neither waiting nor reading and printing explain the time. The kernel's work on fresh memory may.

    What calls explain is asked last (`calls_percent`), since it may have to be counted.
    """
    return _idle_percent(case) <= CALLS_SHARE and facts.handling_percent(case) <= _HANDLING_SHARE


def calls_percent(facts: Facts, case: CaseJudged) -> int:
    """Return the share of the time that the case waited, or that the kernel spent on its reads and writes. Raises
    CountsAwaited.
    """
    count = case.io.read_calls + case.io.write_calls
    return max(facts.blamed_percent(case, count, matters_from=CALLS_SHARE + 1), _idle_percent(case))


def _idle_percent(case: CaseJudged) -> int:
    return percent(case.usage.waiting_time_us, max(1, case.usage.wall_time_us))


RULES = (
    Rule(
        code="costly-container",
        find=find_container,
        say=say_container,
        about=About.TIME,
        reason=Reason.STEPS,
        hint=gettext_noop("A list is searched or moved as a whole in a loop: use a set, a map or a queue."),
    ),
    Rule(
        code="copying",
        find=find_copying,
        say=say_copying,
        about=About.TIME,
        reason=Reason.STEPS,
        hint=gettext_noop("A text or a list is copied as a whole in a loop: append in place, or join once."),
    ),
)
