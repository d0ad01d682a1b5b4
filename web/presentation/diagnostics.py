"""What a compiler or a failing program said of its source: all of it with links to the lines, and the first error."""

import re
from dataclasses import dataclass, replace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from judge.grading.compile_problem import CompileProblem
from judge.grading.languages import LANGUAGES, PROGRAM_FOLDER
from judge.models import CustomRun, Submission
from web.presentation.sources import name_of
from web.presentation.visible import visible_text

_MOST_MARKED = 20  # lines of the source
_MOST_CHARACTERS = 240  # of a message in the page's head


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
        """The number of mistakes beside the first."""
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
