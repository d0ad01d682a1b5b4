r"""Prepare LaTeX statements for pandoc: the format's own commands, figures, references.

How it works: a prelude on the source's first line defines what packages take from their class file; the rest is
rewritten in place without adding or removing a line, so that pandoc's line numbers stay true. TikZ pictures are taken
out before: each becomes a document of its own, with the definitions that the statement makes for them and a page as
large as the picture; it needs nothing but TeX with TikZ.

Source: "LaTeX" under "Problem statements" of the package format, and the class files that packages are written for.
"""

import hashlib
import re
from collections.abc import Callable
from itertools import islice

_HEADINGS = {  # of the environments Input, Output and Interaction
    "en": ("Input", "Output", "Interaction"),
    "da": ("Input", "Output", "Interaktion"),
    "de": ("Eingabe", "Ausgabe", "Interaktion"),
    "es": ("Entrada", "Salida", "Interacción"),
    "fr": ("Entrée", "Sortie", "Interaction"),
    "is": ("Inntak", "Úttak", "Gagnvirkni"),
    "it": ("Input", "Output", "Interazione"),
    "ko": ("입력", "출력", "인터랙션"),
    "nb": ("Inndata", "Utdata", "Interaksjon"),
    "nl": ("Invoer", "Uitvoer", "Interactie"),
    "no": ("Inndata", "Utdata", "Interaksjon"),
    "pl": ("Wejście", "Wyjście", "Interakcja"),
    "pt": ("Entrada", "Saída", "Interação"),
    "sv": ("Indata", "Utdata", "Interaktion"),
}
_PRELUDE = (  # boxes keep what stands in them, which pandoc would leave out
    r"\newcommand{\problemname}[1]{}"
    r"\newcommand{\illustration}[3]{\begin{figure}\includegraphics[width=#1\textwidth]{#2}\caption{#3}\end{figure}}"
    r"\newenvironment{Sample}{}{}\newenvironment{multicols}[1]{}{}"
    r"\newcommand{\raisebox}[2]{#2}\newcommand{\makebox}[2][]{#2}\newcommand{\framebox}[2][]{#2}"
    r"\newcommand{\fbox}[1]{#1}\newcommand{\resizebox}[3]{#3}\newcommand{\scalebox}[2]{#2}"
    # spaces, which pandoc knows in formulas only; these are as wide there (in em: 0.222, 0.278, 0.5, 1, 2)
    r"\newcommand{\:}{~}\newcommand{\;}{~}\newcommand{\thinspace}{\,}\newcommand{\enspace}{~~}\newcommand{\enskip}{~~}"
    r"\newcommand{\quad}{~~~~\,}\newcommand{\qquad}{~~~~\,~~~~\,}"
    # lines of tables, whose columns pandoc takes for the text of the next cell
    r"\newcommand{\cline}[1]{}\newcommand{\cmidrule}[2][]{}\newcommand{\hhline}[1]{}"
    r"\newcommand{\textellipsis}{\ldots}"
)
_SAMPLE_COMMAND = re.compile(  # not where a statement defines one of them for other tools
    r"(?<!command\{)(?<!command)(?<!\\def)"
    r"\\(?:(nextsample|remainingsamples)(?![A-Za-z@])|includesample\s*\{([^{}\n]*)\})"
)
_CONSTANT = re.compile(r"\\constant\s*\{\s*([\w.]+)\s*\}")
_BESIDE_TEXT = re.compile(
    r"\\begin\{wrapfigure\}(?:\[[^\]\n]{0,99}\])?\{[^{}\n]*\}(?:\[[^\]\n]{0,99}\])?\{[^{}\n]*\}|\\end\{wrapfigure\}"
)
_BARE_FRACTION = re.compile(r"(\\illustration\s*\{|\b(?:width|height)\s*=)\s*\.(?=[0-9])")  # ".3" of the text's width
_TRIMMED_RULE = re.compile(r"(\\cmidrule\s*(?:\[[^\]\n]{0,99}\])?)\([^()\n]{0,99}\)")  # \cmidrule(lr){1-2}
_EQUATION_EDGE = re.compile(r"\\(begin|end)\{(equation|align|eqnarray|gather|multline)\}")
_LABEL = re.compile(r"\\label\s*\{([^{}\n]*)\}")
_REFERENCE = re.compile(r"\\(ref|eqref|autoref|cref|Cref)\s*\{([^{}\n]*)\}")
_TIKZ_EDGE = re.compile(r"\\(begin|end)\s*\{tikzpicture\}")
_DEFINITION = re.compile(
    r"\\(?:usetikzlibrary|usepgflibrary|usepgfplotslibrary|tikzset|tikzstyle|pgfplotsset|definecolor|colorlet"
    r"|(?:re)?newcommand|def)(?![A-Za-z])\*?"
)
_DEFINED_NAME = re.compile(r"[ \t]*(?:\\[A-Za-z]+[ \t]*)?(?:#[0-9])*")  # \def\name#1, \newcommand\name
_NEXT_ARGUMENT = re.compile(r"(?:[ \t]*=[ \t]*)?([\[{])")
_COMMENT = re.compile(r"(?<!\\)%")
_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
MOST_TIKZ = 40
_MOST_DEFINITIONS, _MOST_LENGTH = 200, 10_000  # characters
_PGFPLOTS = re.compile(r"\\begin\s*\{(?:axis|semilogxaxis|semilogyaxis|loglogaxis)\}")
_TIKZ_DOCUMENT = r"""\documentclass{article}
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


def prepare(source: str, language: str, constant: Callable[[str], str | None], mark: Callable[[str, str], str]) -> str:
    r"""Return the source with the format's own commands replaced by ones that pandoc knows.

    `constant` gives the value of \constant{NAME}, None to leave it; `mark` what stands for samples: "next" and "rest"
    with "", or "named" and the name of one.
    """
    source = _SAMPLE_COMMAND.sub(lambda command: rf"\par {_sample(command, mark)} \par{{}}", source)
    source = _CONSTANT.sub(lambda command: command[0] if (value := constant(command[1])) is None else value, source)
    source = _BESIDE_TEXT.sub(lambda command: rf"\{command[0][1:].split('{')[0]}{{figure}}", source)
    source = _BARE_FRACTION.sub(r"\g<1>0.", source)
    source = _TRIMMED_RULE.sub(r"\1", source)
    words = _HEADINGS.get(language.split("-")[0].lower(), _HEADINGS["en"])
    headings = (
        rf"\newenvironment{{{name}}}{{\section*{{{word}}}}}{{}}"
        for name, word in zip(_HEADINGS["en"], words, strict=True)
    )
    return _PRELUDE + "".join(headings) + _with_numbered_equations(source)


def _sample(command: re.Match[str], mark: Callable[[str, str], str]) -> str:
    if command[1] is None:
        return mark("named", command[2].strip())
    return mark("next" if command[1] == "nextsample" else "rest", "")


def _with_numbered_equations(source: str) -> str:
    r"""Number equations with a \label, since pandoc numbers only figures, tables and sections."""
    parts: list[str] = []
    numbers: dict[str, str] = {}
    opened: tuple[str, int] | None = None  # the environment, and where in the source it begins
    done = 0
    for edge in _EQUATION_EDGE.finditer(source):
        if edge[1] == "begin":
            opened = (edge[2], edge.start())
        elif opened and opened[0] == edge[2]:
            parts += (source[done : opened[1]], _numbered(source[opened[1] : edge.end()], numbers))
            done, opened = edge.end(), None
    return _REFERENCE.sub(lambda reference: _reference(reference, numbers), "".join((*parts, source[done:])))


def _numbered(equation: str, numbers: dict[str, str]) -> str:
    """Return the equation with numbers for its lines' labels and link targets before it; extends `numbers`."""
    places = []
    body, end = equation[: equation.rindex("\\end")], equation[equation.rindex("\\end") :]
    lines = body.split("\\\\")
    for position, line in enumerate(lines):
        for label in _LABEL.findall(line):
            numbers.setdefault(label, str(len(numbers) + 1))
            places.append(rf"\hypertarget{{{label}}}{{}}")
            lines[position] = rf"{_LABEL.sub('', lines[position])} \qquad ({numbers[label]})"
    return "".join(places) + "\\\\".join(lines) + end


def _reference(reference: re.Match[str], numbers: dict[str, str]) -> str:
    if reference[2] not in numbers:
        return reference[0]  # pandoc's to resolve
    text = f"({numbers[reference[2]]})" if reference[1] == "eqref" else numbers[reference[2]]
    return rf"\hyperlink{{{reference[2]}}}{{{text}}}"


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
    for edge in _TIKZ_EDGE.finditer(source):
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
        document = _TIKZ_DOCUMENT % {
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
    name = _DEFINED_NAME.match(source, place)
    place = name.end() if name else place
    while following := _NEXT_ARGUMENT.match(source, place):
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
