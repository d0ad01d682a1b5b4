r"""Take the TikZ pictures out of a LaTeX statement: each becomes a document of its own and a picture in the statement.

The document has the definitions that the statement makes for them, and a page that is as large as the picture. It needs
TeX with TikZ, and nothing else that a distribution may lack.
"""

import hashlib
import re
from itertools import islice

_EDGE = re.compile(r"\\(begin|end)\s*\{tikzpicture\}")
_DEFINITION = re.compile(
    r"\\(?:usetikzlibrary|usepgflibrary|usepgfplotslibrary|tikzset|tikzstyle|pgfplotsset|definecolor|colorlet"
    r"|(?:re)?newcommand|def)(?![A-Za-z])\*?"
)
_NAME = re.compile(r"[ \t]*(?:\\[A-Za-z]+[ \t]*)?(?:#[0-9])*")  # \def\name#1, \newcommand\name
_NEXT = re.compile(r"(?:[ \t]*=[ \t]*)?([\[{])")
_COMMENT = re.compile(r"(?<!\\)%")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
MOST_TIKZ = 40
_MOST_DEFINITIONS, _MOST_LENGTH = 200, 10_000  # characters
_PGFPLOTS = re.compile(r"\\begin\s*\{(?:axis|semilogxaxis|semilogyaxis|loglogaxis)\}")
_DOCUMENT = r"""\documentclass{article}
\usepackage{amsmath,amssymb}
\usepackage{tikz}%(packages)s
%(definitions)s
\newsavebox\tallybox
\begin{document}
\savebox\tallybox{%(picture)s}
\hoffset=-1in \voffset=-1in
\ifdefined\pdfpagewidth\else\let\pdfpagewidth\pagewidth\let\pdfpageheight\pageheight\fi
\pdfpagewidth=\wd\tallybox
\pdfpageheight=\dimexpr\ht\tallybox+\dp\tallybox\relax
\shipout\copy\tallybox
\end{document}
"""


def with_tikz_taken_out(source: str) -> tuple[str, dict[str, str]]:
    r"""Return the source with \includegraphics in the place of each tikzpicture, on as many lines, and the documents by
    the names that these give. What exceeds MOST_TIKZ stays in the source.
    """
    parts: list[str] = []
    documents: dict[str, str] = {}
    definitions: list[tuple[int, str]] = []  # where each ends in the source, and its text
    has_pictures = r"\begin" in source and "tikzpicture" in source
    for start in islice(_DEFINITION.finditer(source), _MOST_DEFINITIONS) if has_pictures else ():
        line = source[source.rfind("\n", 0, start.start()) + 1 : start.start()]
        if not _COMMENT.search(line):
            end = _end(source, start.end())
            definitions.append((end, source[start.start() : end]))
    depth = begin = done = 0
    for edge in _EDGE.finditer(source):
        if edge[1] == "begin":
            begin = edge.start() if depth == 0 else begin
            depth += 1
        elif depth:
            depth -= 1
        if depth or edge[1] == "begin" or begin < done:
            continue
        if len(documents) == MOST_TIKZ:
            break
        picture = source[begin : edge.end()]
        before = dict.fromkeys(text for end, text in definitions if end <= begin)
        document = _DOCUMENT % {
            "packages": r"\usepackage{pgfplots}" if _PGFPLOTS.search(picture) else "",
            "definitions": "\n".join(before),
            "picture": picture,
        }
        name = f"tikz-{hashlib.sha256(document.encode()).hexdigest()[:16]}"
        documents[name] = document
        lines = "%\n" * picture.count("\n")
        parts += [source[done:begin], rf"\includegraphics{{{name}}}{lines}"]
        done = edge.end()
    return "".join((*parts, source[done:])), documents


def _end(source: str, place: int) -> int:
    """Return where a definition ends: behind the name, and the brackets and braces that follow its word."""
    name = _NAME.match(source, place)
    place = name.end() if name else place
    while following := _NEXT.match(source, place):
        end = _closing(source, following.start(1), following[1])
        if end < 0:
            break
        place = end + 1
    return place


def _closing(source: str, place: int, opening: str) -> int:
    """Return where the bracket or brace at this place is closed; -1: not near it."""
    if opening == "[":
        return source.find("]", place, place + _MOST_LENGTH)
    depth = 0
    for brace in _BRACE.finditer(source, place, place + _MOST_LENGTH):
        depth += {"{": 1, "}": -1}.get(brace[0], 0)
        if depth == 0:
            return brace.start()
    return -1
