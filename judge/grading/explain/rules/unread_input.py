"""Find a program that never reads standard input, most often because it reads a file such as `input.txt`.

The kernel counts the bytes that a run reads from all files together, the libraries' too. They are the same on inputs of
different lengths only if the program read none of them; a program that takes single bytes is left out, since it may
stop after as many of each, and so is one that maps files into memory, which reads without a call. Of short inputs every
buffer takes all.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Deed, Stream, lines_of
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop

_BUFFER_BYTES = 4_096  # that every language here reads at once
_FEWEST = 2  # lengths of inputs


def find(facts: Facts) -> Finding | None:
    """Find a first failure of a program that reads the same whatever the input."""
    case = facts.first_failure
    if case is None or case.verdict is not Verdict.WA or case.passes > 1 or not facts.input_bytes.get(case.name):
        return None
    short = [case for case in facts.cases if facts.input_bytes.get(case.name, _BUFFER_BYTES) < _BUFFER_BYTES]
    lengths = {facts.input_bytes[case.name] for case in short}
    reads = {(case.io.read_bytes, case.io.read_calls) for case in short}
    if len(lengths) < _FEWEST or len(reads) > 1 or facts.code.has(Deed.FETCH) or b"mmap" in facts.source:
        return None
    reopens = facts.code.find(Deed.REOPEN, streams=(Stream.STDIN,))
    evidence: dict[str, object] = {"test_case": case.name}
    if reopens:
        evidence["construct"] = reopens[0].name
    return Finding(code="unread-input", evidence=evidence, lines=lines_of(reopens))


def say(telling: Telling) -> Said:
    """Tell that nothing was read, and where something else is read instead."""
    if telling.has("construct"):
        text = _(
            "Your program does not read standard input: `{construct}` puts a file in its place, which is not there "
            "when your program is judged."
        )
    else:
        text = _("Your program does not read standard input, where the input of each test case is.")
    advice = _("Read from standard input and print to standard output, not from and to files.")
    return Said(text=telling.fill(text), advice=advice)


RULE = Rule(
    code="unread-input",
    find=find,
    say=say,
    about=About.FAILURE,
    reason=Reason.IO,
    hint=gettext_noop("It does not read standard input, but perhaps a file: read standard input."),
)
