"""Name the limit that a Python program's recursion met: CPython's own on the depth of calls."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.program_errors import ErrorKind
from problems.translation import gettext as _
from problems.translation import gettext_noop

_NAME = "RecursionError"


def find(facts: Facts) -> Finding | None:
    """Find a first failure that ended with this error."""
    case = facts.first_failure
    error = case.ending.error if case is not None and case.ending is not None else None
    if case is None or error is None or error.kind is not ErrorKind.EXCEPTION or error.name != _NAME:
        return None
    evidence = {"test_case": case.name, "peak_memory_bytes": case.usage.peak_memory_bytes}
    return Finding(code="recursion-limit", evidence=evidence, lines=(error.line,) if error.line else ())


def say(telling: Telling) -> Said:
    """Tell which limit it was, and which it was not."""
    sentence = _(
        "The recursion on {test_case} went deeper than Python allows: RecursionError is its own limit on the depth of "
        "calls, at first 1,000. Neither the memory limit nor the size of the stack was the cause; the program had used "
        "{peak} of memory."
    )
    advice = _(
        "See that the recursion ends for every input. `sys.setrecursionlimit` sets another limit; a loop with a list "
        "as its stack needs none."
    )
    return Said(text=telling.fill(sentence), advice=advice)


RULE = Rule(
    code="recursion-limit",
    find=find,
    say=say,
    about=About.ALL,
    reason=Reason.MEMORY,
    hint=gettext_noop("The recursion is deeper than Python allows: see that it ends, or use a loop."),
)
