"""Recognise a program that was sent in another language than the chosen one: Python text as C++, for instance.

A false alarm is worse than none. So a source is only said to be in another language if not one line of it has a mark of
the chosen language, and some line has one of the other.
"""

import re
from functools import lru_cache

from judge.grading.languages import LANGUAGES, Language

# characters: what a program is written in shows at its beginning; web/frontend/editor/mismatch.js sends no more
_LOOKED_AT = 16 * 1024


def looks_like(source: str, chosen: str) -> Language | None:
    """Return the other language that this source seems to be in; None if it may be in the chosen one."""
    text = source[:_LOOKED_AT].replace("\r\n", "\n")
    marks = {language.id: _marks(language.id, text) for language in LANGUAGES.values()}
    if marks.get(chosen, 1):  # a language that this version does not know may be anything
        return None
    most = max(marks.values(), default=0)
    likeliest = [language_id for language_id, number in marks.items() if number == most]
    return LANGUAGES[likeliest[0]] if most and len(likeliest) == 1 else None


def _marks(language_id: str, text: str) -> int:
    return sum(pattern.search(text) is not None for pattern in _patterns(language_id))


@lru_cache(maxsize=32)
def _patterns(language_id: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.MULTILINE | re.ASCII) for pattern in LANGUAGES[language_id].telltales)
