"""A program's source as lines of safe HTML, coloured by the tokens that a worker has read (`judge.grading.bounded`).

No source is parsed here: a page costs the same whatever the source holds. Without tokens it is plain text.
"""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from judge.grading.languages import LANGUAGES, file_name
from judge.grading.reading.places import TokenKind
from judge.models import CustomRun, Submission
from web.presentation.visible import mark_invisible

MAX_LINES = 5_000  # of source on one page
OUR_TOKENS = Path(__file__).with_name("tokens.json")  # of the sources that ship with Tally; manage.py record_example
_CLASSES = {  # of web/frontend/css/result/source.css
    **{TokenKind.COMMENT: "c", TokenKind.STRING: "s", TokenKind.NUMBER: "m"},
    **{TokenKind.KEYWORD: "k", TokenKind.TYPE: "t", TokenKind.DIRECTIVE: "d"},
}
_KINDS = list(TokenKind)


def source_lines(text: str, tokens: str | None = None) -> list[SafeString]:
    """Return at most MAX_LINES lines; multi-line tokens end at each line's end, invisible characters are marked.

    `tokens`: the column of the row that has the source, or `our_tokens`.
    """
    lines = [""]
    for piece, name in _pieces(text.encode("utf-8", "surrogatepass"), json.loads(tokens) if tokens else ()):
        first, *others = piece.split("\n")
        lines[-1] += _spanned(first, name)
        for other in others:
            if len(lines) == MAX_LINES:
                return _finished(lines)
            lines.append(_spanned(other, name))
    if len(lines) > 1 and not lines[-1]:
        lines.pop()  # after the last line's end
    return _finished(lines)


def our_tokens(language: str, source: str) -> str:
    """Return the tokens of a source that ships with Tally; "" of any other."""
    return _our_tokens().get(digest_of(language, source), "")


def digest_of(language: str, source: str) -> str:
    """Return the key of a source in OUR_TOKENS."""
    return sha256(f"{language}\n{source}".encode()).hexdigest()


def name_of(sent: Submission | CustomRun) -> str:
    """Return the name under which the program was compiled; "" in a language that this version does not know."""
    language = LANGUAGES.get(sent.language)
    return file_name(language, sent.file_name, sent.problem_version.submitted_file(sent.language)) if language else ""


def download_name(sent: Submission) -> str:
    """Return the name of the file to download: the one that its sender or the problem gave it, else by its number."""
    language, name = LANGUAGES.get(sent.language), name_of(sent)
    if language is None or name == language.source_name:
        return f"submission-{sent.pk}{language.extensions[0] if language else '.txt'}"
    return name


@cache
def _our_tokens() -> dict[str, str]:
    return {key: json.dumps(tokens) for key, tokens in json.loads(OUR_TOKENS.read_bytes()).items()}


def _pieces(source: bytes, tokens: list[int] | tuple[int, ...]) -> Iterator[tuple[str, str]]:
    """Yield the source in pieces, each with its class; "" for none."""
    done = end = 0
    for gap, size, kind in zip(tokens[0::3], tokens[1::3], tokens[2::3], strict=True):
        begin, end = end + gap, end + gap + size
        yield _text(source[done:begin]), ""
        done = end - source.startswith(b"\r", end - 1)  # it belongs to the line's end
        yield _text(source[begin:done]), _CLASSES[_KINDS[kind]]
    yield _text(source[done:]), ""


def _text(piece: bytes) -> str:
    return piece.decode("utf-8", "replace").replace("\r\n", "\n")


def _spanned(text: str, name: str) -> str:
    return f'<span class="{name}">{escape(text)}</span>' if name and text else str(escape(text))


def _finished(lines: list[str]) -> list[SafeString]:
    return [mark_invisible(mark_safe(line)) for line in lines]  # noqa: S308 - of escaped text and fixed markup
