"""Tell of a program that needed more memory than the problem allows: how much, and which lines may have kept it."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time import recursions
from judge.grading.reading.places import Deed, lines_of
from judge.grading.verdicts import Verdict
from judge.grading.words import size
from problems.translation import gettext as _, gettext_noop

_MOST_LINES = 8


def find(facts: Facts) -> Finding | None:
    """Find the first case that failed, if it needed too much memory. A full stack has a finding of its own."""
    case = facts.first_failure
    if case is None or case.verdict is not Verdict.MLE or recursions.find_overflow(facts) is not None:
        return None
    tables = facts.code.find(Deed.KEEP, names=("table",))
    too_large = tuple(place for place in tables if int(place.words[0]) > facts.limits.memory_bytes)
    added = facts.code.find(Deed.KEEP, names=("added",), repeated=True)
    kept = too_large + added or facts.code.find(Deed.KEEP)
    return Finding(
        code="memory-limit",
        evidence={
            **facts.where(case),
            "peak_memory_bytes": case.usage.peak_memory_bytes,
            "memory_limit_bytes": facts.limits.memory_bytes,
            "has_lines": bool(kept),
            **({"table_bytes": max(int(place.words[0]) for place in too_large)} if too_large else {}),
            **({"is_added": True} if added else {}),
        },
        lines=lines_of(kept)[:_MOST_LINES],
    )


def say(telling: Telling) -> Said:
    """Tell the peak, the limit, and what the lines do."""
    limit = size(telling.value("memory_limit_bytes"))
    if telling.has("is_stopped"):
        sentence = _("{test_case} needs more memory than the limit of {limit}: it had used {peak} when it was stopped.")
    else:
        sentence = _("{test_case} needs more memory than the limit of {limit}: it used {peak}.")
    text = telling.fill(sentence, limit=limit)
    if telling.has("table_bytes"):
        table = _("The table in the source has {size}; what is used of it counts.")
        text = f"{text} {table.format(size=size(telling.value('table_bytes')))}"
    if telling.has("is_added"):
        text = f"{text} {_('What a loop adds to, and never takes away, stays in memory until the end.')}"
    elif telling.has("has_lines") and not telling.has("table_bytes"):
        text = f"{text} {_('What is made as a whole, a list, a text or all of the input, is in memory at once.')}"
    if telling.language is not None and telling.language.runtime.is_interpreted:
        advice = _(
            "Keep only what is still needed: a running value instead of a list, one line at a time, the output in "
            "portions. A list takes 8 bytes for each value, and most integers take 28 more; `array` takes 1 to 8."
        )
    else:
        advice = _("Keep only what is still needed: a row instead of a table, a running value instead of all of them.")
    return Said(text=text, advice=advice)


RULE = Rule(
    code="memory-limit",
    find=find,
    say=say,
    about=About.FAILURE,
    reason=Reason.MEMORY,
    hint=gettext_noop("It needs more memory than allowed: keep only what is still needed."),
)
