"""Find constructs in a loop whose cost grows with what they work on (searches, shifts and copies), and costly lookups.

`x in a_list`, `pop(0)`, `erase(begin())`, `s = s + x` look like one step and take as many as the list or the text is
long. Where a rerun sampled the lines, its samples name them (`hot_lines`). Before, they are named only by elimination,
when all of these are so: the program's own computation made the case slow, and reading and printing can have taken only
little; nothing else in the source repeats inside of what repeats, or branches by recursion, so that no other part is
known to take more than one step for each value; and the case has so many values that the construct could have taken
most of the time.

A lookup in a map goes down a tree, or computes a hash; an array only adds. Such maps, with integer keys, are named in
the same way, if nothing in the source sorts, recurses, starts a thread, or uses another container that takes several
steps. And they are bounded on both sides: as many lookups as the case has values could have taken all of the time, each
at its dearest, and at its cheapest still a part of it. Whether an array would do depends on the keys, which no source
tells: so the advice is conditional.
"""

import re

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import hot_lines
from judge.grading.reading.places import OF_LOOKUP, Deed, Place, lines_of
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

CALLS_SHARE = 10  # per cent of the CPU time that reads and writes may have cost in the kernel
_HANDLING_SHARE = 30  # and reading and printing in the program itself
_NOTED_TWICE = ("slice", "substr", OF_LOOKUP)  # copies and lookups themselves, noted as loops too
_MOST_NS = {Deed.SEARCH: 100, Deed.SHIFT: 8, Deed.COPY: 8}  # per value gone through: the most that it takes
_LEAST_SHARE = 1  # per cent of the CPU time that the lookups took even if each was as cheap as in a small map
_MANY = 50_000  # values
_OTHERS = (Deed.SEARCH, Deed.SHIFT, Deed.COPY, Deed.ALLOCATE)
# What takes more than one step without a loop in the source. Also in a comment: then nothing is said.
_DEAR = re.compile(
    rb"sort|gcd|lcm|pow|sqrt|rand|regex|heap|stringstream|multimap|[sS]et\s*<|[sS]et::|priority_queue|BinaryHeap"
)
_OTHER_MAP = re.compile(
    rb"\b(?:unordered_map|map|HashMap|BTreeMap)\s*(?:::)?<"
    rb"(?!\s*(?:const\s+)?(?:std::)?(?:(?:un)?signed|int|long|short|char|size_t|u?int\d+_t|ll|ull|[iu](?:\d+|size))\b)"
    rb"|\w\s*=\s*(?:\w+::)*(?:HashMap|BTreeMap)::\w+\("  # in Rust, of keys that it does not name
)


def find_container(facts: Facts) -> Finding | None:
    """Find a list that is searched, or moved, as a whole in a loop."""
    return _find(facts, (Deed.SEARCH, Deed.SHIFT), (Deed.COPY,), code="costly-container")


def find_copying(facts: Facts) -> Finding | None:
    """Find a text or a list that is copied as a whole in a loop."""
    return _find(facts, (Deed.COPY,), (Deed.SEARCH, Deed.SHIFT), code="copying")


def say_container(telling: Telling) -> Said:
    """Tell of `costly-container`."""
    if telling.has("construct"):
        return hot_lines.said(telling)
    if telling.has("is_text"):
        sentence = _(
            "Your program goes through a list, or moves all that is in it, again and again on {where}: for a word of "
            "{values} characters this can be {steps} steps. It used {cpu_time} of CPU time; reading and printing took "
            "little of it, and nothing else in the source repeats inside a loop."
        )
    else:
        sentence = _(
            "Your program goes through a list, or moves all that is in it, again and again on {where}: with about "
            "{values} values this can be {steps} steps. It used {cpu_time} of CPU time; reading and printing took "
            "little of it, and nothing else in the source repeats inside a loop."
        )
    advice = _("Use what answers in one step: a set or a map to look up, a queue to take from the front.")
    return _said(telling, sentence, advice)


