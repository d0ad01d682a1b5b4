"""Find keys that collide in a hash table: as many values as in another case, and each look takes many times as long.

A look takes about the same time whatever the keys are, unless many of them share a place of the table. So the lines
with looks have to be those that took the time, to run about once for each value, and to take microseconds each time,
while another case with as many values was finished in a small part of the time.
"""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import hot_lines
from judge.grading.reading.places import OF_LOOKUP, Deed, Place, lines_of
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop

_MANY = 5_000  # values
_SAME_PERCENT = 10  # that the number of values and of bytes may differ by, besides the longer keys
_LONG_KEY_BYTES = 40  # that a hash of it takes next to nothing
_LONG_NS = 3_000  # of a look: hundreds of places were tried
_TIMES = 8  # the CPU time of the other case


def find(facts: Facts) -> Finding | None:
    """Find a slow case whose looks into a hash table took far longer than those of another one."""
    case = facts.slow_case
    times = hot_lines.times_of(facts, case) if case else None
    if case is None or times is None or facts.code.has(Deed.RECURSE):
        return None
    places = facts.code.find(Deed.HASH, repeated=True)
    share = hot_lines.share_of(times, lines_of(places))
    values = facts.pieces(case).values
    took_ns = case.usage.cpu_time_us * share * 10
    if share < hot_lines.MOST or values < _MANY or took_ns // values < _LONG_NS:
        return None
    if _has_other_work(facts, places):
        return None
    other = _alike(facts, case, values)
    if other is None:
        return None
    own = {line.line: line.own for line in times.lines}
    hottest = max(own.get(place.line, 0) for place in places)
    return Finding(
        code="colliding-keys",
        evidence={
            **facts.about(case),
            "line_percent": share,
            "values": values,
            "lines_time_us": case.usage.cpu_time_us * share // 100,
            "other_time_us": other.usage.cpu_time_us,
            "weight_percent": share,
        },
        lines=lines_of(tuple(place for place in places if 5 * own.get(place.line, 0) >= hottest)),
    )


def _has_other_work(facts: Facts, places: tuple[Place, ...]) -> bool:
    """Return whether something else goes through many values again and again, at the lines of the looks or beside."""
    code, lines = facts.code, set(lines_of(places))
    if any(place.line in lines for place in code.find(Deed.COSTLY, Deed.COPY, Deed.SEARCH, Deed.SHIFT)):
        return True
    bounded = set(lines_of(code.find(Deed.READ, Deed.PRINT)))
    loops = (place for place in code.find(Deed.LOOP, repeated=True) if place.line not in bounded)
    return any(place.name != OF_LOOKUP or place.line not in lines for place in loops)


def _alike(facts: Facts, case: CaseJudged, values: int) -> CaseJudged | None:
    """Return the quickest finished case with about as many values, if it took a small part of the time.

    Beside a sample, whose numbers everybody sees, it is a sample too.
    """
    shape = facts.inputs.get(case.name)
    if shape is None or shape.bytes > _LONG_KEY_BYTES * values:
        return None
    alike = [
        other
        for other in facts.cases
        if other.verdict is Verdict.AC
        and (other.is_sample or not case.is_sample)
        and other.name in facts.inputs
        and 100 * abs(facts.inputs[other.name].words - shape.words) <= _SAME_PERCENT * shape.words
    ]
    other = min(alike, key=lambda other: other.usage.cpu_time_us, default=None)
    return other if other and other.usage.cpu_time_us * _TIMES <= case.usage.cpu_time_us else None


def say(telling: Telling) -> Said:
    """Tell both times, and the share of the lines."""
    sentence = _(
        "Keys may collide: {share} of the CPU time on {where} was spent at lines that look into a hash table. For "
        "about {values} values they took {lines_time}; in another test case with about as many values, the whole "
        "program took {other_time}. If many of these keys share a place in the table, each look goes through the "
        "others."
    )
    text = telling.fill(sentence, share=telling.percent("line_percent"))
    if telling.language is not None and telling.language.runtime.frames_bytes:
        advice = _("Sort the keys, or use them as texts (`str(key)`), whose hashes differ in each run.")
    else:
        advice = _(
            "Use a `map` or sort the keys; or give the table a hash of your own that mixes in a number that differs in "
            "each run."
        )
    return Said(text=text, advice="" if telling.has("is_accepted") else advice)


RULE = Rule(
    code="colliding-keys",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("Keys may collide in a hash table: sort them, or mix a secret number into the hash."),
)
