"""Tell of a case over the time limit what is measured of its time, where no other rule found a cause."""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _


def find(facts: Facts) -> Finding | None:
    """Tell it of a slow case. `explain_so_far` asks unless another finding is about the time, or may yet come.

    An accepted program has nothing that must be mended.
    """
    case = facts.slow_case
    if case is None or case.verdict is not Verdict.TLE:
        return None
    return Finding(code="where-it-went", evidence=evidence_of(facts, case))


def evidence_of(facts: Facts, case: CaseJudged) -> dict[str, object]:
    """Return the parts of a case's time, and the calls and pages that the kernel's own books count."""
    usage = case.usage
    return {
        **facts.where(case),
        "own_percent": percent(usage.user_time_us, usage.cpu_time_us),
        "user_time_us": usage.user_time_us,
        "system_time_us": usage.system_time_us,
        "cpu_time_us": usage.cpu_time_us,
        "waiting_time_us": usage.waiting_time_us,
        "minor_faults": usage.minor_faults,
        "read_calls": case.io.read_calls,
        "write_calls": case.io.write_calls,
    }


def parts(telling: Telling) -> str:
    """Return the sentence that tells the parts of the time."""
    if telling.duration("user_time_us") == telling.duration("cpu_time_us"):
        sentence = _(
            "On {where}, nearly all of the CPU time ({cpu_time}) was spent in your program itself and its libraries, "
            "with {reads}, {writes} and {faults} fresh pages of memory."
        )
    else:
        sentence = _(
            "On {where}, {percent} of the CPU time ({user_time} of {cpu_time}) was spent in your program itself and "
            "its libraries, and {system_time} in the kernel, for {reads}, {writes} and {faults} fresh pages of memory."
        )
    return telling.fill(sentence, percent=telling.percent("own_percent"))


def say(telling: Telling) -> Said:
    """Tell the parts of the time, and that none of the rules explains it."""
    nothing = _("No single cause stands out in these numbers.")
    return Said(text=f"{parts(telling)} {nothing}")


RULE = Rule(code="where-it-went", find=find, say=say, about=About.NOTHING)
