"""Find regular expressions whose matcher may have tried very many ways to read one text.

A matcher that backtracks tries, where nothing fits, each way in which a repeated group can divide what it repeats. Only
the pattern tells that it can; the run tells that the program computed, and its samples by line that it was there, or
without them its source that nothing else repeats much.
So the sentence says what can be.
"""

import re

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import hot_lines
from judge.grading.explain.rules.own_time.growing_work import CALLS_SHARE, calls_percent, has_nested_work, may_be_own
from judge.grading.reading.places import Deed, lines_of
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_OWN_SHARE = 80  # per cent of the CPU time outside the kernel
_NS_PER_BYTE = 1_000  # the most that a pattern takes for a byte which it reads once
_PART = 20  # per cent of the CPU time that reading each byte once can have taken
_MATCHES = re.compile(
    rb"\b(?:(?:full)?match|search|findall|finditer|sub|split|regex_(?:match|search|replace)|s?regex_iterator)\s*\("
)


def find(facts: Facts) -> Finding | None:
    """Find a slow case of a program with such a pattern, in which nothing else can have taken the time."""
    case = facts.slow_case
    places = facts.code.find(Deed.AMBIGUOUS)
    if case is None or not places or not may_be_own(facts, case) or has_nested_work(facts):
        return None
    if facts.code.has(Deed.RECURSE, Deed.OPEN) or facts.code.has(Deed.SEARCH, Deed.SHIFT, Deed.COPY, repeated=True):
        return None
    if not _is_at_matcher(facts, case):
        return None
    usage = case.usage
    once_us = facts.input_bytes.get(case.name, 0) * _NS_PER_BYTE // 1_000
    share = percent(usage.user_time_us, usage.cpu_time_us)
    if share < _OWN_SHARE or percent(once_us, usage.cpu_time_us) > _PART or calls_percent(facts, case) > CALLS_SHARE:
        return None
    return Finding(
        code="backtracking",
        evidence={**facts.about(case), "cpu_time_us": usage.cpu_time_us, "weight_percent": share},
        lines=lines_of(places),
    )


def _is_at_matcher(facts: Facts, case: CaseJudged) -> bool:
    """Return whether the samples are at lines that match; without samples, whether no other line has a loop.

    A loop that reads in its own line is bounded by the input, unless it counts to a number that was read.
    """
    code, rows = facts.code, facts.source.splitlines()
    matching = {number for number, row in enumerate(rows, 1) if _MATCHES.search(row)}
    matching |= set(lines_of(code.find(Deed.AMBIGUOUS)))
    times = hot_lines.times_of(facts, case)
    if times is not None:
        return hot_lines.share_of(times, matching) >= hot_lines.MOST
    bounded = matching | set(lines_of(code.find(Deed.READ)))
    loops = code.find(Deed.LOOP)
    return all(place.line in bounded and not place.name.startswith("for_") for place in loops)


def say(telling: Telling) -> Said:
    """Tell what is repeated in what, and how many ways that can be."""
    sentence = _(
        "The regular expression at the line below repeats a group that repeats itself, as `(a+)*` does. Where a text "
        "does not fit, the ways to divide it are tried one after the other, and each further character can double "
        "them. On {where} your program used {cpu_time} of CPU time; reading each byte once takes little of it, and "
        "nothing else in the source repeats inside a loop."
    )
    advice = _("Write the pattern so that each text can be read in one way only: `a*` in the place of `(a+)*`.")
    return Said(text=telling.fill(sentence), advice="" if telling.has("is_accepted") else advice)


RULE = Rule(
    code="backtracking",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.STEPS,
    hint=gettext_noop("A regular expression repeats a group that repeats itself: write it so that it backtracks less."),
)
