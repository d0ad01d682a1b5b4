"""Find output that is written in tiny pieces: `endl`, `flush=True`, Rust's line-buffered stdout."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import MANY_CALLS, Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.flush_advice import advise, what_to_do
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import Deed
from judge.grading.words import percent
from problems.translation import gettext as _
from problems.translation import gettext_noop

_SMALL_WRITE_BYTES = 256
_OF_STDOUT = 80  # per cent of the writes that must have gone to stdout


def find(facts: Facts) -> Finding | None:
    """Find a case where many small writes to stdout took a large share of the CPU time in the kernel."""
    case = facts.focus
    # A conversation needs its flushes.
    if facts.is_interactive or case is None or case.io.write_calls < MANY_CALLS or not facts.is_slow(case):
        return None
    mean, least = case.io.write_bytes / case.io.write_calls, facts.language.costs.call_percent
    if mean > _SMALL_WRITE_BYTES or facts.most_blamed_percent(case, case.io.write_calls) < least:
        return None
    calls = facts.calls(case)
    blamed = facts.blamed_percent(case, calls.to_stdout, matters_from=least)
    if blamed < least or percent(calls.to_stdout, calls.writes) < _OF_STDOUT:
        return None
    advised = advise(facts.code, facts.language)
    writes_again = facts.code.has(Deed.PRINT, Deed.WRITE, Deed.FLUSH, repeated=True)  # also in a recursion
    return Finding(
        code="flush-per-line",
        evidence={
            **facts.where(case),
            "write_calls": case.io.write_calls,
            "bytes_per_write": round(mean, 1),
            **facts.kernel(case),
            "weight_percent": min(100, blamed * facts.language.costs.call_factor),
            **({"construct": advised.construct} if advised else {"is_in_no_loop": not writes_again}),
        },
        lines=lines_of(advised.places) if advised else (),
    )


def say(telling: Telling) -> Said:
    """Tell how many writes there were, and what they cost."""
    sentence = _(
        "Your program made {writes} on {where}; {percent} of its CPU time ({system_time} of {cpu_time}) was spent in "
        "the kernel."
    )
    text = telling.fill(sentence, writes=telling.sized_calls("write"))
    if telling.has("construct"):
        return Said(text=text, advice=what_to_do(telling))
    if telling.has("is_in_no_loop"):  # what repeats the writes is unknown, and may be no intention
        return Said(text=text)
    return Said(text=text, advice=_("Gather the output and hand it over in large pieces."))


RULE = Rule(
    code="flush-per-line",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.IO,
    hint=gettext_noop("Gather the output: one flush at the end instead of one per line."),
    leaves_time_open=False,
)
