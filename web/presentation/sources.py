"""A program's source as lines of safe HTML with class-based highlighting."""

from functools import cache

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer, include
from pygments.lexers import find_lexer_class_by_name
from pygments.lexers.c_cpp import CppLexer
from pygments.token import Punctuation
from pygments.util import ClassNotFound

from judge.grading.languages import LANGUAGES, file_name
from judge.models import CustomRun, Submission
from web.presentation.visible import mark_invisible

MAX_LINES = 5_000  # of source on one page
# Beyond these it is plain text: 64 KiB of line breaks keep the lexer of C++ busy for two minutes, 32 KiB of slashes
# in one line for 14 seconds.
_MAX_HIGHLIGHTED_CHARACTERS = 32 * 1_024
_MAX_HIGHLIGHTED_LINES = 2_000
_MAX_HIGHLIGHTED_LINE_CHARACTERS = 500


class _PlainCpp(CppLexer):
    """Without what finds out where a function begins: in 32 KiB of blanks or comments that takes minutes."""

    tokens = {
        **CppLexer.tokens,
        "root": [include("whitespace"), include("statements"), (r"[{};]", Punctuation)],
    }


_FORMATTER = HtmlFormatter(nowrap=True)  # making one takes longer than what it does to a short program
_QUICK_LEXERS: dict[str, type[Lexer]] = {"cpp": _PlainCpp}


def name_of(sent: Submission | CustomRun) -> str:
    """Return the name under which the program was compiled; "" in a language that this version does not know."""
    language = LANGUAGES.get(sent.language)
    return file_name(language, sent.file_name, sent.problem_version.submitted_file(sent.language)) if language else ""


def download_name(sent: Submission) -> str:
    """Return the name of the file to download: the one that its sender or the problem gave it, else by its number."""
    language = LANGUAGES.get(sent.language)
    name = name_of(sent)
    if language is None or name == language.source_name:
        return f"submission-{sent.pk}{language.extensions[0] if language else '.txt'}"
    return name


def source_lines(text: str, language: str) -> list[SafeString]:
    """Return at most MAX_LINES lines; multi-line tokens end at each line's end, invisible characters are marked."""
    plain = text.replace("\r\n", "\n").removesuffix("\n").split("\n")
    lines = _highlighted("\n".join(plain), language) if _is_quick(plain) else [escape(line) for line in plain]
    return [mark_invisible(line) for line in lines[:MAX_LINES]]


def _is_quick(lines: list[str]) -> bool:
    return (
        len(lines) <= _MAX_HIGHLIGHTED_LINES
        and sum(map(len, lines)) <= _MAX_HIGHLIGHTED_CHARACTERS
        and max(map(len, lines)) <= _MAX_HIGHLIGHTED_LINE_CHARACTERS
    )


@cache
def _lexer(language: str) -> Lexer | None:
    """Return the lexer; None of a language that this version does not know."""
    try:
        name = LANGUAGES[language].lexer
        find = _QUICK_LEXERS.get(name) or find_lexer_class_by_name(name)
    except (KeyError, ClassNotFound):
        return None
    return find(stripnl=False, ensurenl=False)


def _highlighted(text: str, language: str) -> list[SafeString]:
    lexer = _lexer(language)
    if lexer is None:
        return [escape(line) for line in text.split("\n")]
    # \r alone would become a line break in the lexer; a picture of it keeps the line numbers those of the compiler
    html = highlight(text.replace("\r", "\u240d"), lexer, _FORMATTER)
    lines = html.split("\n")
    wanted = text.count("\n") + 1
    return [mark_safe(line) for line in lines[:wanted]]  # noqa: S308 - pygments escapes, and emits only classes
