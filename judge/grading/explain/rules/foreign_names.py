"""Explain a compile error by a name of another system: what a book or an editor on Windows offers is not here."""

import re

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Rule, Said, Telling
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop

_MISSING = re.compile(r"No such file|not declared|not name a type")
_WORD = re.compile(r"[\w.]+")


def find(facts: Facts) -> Finding | None:
    """Find the first error of the compiler that names something that is known from Windows, and all lines of such."""
    if facts.verdict is not Verdict.CE:
        return None
    names: list[str] = []
    lines: set[int] = set()
    for mistake in facts.language.mistakes_in(facts.file_name).finditer(facts.compile_message):
        foreign = [word for word in _WORD.findall(mistake["message"]) if word in facts.language.foreign_names]
        if foreign and _MISSING.search(mistake["message"]):
            names.append(foreign[0])
            lines.add(int(mistake["line"]))
    if not names:
        return None
    return Finding(code="windows-only", evidence={"construct": names[0]}, lines=tuple(sorted(lines)))


def say(telling: Telling) -> Said:
    """Tell which name it is, and what is there instead."""
    return Said(
        text=telling.fill(_("`{construct}` is not on the judge's Linux; it is known from Windows.")),
        advice=_(
            "Use what the standards of C and C++ have, such as `scanf` for `scanf_s` and `long long` for `__int64`, "
            "and leave out what only holds a window open."
        ),
    )


RULE = Rule(
    code="windows-only",
    find=find,
    say=say,
    about=About.ALL,
    hint=gettext_noop("It uses names that are known from Windows: programs are judged on Linux."),
    is_about_case=False,
)
