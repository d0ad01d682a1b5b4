"""Find debugging output on stderr: nobody checks it, and each piece is a system call."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import MANY_CALLS, Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import Deed, Stream
from judge.grading.words import percent
from problems.translation import gettext as _
from problems.translation import gettext_noop

_OF_STDERR = 50  # per cent of the writes
_DEEDS = (Deed.PRINT, Deed.WRITE)


def find(facts: Facts) -> Finding | None:
    """Find a case where most of many writes went to stderr and took a large share of the CPU time in the kernel."""
    case = facts.focus
    if case is None or not case.stderr_bytes or case.io.write_calls < MANY_CALLS or not facts.is_slow(case):
        return None
    least = facts.language.costs.call_percent
    if facts.most_blamed_percent(case, case.io.write_calls) < least:
        return None
    calls = facts.calls(case)
    blamed = facts.blamed_percent(case, calls.to_stderr, matters_from=least)
    if blamed < least or percent(calls.to_stderr, calls.writes) < _OF_STDERR:
        return None
    places = facts.code.find(*_DEEDS, streams=(Stream.STDERR,), repeated=True)
    return Finding(
        code="unbuffered-stderr",
        evidence={
            **facts.where(case),
            "stderr_bytes": case.stderr_bytes,
            "write_calls": case.io.write_calls,
            **facts.kernel(case),
            "weight_percent": min(100, blamed * facts.language.costs.call_factor),
        },
        lines=lines_of(places),
    )


def say(telling: Telling) -> Said:
    """Tell how much went to stderr, and what it cost."""
    sentence = _(
        "Your program wrote {stderr} to stderr on {where}, which nobody checks. Most of its {writes} went there; "
        "{percent} of its CPU time ({system_time} of {cpu_time}) was spent in the kernel."
    )
    return Said(text=telling.fill(sentence), advice=_(telling.language.advice.stderr) if telling.language else "")


RULE = Rule(
    code="unbuffered-stderr",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.IO,
    hint=gettext_noop("Take out the debugging prints to stderr: each piece of them is a system call."),
    leaves_time_open=False,
)
