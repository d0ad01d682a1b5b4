"""Find a thread, a process or a task that an error ended while the rest of the program went on without it.

What such a part had still to do is missing, and the program's exit code does not tell: the output only ends too early.
"""

from judge.grading.ending_words import error_in_words
from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.program_errors import ErrorKind, Origin
from problems.translation import gettext as _
from problems.translation import gettext_noop

_SENTENCES = {
    Origin.THREAD: gettext_noop(
        "On {test_case} a thread of your program ended with {error}, while the rest of it went on: what the thread had "
        "still to do, such as printing its part of the output, was not done."
    ),
    Origin.PROCESS: gettext_noop(
        "On {test_case} a process that your program started ended with {error}, while the rest of it went on: what the "
        "process had still to do, such as printing its part of the output, was not done."
    ),
    Origin.TASK: gettext_noop(
        "On {test_case} a task of your program ended with {error}, while the rest of it went on: what the task had "
        "still to do, such as printing its part of the output, was not done."
    ),
}


def find(facts: Facts) -> Finding | None:
    """Find the part that the first failure lost."""
    case = facts.first_failure
    lost = case.ending.lost if case is not None and case.ending is not None else None
    if case is None or lost is None:
        return None
    return Finding(
        code="lost-part",
        evidence={"test_case": case.name, "origin": lost.origin.value, "kind": lost.kind.value, "error": lost.name},
        lines=(lost.line,) if lost.line else (),
    )


def say(telling: Telling) -> Said:
    """Tell what ended which part."""
    error = error_in_words(ErrorKind(telling.text("kind")), telling.text("error"))
    text = telling.fill(_(_SENTENCES[Origin(telling.text("origin"))]), error=error)
    return Said(text=text, advice=_("Mend what fails there first."))


RULE = Rule(
    code="lost-part",
    find=find,
    say=say,
    about=About.ALL,
    reason=Reason.WAITING,
    hint=gettext_noop("A thread or a process dies of an error, unnoticed: look at the error output."),
)
