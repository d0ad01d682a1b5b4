"""Explain a first failure by what ended it: an error of a part, a warning, the recursion limit, a signal.

What a lost part (a thread, a process or a task) had still to do is missing, and the program's exit code does not tell:
the output only ends too early. Of the compiler's warnings only those of constructs whose effect is undefined count,
which the language's record lists: whatever the program did then, its other findings may be mere consequences.
"""

import signal

from judge.grading import words
from judge.grading.ending_words import error_in_words
from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.languages.python import DIGIT_LIMIT
from judge.grading.reading.places import Deed, lines_of
from judge.grading.reading.program_errors import ErrorKind, Origin
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop

_LOST = {
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
_RECURSION_ERROR = "RecursionError"


def find_lost_part(facts: Facts) -> Finding | None:
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


def say_lost_part(telling: Telling) -> Said:
    """Tell what ended which part."""
    error = error_in_words(ErrorKind(telling.text("kind")), telling.text("error"))
    text = telling.fill(_(_LOST[Origin(telling.text("origin"))]), error=error)
    return Said(text=text, advice=_("Mend what fails there first."))


def find_warning(facts: Facts) -> Finding | None:
    """Find the first such kind of warning, where a case failed."""
    case, language = facts.first_failure, facts.language
    if case is None:
        return None
    last = facts.source.count(b"\n") + 1
    lines: dict[str, list[int]] = {}
    for flag, line in language.warnings_in(facts.file_name, facts.compile_message):
        if line <= last:
            lines.setdefault(flag, []).append(line)
    first = next((flag for flag in language.warnings if flag in lines), None)
    if first is None:
        return None
    evidence = {"test_case": case.name, "flag": first}
    return Finding(code="compiler-warning", evidence=evidence, lines=tuple(sorted(set(lines[first]))))


def say_warning(telling: Telling) -> Said:
    """Tell what the compiler warned of, and what that can do."""
    warnings = telling.language.warnings if telling.language else {}
    return Said(
        text=_(warnings[telling.text("flag")]),
        advice=_("Mend this first: all else that the program did may follow from it."),
    )


def find_recursion_limit(facts: Facts) -> Finding | None:
    """Find a first failure that ended with RecursionError."""
    case = facts.first_failure
    error = case.ending.error if case is not None and case.ending is not None else None
    if case is None or error is None or error.kind is not ErrorKind.EXCEPTION or error.name != _RECURSION_ERROR:
        return None
    evidence = {"test_case": case.name, "peak_memory_bytes": case.usage.peak_memory_bytes}
    return Finding(code="recursion-limit", evidence=evidence, lines=(error.line,) if error.line else ())


def say_recursion_limit(telling: Telling) -> Said:
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


def find_digit_limit(facts: Facts) -> Finding | None:
    """Find a first failure that ended because Python does not convert integers of so many digits unasked."""
    case = facts.first_failure
    error = case.ending.error if case is not None and case.ending is not None else None
    if case is None or error is None or error.kind is not ErrorKind.EXCEPTION or error.name != DIGIT_LIMIT:
        return None
    return Finding(code="digit-limit", evidence={"test_case": case.name}, lines=(error.line,) if error.line else ())


def say_digit_limit(telling: Telling) -> Said:
    """Tell which limit it was, and how to take it away."""
    sentence = _(
        "On {test_case} the program converted an integer of more than 4,300 digits to text, or such a text to an "
        "integer. Python refuses that with ValueError unless the program takes the limit away; neither the integer nor "
        "the memory is too large."
    )
    advice = _(
        "Call `sys.set_int_max_str_digits(0)` at the start. The time of such a conversion grows with the square of the "
        "number of digits."
    )
    return Said(text=telling.fill(sentence), advice=advice)


def find_large_array(facts: Facts) -> Finding | None:
    """Find a first failure by SIGSEGV of a program with an array on the stack that is larger than the stack."""
    case = facts.first_failure
    if case is None or case.verdict not in (Verdict.RE, Verdict.MLE) or case.signal != signal.SIGSEGV:
        return None
    # a stack may be as large as the memory limit (`recursions`)
    arrays = [place for place in facts.code.find(Deed.LOCAL) if int(place.words[0]) > facts.limits.memory_bytes]
    if not arrays:
        return None
    return Finding(
        code="large-array",
        evidence={
            "test_case": case.name,
            "construct": arrays[0].name,
            "array_bytes": int(arrays[0].words[0]),
            "memory_limit_bytes": facts.limits.memory_bytes,
        },
        lines=lines_of(tuple(arrays)),
    )


def say_large_array(telling: Telling) -> Said:
    """Tell how large both are."""
    sentence = _(
        "The array `{construct}` is a local variable of {size}, and the stack, where such variables are, has {limit}, "
        "as much as the memory limit. SIGSEGV ended the program on {test_case}."
    )
    sizes = {"size": words.size(telling.value("array_bytes")), "limit": words.size(telling.value("memory_limit_bytes"))}
    advice = _("Make it a `vector` with as many values as the input needs.")
    return Said(text=telling.fill(sentence, **sizes), advice=advice)


def find_signal(facts: Facts) -> Finding | None:
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
    if name == "SIGILL" and not facts.code.has(Deed.DIVIDE):  # the check of a divisor did not end it
        return None
    return Finding(code="division", evidence={"test_case": case.name, "signal": name})


def say_signal(telling: Telling) -> Said:
    """Tell what the signal means in the language."""
    return Said(text=_(telling.language.advice.signals[telling.text("signal")]) if telling.language else "")


RULES = (
    Rule(
        code="lost-part",
        find=find_lost_part,
        say=say_lost_part,
        about=About.ALL,
        reason=Reason.WAITING,
        hint=gettext_noop("A thread or a process dies of an error, unnoticed: look at the error output."),
    ),
    Rule(
        code="compiler-warning",
        find=find_warning,
        say=say_warning,
        about=About.ALL,
        reason=Reason.STEPS,
        hint=gettext_noop("The compiler warns of what goes wrong, such as a missing return: read its warnings."),
    ),
    Rule(
        code="recursion-limit",
        find=find_recursion_limit,
        say=say_recursion_limit,
        about=About.ALL,
        reason=Reason.MEMORY,
        hint=gettext_noop("The recursion is deeper than Python allows: see that it ends, or use a loop."),
    ),
    Rule(
        code="digit-limit",
        find=find_digit_limit,
        say=say_digit_limit,
        about=About.ALL,
        reason=Reason.STEPS,
        hint=gettext_noop("Python does not convert integers of more than 4,300 digits unasked: take the limit away."),
    ),
    Rule(
        code="large-array",
        find=find_large_array,
        say=say_large_array,
        about=About.FAILURE,
        reason=Reason.MEMORY,
        hint=gettext_noop("A local array is larger than the stack: make it a vector of the size that is needed."),
    ),
    Rule(
        code="division",
        find=find_signal,
        say=say_signal,
        about=About.FAILURE,
        reason=Reason.STEPS,
        hint=gettext_noop(
            "An integer division has no result, mostly because the divisor is zero: look at the divisor."
        ),
    ),
)
