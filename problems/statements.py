"""Which statements a package has, and the problem's name inside a LaTeX one. Rendering is in `statement`.

Source: "Problem statements" of the package format, legacy (problem_statement/) and 2025-09 (statement/).
"""

import re
from collections.abc import Mapping
from pathlib import Path

from problems.package import PackageError, Statement
from problems.report import Report
from problems.yamlfile import read_text

MOST_BYTES = 512 * 1024
_NAME = re.compile(
    r"(?:problem_statement|statement)/problem(?:\.(?P<language>[A-Za-z]{2,3}(?:-[A-Za-z]{2})?))?\.(?P<kind>tex|md|pdf)"
)
_FORMATS = {"md": "markdown", "tex": "latex"}
_PLAIN_NAME = re.compile(r"^\s*%+\s*plainproblemname:\s*(.+?)\s*$", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"(?<!\\)%.*")


def find_statements(files: Mapping[str, Path], report: Report) -> tuple[Statement, ...]:
    """Return the statements, English first, then by language; Markdown wins where both formats are given."""
    found: dict[str, Statement] = {}
    has_pdf = False
    for name in sorted(files):
        match = _NAME.fullmatch(name)
        if match is None:
            continue
        language, kind = match["language"] or "en", match["kind"]
        has_pdf = has_pdf or kind == "pdf"
        if kind in _FORMATS and language not in found:  # .md sorts before .tex
            found[language] = Statement(language=language, path=files[name], format=_FORMATS[kind])
    if not found:
        pdf = "only a PDF, which is not shown yet" if has_pdf else "none"
        report.warn("statement/", "", f"has no statement problem.en.md or problem.en.tex (found: {pdf})")
    return tuple(sorted(found.values(), key=lambda statement: (statement.language != "en", statement.language)))


def name_in_statement(statement: Statement) -> str:
    r"""Return the name that a LaTeX statement gives (`%% plainproblemname:` or \problemname{...}), "" for none."""
    if statement.format != "latex":
        return ""
    try:
        source = read_text(statement.path, statement.path.name, MOST_BYTES)
    except PackageError:
        return ""  # rendering reports it
    plain = _PLAIN_NAME.search(source)
    if plain:
        return plain[1]
    argument = braced(_COMMENT.sub("", source), r"\problemname")
    return plain_text(argument) if argument else ""


def braced(source: str, command: str) -> str | None:
    r"""Return what stands in the braces after `command` ("\problemname"), None if it does not occur."""
    start = re.search(re.escape(command) + r"\s*\{", source)
    if start is None:
        return None
    depth = 1
    for place in range(start.end(), len(source)):
        character = source[place]
        if source[place - 1] != "\\":
            depth += (character == "{") - (character == "}")
        if depth == 0:
            return source[start.end() : place]
    return None


def plain_text(latex: str) -> str:
    r"""Return a short LaTeX text without its markup: "A \emph{b} $x$ \& c" becomes "A b x & c"."""
    text = re.sub(r"\\([&%$#_{}])", lambda match: f"\x00{ord(match[1])};", latex)
    text = re.sub(r"\\[A-Za-z]+\*?\s?|[{}$]|\\.", "", text).replace("~", " ")
    text = text.replace("---", "\u2014").replace("--", "\u2013").replace("``", "\u201c").replace("''", "\u201d")
    text = re.sub(r"\x00(\d+);", lambda match: chr(int(match[1])), text)
    return " ".join(text.split())
