"""Take a program's source: bytes in UTF-8, CP949 or UTF-16 with its byte order mark, compiled and shown as UTF-8.

UTF-8 stays as it is, byte for byte; the rest is converted. Where the language lets a source declare its encoding, as
Python does (PEP 263), a converted one declares UTF-8.
"""

import re
from dataclasses import dataclass

from judge.grading.languages import Language, source_problem
from problems.encodings import Encoding, UnknownEncoding, decode
from problems.translation import gettext


@dataclass(frozen=True, kw_only=True, slots=True)
class SourceText:
    """A source as it is compiled, in UTF-8. `original`: the bytes as they were sent, if they are others."""

    content: bytes
    encoding: Encoding = Encoding.UTF_8  # of what was sent
    original: bytes | None = None


class SourceRefused(Exception):
    """Why a source is not graded, in one sentence for its author."""


def take_source(raw: bytes, language: Language, max_bytes: int) -> SourceText:
    """Return the source of a submission. Raises SourceRefused, also where it has more bytes before or after."""
    _refuse(source_problem(raw, max_bytes))
    try:
        text = in_utf8(raw, language)
    except UnknownEncoding as unknown:
        raise SourceRefused(_why_unknown(raw, unknown)) from unknown
    if b"\0" in text.content:
        raise SourceRefused(_nul())
    if text.original is not None:
        _refuse(_problem_of_converted(text.content, max_bytes))
    return text


def in_utf8(raw: bytes, language: Language) -> SourceText:
    """Return the source in UTF-8. Raises UnknownEncoding."""
    text, encoding = decode(raw)
    if encoding is Encoding.UTF_8:
        return SourceText(content=raw)
    content = _declaring_utf8(text, language.encoding_declaration).encode()
    return SourceText(content=content, encoding=encoding, original=raw)


def _declaring_utf8(text: str, declaration: re.Pattern[str] | None) -> str:
    declared = declaration.match(text) if declaration else None
    return f"{text[: declared.start('name')]}utf-8{text[declared.end('name') :]}" if declared else text


def _refuse(problem: str | None) -> None:
    if problem:
        raise SourceRefused(problem)


def _problem_of_converted(content: bytes, max_bytes: int) -> str | None:
    if content.strip() and len(content) > max_bytes:
        sizes = {"size": f"{len(content):,}", "most": f"{max_bytes:,}"}
        return gettext("As UTF-8 the source has {size} bytes; at most {most} are allowed.").format(**sizes)
    return source_problem(content, max_bytes)


def _why_unknown(raw: bytes, unknown: UnknownEncoding) -> str:
    if unknown.has_mark:
        return gettext("The source begins like UTF-16 but is not valid UTF-16. Save it as UTF-8 and send it again.")
    if b"\0" in raw:
        return _nul()
    return gettext("The source is neither UTF-8 nor CP949 text. Save it as UTF-8 and send it again.")


def _nul() -> str:
    return gettext("The source holds a NUL byte, so it is not a program text. Send the source file.")
