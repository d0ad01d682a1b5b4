"""Tell of a case over the time limit what is counted already, while its calls are still to be counted by name.

The kernel's own books count a judged run's calls and pages. What these cost is told by the rules that wait for the
names: then this finding goes.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import MANY_CALLS, Facts
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.explain.rules.own_time import where_it_went
from judge.grading.explain.rules.small_calls import SMALL_READ_BYTES, SMALL_WRITE_BYTES, advise, debugging_places
from judge.grading.reading.places import Deed, lines_of
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _


def find(facts: Facts) -> Finding | None:
    """Tell it of the first case over the limit. `explain_so_far` asks only where calls by name are awaited."""
    case = facts.focus
    if case is None or case.verdict is not Verdict.TLE:
        return None
    io, evidence = case.io, {**where_it_went.evidence_of(facts, case), **facts.kernel(case)}
    if io.write_calls >= MANY_CALLS and io.write_bytes <= SMALL_WRITE_BYTES * io.write_calls:
        evidence["bytes_per_write"] = round(io.write_bytes / io.write_calls, 1)
        if 2 * case.stderr_bytes > io.write_bytes:
            evidence["stderr_bytes"] = case.stderr_bytes
            return Finding(code=CODE, evidence=evidence, lines=lines_of(debugging_places(facts.code)))
        advised = advise(facts.code, facts.language)
        if advised is None or any(
            place.deed is Deed.READ for place in advised.places
        ):  # these write nothing themselves
            return Finding(code=CODE, evidence=evidence)
        evidence["construct"] = advised.construct
        return Finding(code=CODE, evidence=evidence, lines=lines_of(advised.places))
    if io.read_calls >= MANY_CALLS and io.read_bytes <= SMALL_READ_BYTES * io.read_calls:
        evidence["bytes_per_read"] = round(io.read_bytes / io.read_calls, 1)
    return Finding(code=CODE, evidence=evidence)


def say(telling: Telling) -> Said:
    """Tell the small calls, if there were many, and what the source has that makes them; else the parts of the time."""
    sentence = _(
        "Your program made {writes} on {where}; {percent} of its CPU time ({system_time} of {cpu_time}) was spent in "
        "the kernel."
    )
    if telling.has("bytes_per_write"):
        text = telling.fill(sentence, writes=telling.sized_calls("write"))
        if telling.has("stderr_bytes"):
            more = _("{stderr} of its output went to stderr, which nobody checks.")
            return Said(text=f"{text} {telling.fill(more)}")
        if telling.has("construct"):
            more = _("The source has {construct} where output is written, which hands each piece over at once.")
            names = ", ".join(f"`{name}`" for name in telling.text("construct").split(", "))
            return Said(text=f"{text} {telling.fill(more, construct=names)}")
        return Said(text=text)
    if telling.has("bytes_per_read"):
        sentence = _(
            "Your program made {reads} on {where}; {percent} of its CPU time ({system_time} of {cpu_time}) was spent "
            "in the kernel."
        )
        return Said(text=telling.fill(sentence, reads=telling.sized_calls("read")))
    return Said(text=where_it_went.parts(telling))


CODE = "so-far"
RULE = Rule(code=CODE, find=find, say=say, about=About.NOTHING)
