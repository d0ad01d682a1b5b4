r"""Prepare LaTeX statements for pandoc: the format's own commands, figures, references.

How it works: a prelude on the source's first line defines what packages take from their class file; the rest is
rewritten in place without adding or removing a line, so that pandoc's line numbers stay true.

Source: "LaTeX" under "Problem statements" of the package format, and the class files that packages are written for.
"""

import re
from collections.abc import Callable

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
