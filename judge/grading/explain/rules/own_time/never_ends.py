"""Tell of programs that never end, as a rerun proved: their whole state repeated (`judge.grading.reruns.endless`)."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop, ngettext

_STOPPED = (Verdict.TLE, Verdict.OLE)


def find(facts: Facts) -> Finding | None:
    """Find a case that was stopped and would have gone on for ever."""
    for case in facts.cases:
        rerun = facts.reruns.get(case.name)
        states = rerun.states if rerun is not None and case.verdict in _STOPPED else None
        if states is not None:
            return Finding(
                code="never-ends",
                evidence={
                    "test_case": case.name,
                    "visits": states.visits,
                    "reads_nothing": bool(states.reads),
                    "prints_same": bool(states.writes),
                },
                lines=(states.line,) if states.line else (),
            )
    return None


def say(telling: Telling) -> Said:
    """Tell what was seen, and what to look at."""
    if telling.lines:
        sentence = _(
            "Your program never ends on {test_case}: at two visits to the line below, {visits} apart, its whole state "
            "was the same, all variables included. From there on everything repeats."
        )
    else:
        sentence = _(
            "Your program never ends on {test_case}: while it ran, its whole state was the same as before, all "
            "variables included, and from there on everything repeats."
        )
    visits = ngettext("{count} visit", "{count} visits", telling.value("visits"))
    parts = [telling.fill(sentence, visits=visits.format(count=telling.count("visits")))]
    if telling.has("reads_nothing"):
        parts.append(_("In between it asks for more input, and there is none."))
    if telling.has("prints_same"):
        parts.append(_("In between it prints the same output again."))
    advice = _("Look for what should end this loop: from one turn to the next nothing changes that could end it.")
    return Said(text=" ".join(parts), advice=advice)


RULE = Rule(
    code="never-ends",
    find=find,
    say=say,
    about=About.ALL,
    reason=Reason.STEPS,
    hint=gettext_noop("The program never ends: its whole state repeats, so nothing can end its loop."),
)
