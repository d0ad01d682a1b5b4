"""Explain a signal whose name hides its meaning in the program's language, such as a division by zero in C++."""

import signal

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _
from problems.translation import gettext_noop


def find(facts: Facts) -> Finding | None:
    """Explain the signal of the first case that failed."""
    case = facts.first_failure
    if case is None or case.verdict is not Verdict.RE or case.signal is None:
        return None
    try:
        name = signal.Signals(case.signal).name
    except ValueError:  # a real-time signal
        return None
    if name not in facts.language.advice.signals:
        return None
    return Finding(code="division", evidence={"test_case": case.name, "signal": name})


def say(telling: Telling) -> Said:
    """Tell what the signal means in the language."""
    return Said(text=_(telling.language.advice.signals[telling.text("signal")]) if telling.language else "")


RULE = Rule(
    code="division",
    find=find,
    say=say,
    about=About.FAILURE,
    reason=Reason.STEPS,
    hint=gettext_noop("An integer division has no result, mostly because the divisor is zero: look at the divisor."),
)
