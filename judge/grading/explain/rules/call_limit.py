"""Explain right answers that took more read or write calls than the problem allows."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.flush_advice import advise, what_to_do
from judge.grading.reading.code import lines_of
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _
from problems.translation import gettext_noop


def find(facts: Facts) -> Finding | None:
    """Find the first case that was right but over its limit on calls."""
    case = next((case for case in facts.cases if case.verdict is Verdict.SLE), None)
    if case is None:
        return None
    is_write = case.too_many == "write"
    advised = advise(facts.code, facts.language) if is_write else None
    calls = case.io.write_calls if is_write else case.io.read_calls
    handed = case.io.write_bytes if is_write else case.io.read_bytes
    what = "write" if is_write else "read"
    limits = facts.limits
    evidence: dict[str, object] = {
        "test_case": case.name,
        "too_many": what,
        f"{what}_calls": calls,
        f"{what}_bytes": handed,
        f"bytes_per_{what}": round(handed / calls, 1),
        f"{what}_calls_limit": limits.write_calls if is_write else limits.read_calls,
        "weight_percent": 100,
    }
    if is_write and limits.write_factor:
        evidence["write_factor_limit"] = limits.write_factor
    if advised:
        evidence["construct"] = advised.construct
    return Finding(code="call-limit", evidence=evidence, lines=lines_of(advised.places) if advised else ())


def say(telling: Telling) -> Said:
    """Tell how many calls the case made, and how many are allowed."""
    kind = telling.text("too_many")
    text = _("The answer for {test_case} is right, but your program made {calls} for it.")
    text = telling.fill(text, calls=telling.sized_calls(kind))
    if telling.has("construct"):
        advice = what_to_do(telling)
    elif kind == "write":
        advice = _("Buffer the output and write it in larger pieces.")
    else:
        advice = _("Read the input in larger pieces.")
    has_factor, has_most = telling.has("write_factor_limit"), telling.has(f"{kind}_calls_limit")
    if has_factor and has_most:
        sentence = _(
            "The limits for a test case are {most} calls, and {factor} times the calls of the reference submission."
        )
    elif has_factor:
        sentence = _("The limit for a test case is {factor} times the calls of the reference submission.")
    elif has_most:
        sentence = _("The limit for a test case is {most} calls.")
    else:
        return Said(text=text, advice=advice)
    factor = f"{telling.value('write_factor_limit'):g}" if has_factor else ""
    allowed = sentence.format(most=f"{telling.value(f'{kind}_calls_limit') or 0:,}", factor=factor)
    return Said(text=f"{text} {allowed}", advice=advice)


RULE = Rule(
    code="call-limit",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.IO,
    hint=gettext_noop("The answer is right, in too many calls: gather the output, read in large pieces."),
)
