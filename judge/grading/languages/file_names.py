"""The name of a program's one file in its jail: the sender's, where that does no harm, or the one that the problem asks
for.

A name that is not taken is no mistake of the sender's: it matters only to a program that its package's own files name.
"""

from itertools import chain, count
from pathlib import PurePosixPath

from judge.grading.languages.language import Language
from problems.package import SubmittedFile

_OTHER_STEM = "solution"


def is_usable(language: Language, name: str) -> bool:
    """Return whether a program in the language may be called so: plain letters, its ending, nobody else's name."""
    return language.in_packages.is_file_name(name) and PurePosixPath(name).stem not in language.reserved_stems


def file_name(language: Language, sent: str, expected: SubmittedFile | None) -> str:
    """Return the file's name in the jail. `sent`: what its sender called it, "" for nothing; `expected`: by its
    package.
    """
    expected = expected or SubmittedFile()
    if expected.name:
        return expected.name
    if is_usable(language, sent) and sent not in expected.reserved:
        return sent
    ending = language.extensions[0]
    others = (f"{_OTHER_STEM}{number or ''}{ending}" for number in count())
    names = chain((expected.usual, language.source_name), others)
    return next(name for name in names if name and name not in expected.reserved)