def say_copying(telling: Telling) -> Said:
    """Tell of `copying`."""
    if telling.has("construct"):
        return hot_lines.said(telling)
    if telling.has("is_text"):
        sentence = _(
            "Your program copies a whole text or list again and again on {where}: for a word of {values} characters "
            "this can be {steps} characters copied. It used {cpu_time} of CPU time; reading and printing took little "
            "of it, and nothing else in the source repeats inside a loop."
        )
    else:
        sentence = _(
            "Your program copies a whole text or list again and again on {where}: with about {values} values this can "
            "be {steps} values copied. It used {cpu_time} of CPU time; reading and printing took little of it, and "
            "nothing else in the source repeats inside a loop."
        )
    advice = _("Append to the end in place, or gather the parts and join them once; pass large values by reference.")
    return _said(telling, sentence, advice)


def _said(telling: Telling, sentence: str, advice: str) -> Said:
    text = telling.fill(sentence, steps=telling.count("most_steps"))
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


def _find(facts: Facts, deeds: tuple[Deed, ...], others: tuple[Deed, ...], *, code: str) -> Finding | None:
    if measured := hot_lines.found(facts, code):
        return measured
    case = facts.slow_case
    if case is None or not may_be_own(facts, case):
        return None
    places = facts.code.find(*deeds, repeated=True)
    times = hot_lines.times_of(facts, case)
    if times is not None and hot_lines.share_of(times, lines_of(places)) < hot_lines.MOST:
        return None
    if not places or facts.code.has(*others, repeated=True) or has_nested_work(facts, places):
        return None
    case_input = facts.inputs.get(case.name)
    values, characters = facts.pieces(case).values, case_input.longest if case_input else 0
    is_text = characters > values  # one of few long words
    values = max(values, characters)
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
            "is_text": is_text,
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


def find_map(facts: Facts) -> Finding | None:
    """Find a slow case whose time only lookups in maps with integer keys can explain."""
    case = facts.slow_case
    if case is None or not facts.language.lookups or not may_be_own(facts, case):
        return None
    places = facts.code.find(Deed.LOOKUP, repeated=True)
    if not places or has_nested_work(facts, places):
        return None
    # Anything else in the source may take more than a step for each value.
    if facts.code.has(Deed.RECURSE) or facts.code.has(*_OTHERS, repeated=True):
        return None
    if _DEAR.search(facts.source) or _OTHER_MAP.search(facts.source):
        return None
    values = facts.pieces(case).values
    costs = [facts.language.lookups[place.name] for place in places]
    least_us = values * min(cost.least_ns for cost in costs) // 1_000  # at least one place asks for each value
    most_us = values * sum(cost.most_ns for cost in costs) // 1_000
    cpu_time_us = case.usage.cpu_time_us
    if values < _MANY or most_us < cpu_time_us or percent(least_us, cpu_time_us) < _LEAST_SHARE:
        return None
    of_calls = calls_percent(facts, case)
    if of_calls > CALLS_SHARE:
        return None
    return Finding(
        code="costly-map",
        evidence={
            **facts.about(case),
            "construct": max(places, key=lambda place: facts.language.lookups[place.name].most_ns).name,
            "values": values,
            "most_us": most_us,
            "cpu_time_us": cpu_time_us,
            "weight_percent": 100 - of_calls,
        },
        lines=lines_of(places),
    )


def say_map(telling: Telling) -> Said:
    """Tell how many lookups there can be, what they can take, and that nothing else repeats."""
    sentence = _(
        "Your program looks up integers in a `{construct}` again and again on {where}: for about {values} values this "
        "can take up to {most}. It used {cpu_time} of CPU time; reading and printing took little of it, and nothing "
        "else in the source repeats inside a loop."
    )
    lookups = telling.language.lookups if telling.language else {}
    lookup = lookups.get(telling.text("construct"))
    return Said(
        text=telling.fill(sentence), advice=_(lookup.advice) if lookup and not telling.has("is_accepted") else ""
    )


WHOLE = (
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
RULES = (
    *WHOLE,
    Rule(
        code="costly-map",
        find=find_map,
        say=say_map,
        about=About.TIME,
        reason=Reason.STEPS,
        hint=gettext_noop("A map with integer keys is asked in a loop: an array may do, if the keys are small."),
    ),
)
