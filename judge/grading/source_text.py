"""Take a program's source: bytes in UTF-8, CP949 or UTF-16 with its byte order mark, compiled and shown as UTF-8.

UTF-8 stays as it is, byte for byte; the rest is converted. Where the language lets a source declare its encoding, as
Python does (PEP 263), the declaration has to be true: a converted source then declares UTF-8. Any other declaration is
refused, because the interpreter would read another program than the one that people see.
"""

import re
from dataclasses import dataclass

from judge.grading.languages import Language, source_problem
from problems.encodings import Encoding, UnknownEncoding, codec_named, decode, title_of
from problems.translation import Sentence, gettext

_LINE_END = re.compile(r"\r\n|\r|\n")
_LONGEST_NAME = 40  # characters of a declared name that a message repeats
_UTF_8 = frozenset({"utf_8", "utf_8_sig"})
_TRUE_CODECS = {  # what a source in this encoding may declare, as `codec_named` names it
    Encoding.UTF_8: _UTF_8,
    Encoding.CP949: _UTF_8 | {"cp949", "euc_kr"},
    Encoding.UTF_16: _UTF_8 | {"utf_16", "utf_16_le", "utf_16_be"},
}
_OF_PLAIN_TEXT = frozenset({"ascii", "cp949", "euc_kr"})  # they say of ASCII text what UTF-8 says


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    """A source as it is compiled, in UTF-8. `original`: the bytes as they were sent, if they are others."""

    content: bytes
    encoding: Encoding = Encoding.UTF_8  # of what was sent
    original: bytes | None = None


class SourceRefused(Exception):
    """Why a source is not graded, in one sentence for its author."""


class FalseDeclaration(ValueError):
    """The source declares another encoding than its own. `why`: half a sentence, with the source as its subject."""

    def __init__(self, *, line: int, name: str, encoding: Encoding) -> None:
        self.line, self.name, self.encoding = line, name[:_LONGEST_NAME], title_of(encoding)
        self.why = Sentence(
            "declares the encoding %(name)s in line %(line)s but is %(encoding)s text: delete the declaration, or save"
            " the file as UTF-8 and declare utf-8",
            name=self.name,
            line=line,
            encoding=self.encoding,
        )
        super().__init__(str(self.why))


def take_source(raw: bytes, language: Language, max_bytes: int) -> SourceText:
    """Return the source of a submission. Raises SourceRefused, also where it has more bytes before or after."""
    nul = gettext("The source holds a NUL byte, so it is not a program text. Send the source file.")
    if problem := source_problem(raw, max_bytes):
        raise SourceRefused(problem)
    try:
        text = in_utf8(raw, language)
    except UnknownEncoding as unknown:
        if unknown.has_mark:
            why = gettext("The source begins like UTF-16 but is not valid UTF-16. Save it as UTF-8 and send it again.")
        elif b"\0" in raw:
            why = nul
        else:
            why = gettext("The source is neither UTF-8 nor CP949 text. Save it as UTF-8 and send it again.")
        raise SourceRefused(why) from unknown
    except FalseDeclaration as declaration:
        why = gettext(
            "Line {line} of the source declares the encoding {name}, but the source was sent in {encoding}. Delete this"
            " declaration, or save the source as UTF-8 and declare utf-8."
        ).format(line=declaration.line, name=declaration.name, encoding=declaration.encoding)
        raise SourceRefused(why) from declaration
    if b"\0" in text.content:
        raise SourceRefused(nul)
    if text.original is not None and text.content.strip() and len(text.content) > max_bytes:
        why = gettext("As UTF-8 the source has {size} bytes; at most {most} are allowed.")
        raise SourceRefused(why.format(size=f"{len(text.content):,}", most=f"{max_bytes:,}"))
    if text.original is not None and (problem := source_problem(text.content, max_bytes)):
        raise SourceRefused(problem)
    return text


def in_utf8(raw: bytes, language: Language) -> SourceText:
    """Return the source in UTF-8. Raises UnknownEncoding, FalseDeclaration."""
    text, encoding = decode(raw)
    declared = _true_declaration(text, encoding, language)
    if encoding is Encoding.UTF_8:
        return SourceText(content=raw)
    if declared:
        text = f"{text[: declared.start('name')]}utf-8{text[declared.end('name') :]}"
    return SourceText(content=text.encode(), encoding=encoding, original=raw)


def check_declaration(source: str, language: Language) -> None:
    """Check a source that was typed, and is compiled as UTF-8. Raises FalseDeclaration."""
    _true_declaration(source, Encoding.UTF_8, language)


def _true_declaration(text: str, encoding: Encoding, language: Language) -> re.Match[str] | None:
    """Return where the source declares its encoding; None if it does not. Raises FalseDeclaration."""
    declared = language.encoding_declaration.match(text) if language.encoding_declaration else None
    if declared is None:
        return None
    codec = codec_named(declared["name"])
    if codec in _TRUE_CODECS[encoding] or (codec in _OF_PLAIN_TEXT and text.isascii()):
        return declared
    line = len(_LINE_END.findall(declared.string, 0, declared.start("name"))) + 1
    raise FalseDeclaration(line=line, name=declared["name"], encoding=encoding)
