"""Odd ways to write a file of test data, whose bytes go to programs and checkers as they are.

Only what nobody means is named: a byte order mark, UTF-16 and UTF-32, and the line ends of Windows.
"""

import codecs
from enum import Enum
from pathlib import Path

from problems.encodings import wide_encoding
from problems.format.files import MIB
from problems.translation import Sentence

_HEAD_BYTES = 4 * 1024
_CHUNK_BYTES = MIB


class TextForm(Enum):
    """A way to write text that puzzles programs. The value is the rest of a sentence with the file as its subject."""

    MARK = Sentence(
        "begins with a byte order mark (BOM), three bytes that programs and checkers get before the first word: save "
        "it as UTF-8 without BOM"
    )
    UTF_16 = Sentence("is UTF-16 text, which programs and checkers get as it is: save it as UTF-8 without BOM")
    UTF_32 = Sentence("is UTF-32 text, which programs and checkers get as it is: save it as UTF-8 without BOM")
    CR_LF = Sentence("has lines that end in CR LF, as on Windows: convert it to LF, for example with dos2unix")


_WIDE = {"UTF-16": TextForm.UTF_16, "UTF-32": TextForm.UTF_32}


def odd_forms(path: Path) -> tuple[TextForm, ...]:
    """Return what is odd about how the file is written; nothing for most files."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
        if wide := wide_encoding(head):
            return (_WIDE[wide],)
        marks = (TextForm.MARK,) if head.startswith(codecs.BOM_UTF8) else ()
        file.seek(0)
        last = b""
        while chunk := file.read(_CHUNK_BYTES):
            if b"\r\n" in chunk or (last == b"\r" and chunk.startswith(b"\n")):
                return (*marks, TextForm.CR_LF)
            last = chunk[-1:]
    return marks
