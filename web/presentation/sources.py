"""A program's source as lines of safe HTML, coloured by the tokens that a worker has read (`judge.grading.bounded`),
and what a compiler or the failing program said of it, with links to these lines.

No source is parsed here: a page costs the same whatever the source holds. Without tokens it is plain text.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path

from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from judge.grading.compile_problem import CompileProblem
from judge.grading.languages import LANGUAGES, PROGRAM_FOLDER, file_name
from judge.grading.reading.places import TokenKind
from judge.models import CustomRun, Submission
from web.presentation.visible import mark_invisible, visible_text

MAX_LINES = 5_000  # of source on one page
OUR_TOKENS = Path(__file__).with_name("tokens.json")  # of the sources that ship with Tally; manage.py record_example
_CLASSES = {  # of web/frontend/css/result/source.css
    TokenKind.COMMENT: "c",
    TokenKind.STRING: "s",
    TokenKind.NUMBER: "m",
    TokenKind.KEYWORD: "k",
    TokenKind.TYPE: "t",
    TokenKind.DIRECTIVE: "d",
}
_KINDS = list(TokenKind)
_MOST_MARKED = 20  # lines of the source
_MOST_CHARACTERS = 240  # of a message in the page's head


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Mistake:
    """One thing that was wrong. `line` is 0 where no line of the source is named."""

    line: int
    message: SafeString


@dataclass(frozen=True, kw_only=True, slots=True)
class Diagnosis:
    """The whole text with its places in the source linked, the mistakes it names, and the lines to mark."""

    html: SafeString
    mistakes: tuple[Mistake, ...]

    @property
    def first(self) -> Mistake | None:
        return self.mistakes[0] if self.mistakes else None

    @property
    def others(self) -> int:
        return max(0, len(self.mistakes) - 1)

    @property
    def lines(self) -> frozenset[int]:
        """The lines that are to be marked."""
        return frozenset([mistake.line for mistake in self.mistakes if mistake.line][:_MOST_MARKED])


def compile_diagnosis(message: str, sent: Submission | CustomRun, problem: CompileProblem | None = None) -> Diagnosis:
    """Return what a compiler said, below what it did not say itself."""
    if problem is not None:
        diagnosis = compile_diagnosis(message, sent)
        sentence = visible_text(problem.sentence.translated())
        return replace(diagnosis, html=format_html("{}\n{}", sentence, diagnosis.html) if message else sentence)
    language = LANGUAGES.get(sent.language)
    if language is None:
        return Diagnosis(html=visible_text(message), mistakes=())
    mistakes, most = [], _lines_of(sent)
    for match in language.mistakes_in(name_of(sent)).finditer(message):
        line, words = int(match["line"]), match["message"]
        cut = "\N{HORIZONTAL ELLIPSIS}" if len(words) > _MOST_CHARACTERS else ""
        html = format_html("{}{}", visible_text(words[:_MOST_CHARACTERS].strip()), cut)
        mistakes.append(Mistake(line=line if line <= most else 0, message=html))
    return Diagnosis(html=linked_errors(message, sent), mistakes=tuple(mistakes))


def linked_errors(text: str, sent: Submission | CustomRun) -> SafeString:
    """Return what a compiler or a failing program wrote, with each place in the program linked to the page's line."""
    name, most, parts, end = name_of(sent), _lines_of(sent), [], 0
    if not name:
        return visible_text(text)
    # `main.cpp:7:5`, `File "/program/main.py", line 12`
    place = rf'(?<![\w./-])(?:{PROGRAM_FOLDER}/)?{re.escape(name)}(?::|", line )(?P<line>\d{{1,7}})'
    for match in re.finditer(place, text, re.ASCII):
        line = int(match["line"])
        if 1 <= line <= most:
            parts.append(visible_text(text[end : match.start()]))
            parts.append(format_html('<a href="#L{}">{}</a>', line, visible_text(match[0])))
            end = match.end()
    parts.append(visible_text(text[end:]))
    return format_html_join("", "{}", ((part,) for part in parts))


def _lines_of(sent: Submission | CustomRun) -> int:
    return sent.source_text.count("\n") + 1
