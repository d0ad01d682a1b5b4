"""The languages of submissions: one file with one record each, all of them in LANGUAGES."""

import re

from judge.grading.languages.cpp import CPP
from judge.grading.languages.language import Counting, Language, file_name, is_usable
from judge.grading.languages.python import PYTHON
from judge.grading.languages.runtime import BOX, PROGRAM_FOLDER
from judge.grading.languages.rust import RUST
from judge.grading.languages.toolchain import Toolchain, ToolchainMissing, host_fingerprint
from problems.languages import language_of
from problems.translation import gettext, ngettext

__all__ = [
    "BOX",
    "CPP",
    "LANGUAGES",
    "PROGRAM_FOLDER",
    "PYTHON",
    "RUST",
    "Counting",
    "Language",
    "Toolchain",
    "ToolchainMissing",
]
__all__ += ["UnknownLanguage", "detect_all", "file_name", "host_fingerprint", "is_usable", "language_by_id"]
__all__ += ["language_of_file", "looks_like", "source_problem"]

LANGUAGES = {language.id: language for language in (PYTHON, CPP, RUST)}  # first the one that needs no compiling
# characters: what a program is written in shows at its beginning; web/frontend/editor/mismatch.js sends no more
_LOOKED_AT = 16 * 1024


class UnknownLanguage(LookupError):
    """This version of Tally does not know the language: no sign of a broken host."""


def language_by_id(language_id: str) -> Language:
    """Return the language with this id. Raises UnknownLanguage if this version does not have it."""
    if language_id not in LANGUAGES:
        raise UnknownLanguage(f"there is no language {language_id!r}; known are {', '.join(LANGUAGES)}")
    return LANGUAGES[language_id]


def language_of_file(name: str) -> Language | None:
    """Return the language of a file name's extension; None if no language has it."""
    return LANGUAGES.get(language_of(name) or "")


def detect_all() -> dict[str, Toolchain]:
    """Return each language's toolchain on this host, by language id."""
    return {language.id: language.detect() for language in LANGUAGES.values()}


def source_problem(source: bytes, max_bytes: int) -> str | None:
    """Return why this source is not worth grading, as one sentence for its author; None if it is."""
    if not source.strip():
        return gettext("The source is empty.")
    if len(source) > max_bytes:
        return ngettext(
            "The source has {size} byte; at most {most} are allowed.",
            "The source has {size} bytes; at most {most} are allowed.",
            len(source),
        ).format(size=f"{len(source):,}", most=f"{max_bytes:,}")
    return None


def looks_like(source: str, chosen: str) -> Language | None:
    """Return the other language that a source seems to be in, such as Python text sent as C++; None if it may be in the
    chosen one: no line has a mark of that, and some line has one of the other. A false alarm is worse than none.
    """
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
