"""Recognise a program that was sent in another language than the chosen one: Python text as C++, for instance.

A false alarm is worse than none. So a source is only said to be in another language if not one line of it has a mark of
the chosen language, and some line has one of the other.
"""

import re

from judge.grading.languages import LANGUAGES, Language

# characters: what a program is written in shows at its beginning; web/frontend/editor/mismatch.js sends no more
_LOOKED_AT = 16 * 1024


def looks_like(source: str, chosen: str) -> Language | None:
    """Return the other language that this source seems to be in; None if it may be in the chosen one."""
    text = source[:_LOOKED_AT].replace("\r\n", "\n")
    marks = {
        language.id: sum(re.search(mark, text, re.MULTILINE | re.ASCII) is not None for mark in language.telltales)
        for language in LANGUAGES.values()
    }
    if marks.get(chosen, 1):  # a language that this version does not know may be anything
        return None
    most = max(marks.values(), default=0)
    likeliest = [language_id for language_id, number in marks.items() if number == most]
    return LANGUAGES[likeliest[0]] if most and len(likeliest) == 1 else None
