"""Decode text of unknown encoding, strictly and in a fixed order: UTF-8, then CP949, else it is none that Tally knows.

CP949 (code page 949, Unified Hangul Code) is what programs on Korean Windows write where they do not choose UTF-8;
EUC-KR is a part of it. Korean text in CP949 is hardly ever valid UTF-8, so the order decides. UTF-16 counts only with
its byte order mark, which is valid in neither of the two.
"""

import codecs
import encodings
import encodings.aliases
import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum

_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_MARKS_OF_32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_CONTROL = re.compile("[\0-\x08\x0b\x0e-\x1f\x7f]")  # in no text
_SYLLABLE = re.compile("[가-힣]")
_UNUSED_IN_1252 = b"\x81\x8d\x8f\x90\x9d"


class Encoding(StrEnum):
    """An encoding that Tally reads; the value is Python's name of the codec."""

    UTF_8 = "utf-8"
    UTF_16 = "utf-16"
    CP949 = "cp949"


def title_of(encoding: str) -> str:
    """Return the encoding's name for people."""
    return encoding.upper()


def codec_named(name: str) -> str:
    """Return the module of Python's codec that a source may mean by this name ("UTF8": "utf_8"); an unknown name as is.

    Looked up in a table: `codecs.lookup` would import the module, and remember each unknown name for ever.
    """
    if name.lower().replace("_", "-").startswith("utf-8-") or name.lower() in ("utf-8", "utf_8"):
        return "utf_8"  # whatever comes behind, as CPython's tokenizer has it (get_normal_name)
    module = encodings.normalize_encoding(name).lower()
    return encodings.aliases.aliases.get(module, module)


class UnknownEncoding(ValueError):
    """The bytes are not text in an encoding that Tally reads. `has_mark`: they begin with the mark of UTF-16."""

    def __init__(self, *, has_mark: bool = False) -> None:
        super().__init__("not valid UTF-16" if has_mark else "neither UTF-8 nor CP949")
        self.has_mark = has_mark


def decode(raw: bytes) -> tuple[str, Encoding]:
    """Return the text, without UTF-16's byte order mark, and its encoding. Raises UnknownEncoding."""
    has_mark = raw.startswith(_MARKS)
    for encoding in (Encoding.UTF_16,) if has_mark else (Encoding.UTF_8, Encoding.CP949):
        if (text := _decoded(raw, encoding)) is not None:
            return text, encoding
    raise UnknownEncoding(has_mark=has_mark)


def likely_encoding(raw: bytes) -> str:
    """Return the name of the encoding that text which is not UTF-8 is probably in, for people; "" for no idea."""
    if raw.startswith(_MARKS):
        return title_of(Encoding.UTF_16)
    if any(byte < 0x20 and byte not in b"\t\n\f\r" for byte in raw):  # no text
        return ""
    text = _decoded(raw, Encoding.CP949) or ""
    # Korean has mostly syllables of EUC-KR beside ASCII; others are rare, or come by accident
    syllables = sum(len(syllable.encode("euc-kr")) == 2 for syllable in _SYLLABLE.findall(text))
    if syllables * 2 > sum(not character.isascii() for character in text):
        return title_of(Encoding.CP949)
    return "" if any(byte in _UNUSED_IN_1252 for byte in raw) else "Windows-1252"


def wide_encoding(head: bytes) -> str:
    """Return "UTF-16" or "UTF-32" if this beginning of a file is text in it; "" if not.

    Without a mark, only text in ASCII is told from other bytes.
    """
    for codec, marks in (("utf-32", _MARKS_OF_32), ("utf-16", _MARKS)):
        if head.startswith(marks) and _begins_text(head, codec):
            return title_of(codec)
    without_mark = any((text := _begins_text(head, codec)) and text.isascii() for codec in ("utf-16-le", "utf-16-be"))
    return title_of(Encoding.UTF_16) if without_mark else ""


def _begins_text(head: bytes, codec: str) -> str:
    """Return the text that this beginning of a file holds, which may end within a character; "" if it is no text."""
    try:
        text = codecs.getincrementaldecoder(codec)().decode(head)
    except UnicodeDecodeError:
        return ""
    return "" if _CONTROL.search(text) else text


def decode_names(raws: Sequence[bytes]) -> list[str | None]:
    """Return names that one program wrote, such as those of an archive; None for each in no known encoding.

    All are UTF-8 if each can be: else they are CP949, since a short name in CP949 can be valid UTF-8 by accident. A
    name that is not valid in the encoding of the others is tried in the other one.
    """
    order = (Encoding.UTF_8, Encoding.CP949)
    if any(_decoded(raw, Encoding.UTF_8) is None for raw in raws):
        order = (Encoding.CP949, Encoding.UTF_8)
    decoded = ((_decoded(raw, encoding) for encoding in order) for raw in raws)
    return [next((name for name in names if name is not None), None) for names in decoded]


def composed(name: str) -> str:
    """Return the name in Unicode's composed form (NFC): Hangul in whole syllables, as people type it."""
    return unicodedata.normalize("NFC", name)


def _decoded(raw: bytes, encoding: Encoding) -> str | None:
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError:
        return None
