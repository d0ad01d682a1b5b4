r"""Locate errors in LaTeX: by the line of pandoc's log, and by what the source leaves open.

Pandoc notices at the end of the source that an environment or a formula was never closed. So the source is looked
through for the place where it began. That is no parser: what it says is true of the text, and where braces and
environments interleave, as in definitions, it says nothing.
"""

import re
from collections.abc import Iterator

from problems.translation import Sentence

_ERROR = re.compile(r"Error at [^\n]*?\(line (\d+), column \d+\):\s*((?:(?:unexpected|expecting)[^\n]*\n?)+)")
_TOKEN = re.compile(r'Tok \(line \d+, column \d+\) (?:\(CtrlSeq "[^"\n]*"\)|\w+) "((?:[^"\\\n]|\\.)*)"')
_NOTHING = "unexpected ()"
_MOST_WORDS = 300
_MOST_LOOKED_AT = 100_000  # characters of a source
_MOST_SHOWN = 60
_VERBATIM = ("verbatim", "verbatim*", "lstlisting", "minted", "comment")
_PIECE = re.compile(
    r"%[^\n]*|\\verb\*?([^A-Za-z\s*])[^\n]{0,200}?\1|\\(begin|end)[ \t]*\{([^{}\n]*)\}|\\.|[{}]|\$\$?|\n[ \t]*\n",
    re.DOTALL,
)


def why_unreadable(complaint: str, source: str) -> Sentence:
    """Return why pandoc, which wrote this complaint, cannot read the source: the rest of a sentence."""
    error = _ERROR.search(complaint)
    if error is None:
        return Sentence("could not be turned into a page: %(words)s", words=complaint.strip()[:_MOST_WORDS])
    words = _TOKEN.sub(lambda token: token[1].replace("\\\\", "\\"), error[2])
    words = ", ".join(line for line in words.splitlines() if line != _NOTHING)[:_MOST_WORDS]
    left_open = what_is_open(source)
    if left_open is None:
        return Sentence("cannot be read in line %(line)s: %(words)s", line=error[1], words=words or _NOTHING)
    if not words:
        return Sentence("cannot be read in line %(line)s: %(words)s", line=error[1], words=left_open)
    return Sentence("cannot be read in line %(line)s: %(words)s; %(open)s", line=error[1], words=words, open=left_open)


def formula_line(tex: str, source: str) -> int:
    """Return the line of the source with this formula, which pandoc does not tell; 0 if it does not stand there so."""
    formula = rf"(?:\$|\\\(|\\\[|\}})\s*{re.escape(tex.strip())}\s*(?:\$|\\\)|\\\]|\\end\s*\{{)"
    place = re.search(formula, source)
    return source.count("\n", 0, source.index(tex.strip(), place.start())) + 1 if place else 0


def what_is_open(source: str) -> Sentence | None:
    """Return the first thing that LaTeX source opens and does not close, or closes and did not open.

    None for neither, and for a source of unusual length.
    """
    if len(source) > _MOST_LOOKED_AT:
        return None
    opened: list[tuple[str, int]] = []
    for text, line in _pieces(source):
        top, begun = opened[-1] if opened else ("", 0)
        is_formula = top.startswith("$")
        if text.isspace():
            if is_formula:  # it ends with its paragraph at the latest
                return _not_closed(top, begun)
        elif text.startswith("$"):
            if is_formula:
                opened.pop()
            if not is_formula or len(text) > len(top):  # $a$$b$
                opened.append((text if not is_formula else "$", line))
        elif text == "{" or text.startswith(r"\begin"):
            opened.append((text, line))
        elif not opened:
            return Sentence("%(what)s in line %(line)s closes nothing", what=text[:_MOST_SHOWN], line=line)
        elif top == _opening(text):
            opened.pop()
        elif is_formula:
            return _not_closed(top, begun)
        elif "{" in (top, _opening(text)):
            return None  # as in \newcommand{\be}{\begin{equation}}
        else:
            return Sentence(
                "%(what)s in line %(line)s does not close %(top)s in line %(begun)s",
                what=text[:_MOST_SHOWN],
                line=line,
                top=top[:_MOST_SHOWN],
                begun=begun,
            )
    return _not_closed(*opened[-1]) if opened else None


def _pieces(source: str) -> Iterator[tuple[str, int]]:
    """Yield what opens and closes, and the ends of paragraphs, each with its line."""
    place, line = 0, 1
    while piece := _PIECE.search(source, place):
        line += source.count("\n", place, piece.start())
        place = piece.end()
        if piece[2]:
            yield rf"\{piece[2]}{{{piece[3]}}}", line
            if piece[2] == "begin" and piece[3] in _VERBATIM:
                end = source.find(rf"\end{{{piece[3]}}}", place)
                place = end if end >= 0 else len(source)
        elif piece[0][0] not in "\\%":
            yield piece[0], line
        line += source.count("\n", piece.start(), place)


def _opening(text: str) -> str:
    return "{" if text == "}" else text.replace(r"\end", r"\begin", 1)


def _not_closed(what: str, line: int) -> Sentence:
    return Sentence("%(what)s in line %(line)s is not closed", what=what[:_MOST_SHOWN], line=line)
