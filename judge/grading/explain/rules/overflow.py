"""Explain a wrong number by the integer that it did not fit into.

The difference between it and the right one is the proof: a multiple of 2**32 or 2**64, and far from any small number.
The largest number of a type where a larger one is right is only likely to be that: it may be meant as "infinite", too.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop


def find(facts: Facts) -> Finding | None:
    """Find a first failure whose first wrong number tells of an overflow."""
    case = facts.first_failure
    if case is None or case.verdict is not Verdict.WA or case.ending is None or case.ending.overflow is None:
        return None
    overflow = case.ending.overflow
    code = "wrapped-number" if overflow.is_wrapped else "clamped-number"
    return Finding(code=code, evidence={"test_case": case.name, "of_bits": str(overflow.bits)})


def say_wrapped(telling: Telling) -> Said:
    """Tell of `wrapped-number`."""
    sentence = _(
        "The first wrong number on {test_case} is the right one, wrapped around in an integer of {of_bits} bits: it "
        "did not fit."
    )
    return Said(text=telling.fill(sentence), advice=_wider())


def say_clamped(telling: Telling) -> Said:
    """Tell of `clamped-number`."""
    sentence = _(
        "The first wrong number on {test_case} is the last one that fits into an integer of {of_bits} bits, and the "
        "right one is beyond it: either a number did not fit, or it is a start value that nothing replaced."
    )
    return Said(text=telling.fill(sentence), advice=_wider())


def _wider() -> str:
    return _(
        "Use a wider type for it and for all that it is computed from: `long long` in C++, `i64` or `i128` in Rust, "
        "64 bits in NumPy."
    )


RULES = (
    Rule(
        code="wrapped-number",
        find=find,
        say=say_wrapped,
        about=About.FAILURE,
        hint=gettext_noop("A number does not fit into its integer type: use a wider one."),
    ),
    Rule(
        code="clamped-number",
        find=None,
        say=say_clamped,
        about=About.FAILURE,
        hint=gettext_noop("A number ends at the limit of its integer type: use a wider one."),
    ),
)
