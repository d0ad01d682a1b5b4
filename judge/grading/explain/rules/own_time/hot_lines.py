"""Name the construct at the lines that took the CPU time, by samples of a rerun (line times).

The samples say which lines took how much; the grammar says which construct stands there, and what it does each time. So
the sentence is true of any size. That what it works on is long, and the line does not just run very often, is known in
two ways, both only where the loop around it goes through the input or a list, or counts to a number that is no larger
than the input has values: where no loop stands in another one, the line runs about once for each value, and each time
took far longer than a few steps; and in Python the head of the loop, which runs as often, took far less.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from judge.grading.events import CaseJudged, Finding, LineTimes
from judge.grading.explain.evidence.constructs import CONSTRUCTS, DEAR, ORDER, PASS
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Deed, Place, lines_of
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

MOST = 50  # per cent of the samples, of the lines of one finding: then it is the cause
_NOTABLE = 20  # then it deserves a word
_LEAST_OF_A_LINE = 5  # a line with less is not named
_FEW_SAMPLES = 100
_MANY = 1_000  # values of the input, or characters of a word
_LONG_NS = {True: 1_000, False: 100}  # that a line takes each time: interpreted, and compiled
_TIMES_HEAD = 8  # so much longer than the head of its loop an interpreted line takes whose work grows
_FEW_TIMES_HEAD = 4  # one that takes less than this does little each time
_ALWAYS = re.compile(rb"\bwhile\s*\(?\s*(?:True|true|1)\b|\bloop\b")
_LARGE = re.compile(rb"\*|<<|\d[\d_']{3}|\de\d")  # a number in the source, or a product
_COUNTS = re.compile(rb"\brange\(|\.\.|;|[^<>-][<>]=?[^<>]")
_LENGTH = re.compile(rb"\blen\(|\.(?:len|size|length)\(")


@dataclass(frozen=True, kw_only=True, slots=True)
class _Hot:
    """Lines with constructs of one finding. `construct`: the key of the one at the hottest of them."""

    construct: str
    places: tuple[Place, ...]
    percent: int


def times_of(facts: Facts, case: CaseJudged) -> LineTimes | None:
    """Return the CPU time by line of a case; None if no rerun told it, or too little of it."""
    evidence = facts.reruns.get(case.name)
    times = evidence.line_times if evidence else None
    return times if times and times.samples >= _FEW_SAMPLES else None


def share_of(times: LineTimes, lines: Iterable[int]) -> int:
    """Return the per cent of the samples that these lines have of their own."""
    wanted = set(lines)
    return percent(sum(line.own for line in times.lines if line.line in wanted), times.samples)


def found(facts: Facts, code: str) -> Finding | None:
    """Return the finding of this code if its constructs stand at the lines that took the time."""
    case = facts.slow_case
    times = times_of(facts, case) if case else None
    hot = _hot(facts, times, code) if times else None
    if case is None or times is None or hot is None:
        return None
    is_size_open = code != DEAR and not _is_long(facts, case, times, hot)
    if is_size_open and hot.percent < MOST:
        return None
    return Finding(
        code=code,
        evidence={
            **facts.about(case),
            "construct": hot.construct,
            "line_percent": hot.percent,
            "is_one_line": len(hot.places) == 1,
            "is_size_open": is_size_open,
            "cpu_time_us": case.usage.cpu_time_us,
            "weight_percent": hot.percent,
        },
        lines=tuple(sorted(place.line for place in hot.places)),
    )


def explains_most(facts: Facts) -> bool:
    """Return whether the constructs of one finding stand at the lines that took most of the time."""
    named = (found(facts, code) for code in ORDER)
    return any(finding.evidence["weight_percent"] >= MOST for finding in named if finding)


def say_passes(telling: Telling) -> Said:
    """Tell of `repeated-pass`."""
    return said(telling)


def say_dear(telling: Telling) -> Said:
    """Tell of `dear-steps`."""
    return said(telling)


def said(telling: Telling) -> Said:
    """Tell how much of the time was spent where the construct of a finding stands, and what it does."""
    if telling.language is None:
        raise LookupError("a construct is one of a language")
    construct = CONSTRUCTS[telling.language.id][telling.text("construct")]
    sentence = construct.at_line if telling.has("is_one_line") else construct.at_lines
    text = telling.fill(_(sentence), percent=telling.percent("line_percent"), construct=construct.written)
    text = f"{text} {_(construct.does)}"
    if telling.has("is_size_open"):
        size_open = _("How many there are at that moment is not known: if they are few, the line just runs very often.")
        text = f"{text} {size_open}"
    telling.has("cpu_time_us")  # the summary has it
    return Said(text=text, advice="" if telling.has("is_accepted") else _(construct.advice))


def _hot(facts: Facts, times: LineTimes, code: str) -> _Hot | None:
    """Return the lines with constructs of a finding, if they took a notable part together."""
    constructs = CONSTRUCTS[facts.language.id]
    own = {line.line: line.own for line in times.lines}
    by_line: dict[int, Place] = {}  # of several constructs at a line the dearest
    costly = facts.code.find(Deed.COSTLY, repeated=True)
    for place in sorted(costly, key=lambda place: ORDER.index(constructs[place.name].finding)):
        is_brief = (
            constructs[place.name].finding != DEAR
            and place.head
            and own.get(place.line, 0) < _FEW_TIMES_HEAD * own.get(place.head, 0)
        )
        if percent(own.get(place.line, 0), times.samples) >= _LEAST_OF_A_LINE and not is_brief:
            by_line.setdefault(place.line, place)
    places = tuple(place for place in by_line.values() if constructs[place.name].finding == code)
    hottest = max(places, key=lambda place: own[place.line], default=None)
    share = share_of(times, [place.line for place in places])
    if hottest is None or share < _NOTABLE:
        return None
    return _Hot(construct=hottest.name, places=places, percent=share)


def _is_long(facts: Facts, case: CaseJudged, times: LineTimes, hot: _Hot) -> bool:
    """Return whether what the construct works on is known to be long."""
    shape = facts.inputs.get(case.name)
    values = max(facts.pieces(case).values, shape.bytes // max(1, shape.words) if shape else 0)
    is_interpreted = facts.language.runtime.is_interpreted
    bounded = set(lines_of(facts.code.find(Deed.COSTLY, Deed.READ, Deed.PRINT)))
    hottest = next(place for place in hot.places if place.name == hot.construct)
    if not _is_over_input(facts, case, hottest, values):
        return False
    loops = facts.code.find(Deed.LOOP, repeated=True)
    is_once_for_each = all(place.line in bounded for place in loops) and not facts.code.has(Deed.RECURSE)
    took_us = case.usage.cpu_time_us * hot.percent // 100
    if values >= _MANY and is_once_for_each and took_us * 1_000 // values >= _LONG_NS[is_interpreted]:
        return True
    times_head = _TIMES_HEAD if values >= _MANY else 3 * _TIMES_HEAD
    return (
        is_interpreted
        and hottest.head > 0
        and (share_of(times, [hottest.line]) >= times_head * share_of(times, [hottest.head]))
    )


def _is_over_input(facts: Facts, case: CaseJudged, hottest: Place, values: int) -> bool:
    """Return whether the loop around a line, or each one of the source, runs no oftener than there are values."""
    rows, shape = facts.source.splitlines(), facts.inputs.get(case.name)
    number = max(shape.first, default=shape.largest) if shape else None
    is_known = number is not None and number <= 2 * values
    heads = (hottest.head,) if hottest.head else lines_of(facts.code.find(Deed.LOOP))
    texts = [rows[line - 1] for line in heads if line <= len(rows)]
    if any(_ALWAYS.search(text) or _LARGE.search(text) for text in texts):
        return False
    return all(is_known or _LENGTH.search(text) or not _COUNTS.search(text) for text in texts)


RULES = (
    Rule(
        code=PASS,
        find=lambda facts: found(facts, PASS),
        say=say_passes,
        about=About.TIME,
        reason=Reason.STEPS,
        hint=gettext_noop("All values are gone through, or sorted, again and again: keep the result and change it."),
    ),
    Rule(
        code=DEAR,
        find=lambda facts: found(facts, DEAR),
        say=say_dear,
        about=About.TIME,
        reason=Reason.STEPS,
        hint=gettext_noop("The steps are few enough, but each of them is expensive: look at the line."),
    ),
)
