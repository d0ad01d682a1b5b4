"""Characters that text and names of strangers may hold: one rule for forms, JSON, YAML and archives.

Text is whatever a database and a UTF-8 file take. A name (a title, a user's, a file's) is one line that people read
and compare, so nothing in it may be invisible or turn the text around it: with U+202E, "fdp.exe" is read as "exe.pdf".
"""

import re
import unicodedata

from problems.translation import Sentence

_SURROGATE = re.compile("[\ud800-\udfff]")
_WHITE_SPACE = re.compile("[\t-\r\x85\u2028\u2029]+")
_JOINERS = "\u200c\u200d"  # between letters of Persian and Indian scripts, and in emoji
# letters and marks that nobody sees: fillers of Hangul and Khmer, and the grapheme joiner
_FILLERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_UNFIT = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})  # categories: control, format, surrogate, line, paragraph


def why_no_text(text: str) -> Sentence | None:
    """Return why this is no text that can be kept, as half a sentence; None if it is."""
    if "\0" in text:
        return Sentence("holds the character NUL")
    if _SURROGATE.search(text):
        return Sentence("holds half of a surrogate pair, which is no character")
    return None


def why_no_name(name: str) -> Sentence | None:
    """Return why this can be no name, as half a sentence; None if it can."""
    odd = next(filter(_is_unfit, name), None)
    return why_no_text(name) or (None if odd is None else _invisible(odd))


def why_no_file_name(name: str) -> Sentence | None:
    """Return why this can be the name of no file: of the spaces, it may hold only the common one."""
    odd = next((character for character in name if not character.isprintable()), None)
    return why_no_name(name) or (None if odd is None else _invisible(odd))


def in_one_line(text: str) -> str:
    """Return the text with a space for each line break and tab."""
    return _WHITE_SPACE.sub(" ", text)


def visible(name: str) -> str:
    """Return a name that nobody can be asked about, without what it may not hold."""
    return "".join(character for character in in_one_line(name) if not _is_unfit(character)).strip()


def _is_unfit(character: str) -> bool:
    if character.isascii():
        return not character.isprintable()
    return character in _FILLERS or (unicodedata.category(character) in _UNFIT and character not in _JOINERS)


def _invisible(character: str) -> Sentence:
    code = f"U+{ord(character):04X} {unicodedata.name(character, '')}".strip()
    return Sentence(
        "holds the character %(character)s, which is invisible or changes how the text is read", character=code
    )
