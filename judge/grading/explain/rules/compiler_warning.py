"""Name a warning of the compiler that can explain why a program failed, such as a missing `return`.

Only warnings of constructs whose effect is undefined count, which the language's record lists: whatever the program did
then, its other findings may be mere consequences.
"""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from problems.translation import gettext as _
from problems.translation import gettext_noop


def find(facts: Facts) -> Finding | None:
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


def say(telling: Telling) -> Said:
    """Tell what the compiler warned of, and what that can do."""
    warnings = telling.language.warnings if telling.language else {}
    return Said(
        text=_(warnings[telling.text("flag")]),
        advice=_("Mend this first: all else that the program did may follow from it."),
    )


RULE = Rule(
    code="compiler-warning",
    find=find,
    say=say,
    about=About.ALL,
    reason=Reason.STEPS,
    hint=gettext_noop("The compiler warns of what goes wrong, such as a missing return: read its warnings."),
)
