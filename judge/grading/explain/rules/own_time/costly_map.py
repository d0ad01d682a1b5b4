"""Find maps whose keys are integers, asked again and again where an array might do.

A lookup goes down a tree, or computes a hash; an array only adds. Maps are named by elimination, as lists are in
`growing_work`: reading, printing and system calls took little, nothing else in the source repeats inside of what
repeats, and nothing in it sorts, recurses, starts a thread, or uses another container that takes several steps. And
they are bounded on both sides: as many lookups as the case has values could have taken all of the time, each at its
dearest, and at its cheapest still a part of it. Whether an array would do depends on the keys, which no source tells:
so the advice is conditional.
"""

import re

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time.growing_work import CALLS_SHARE, calls_percent, has_nested_work, may_be_own
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import Deed
from judge.grading.words import percent
from problems.translation import gettext as _
from problems.translation import gettext_noop

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


def find(facts: Facts) -> Finding | None:
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


def say(telling: Telling) -> Said:
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


RULE = Rule(
    code="costly-map",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("A map with integer keys is asked in a loop: an array may do, if the keys are small."),
)
