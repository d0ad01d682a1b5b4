"""Find a package's statements, their pictures, and the problem's name in a LaTeX statement.

Rendering is in `statement`. Source: "Problem statements" and "Attachments" of the package format, legacy
(problem_statement/) and 2025-09 (statement/); DOMjudge's `problem.pdf` at the top.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from problems.diagnostics import Report
from problems.format.programs import below
from problems.format.yamlfile import read_text
from problems.names import visible
from problems.package import Attachment, PackageError, Statement
from problems.translation import Sentence

MOST_BYTES = 512 * 1024
MOST_LANGUAGES = 50  # each is rendered, which may take seconds
FOLDERS = ("statement", "problem_statement")
ATTACHMENTS = "attachments"
# What a page shows inline; `files` of the site serves nothing else that way.
PICTURE_TYPES = {
    ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".svg": "image/svg+xml",
    ".webp": "image/webp",
}  # fmt: skip
DRAWINGS = (".pdf", ".eps", ".ps")  # LaTeX's, which no browser shows as pictures
_NAME = re.compile(
    r"(?:problem_statement|statement)/problem(?:\.(?P<language>[A-Za-z]{2,3}(?:-[A-Za-z]{2})?))?\.(?P<kind>tex|md|pdf)"
)
_TOP_PDF = "problem.pdf"
_FORMATS = {"md": "markdown", "tex": "latex"}
_PDF = "pdf"
_PLAIN_NAME = re.compile(r"^[ \t]*%+[ \t]*plainproblemname:(.*)$", re.MULTILINE | re.IGNORECASE)
_COMMENT = re.compile(r"(?<!\\)%.*")


def find_statements(files: Mapping[str, Path], report: Report) -> tuple[Statement, ...]:
    """Return the statements, English first, then by language; per language text before PDF, Markdown before LaTeX."""
    texts: dict[str, Statement] = {}
    pdfs: dict[str, Statement] = {}
    for name in sorted(files):
        match = _NAME.fullmatch(name)
        language = (match["language"] if match else None) or "en"
        if name == _TOP_PDF or (match and match["kind"] == _PDF):
            pdfs.setdefault(language, Statement(language=language, path=files[name], format=_PDF))
        elif match and language not in texts:  # .md sorts before .tex
            texts[language] = Statement(language=language, path=files[name], format=_FORMATS[match["kind"]])
    if not texts and not pdfs:
        why = Sentence(
            "has no statement (problem.en.md, problem.en.tex or problem.en.pdf): the page will show the samples only"
        )
        report.warn("statement/", "", why)
    if len({*texts, *pdfs}) > MOST_LANGUAGES:
        report.error("statement/", "", Sentence("has statements in more than %(most)s languages", most=MOST_LANGUAGES))
    statements = [*texts.values(), *pdfs.values()]
    statements.sort(key=lambda statement: (statement.language != "en", statement.language, statement.format == _PDF))
    return tuple(statements)


def with_titles(statements: Iterable[Statement], names: Mapping[str, str]) -> tuple[Statement, ...]:
    """Return the statements with titles in their language: from `names` (problem.yaml), else from the LaTeX text."""
    own = {statement.language: name for statement in statements if (name := name_in_statement(statement))}
    return tuple(
        replace(statement, title=(names.get(statement.language) or own.get(statement.language) or "")[:200])
        for statement in statements
    )


def find_pictures(files: Mapping[str, Path]) -> tuple[Attachment, ...]:
    """Return the pictures beside the statements that a page can show, by name below the statements' folder."""
    return _beside(files, PICTURE_TYPES)


def find_drawings(files: Mapping[str, Path]) -> tuple[Attachment, ...]:
    """Return the pictures beside the statements that a page cannot show as they are, likewise."""
    return _beside(files, DRAWINGS)


def _beside(files: Mapping[str, Path], suffixes: Collection[str]) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(name=name, path=files[f"{folder}/{name}"])
        for folder in FOLDERS
        for name in sorted(below(files, folder))
        if PurePosixPath(name).suffix.lower() in suffixes and not _NAME.fullmatch(f"{folder}/{name}")
    )


def find_attachments(files: Mapping[str, Path]) -> tuple[Attachment, ...]:
    """Return the public downloads, by name below attachments/."""
    names = sorted(below(files, ATTACHMENTS))
    return tuple(Attachment(name=name, path=files[f"{ATTACHMENTS}/{name}"]) for name in names)


def name_in_statement(statement: Statement) -> str:
    r"""Return the name in a LaTeX statement (`%% plainproblemname:` or \problemname{...}), "" for none."""
    if statement.format != "latex":
        return ""
    try:
        source = read_text(statement.path, statement.path.name, MOST_BYTES)
    except PackageError:
        return ""  # rendering reports it
    plain = _PLAIN_NAME.search(source)
    if plain and plain[1].strip():
        return visible(plain[1])
    argument = problem_name(_COMMENT.sub("", source))
    return visible(plain_text(argument)) if argument else ""


def problem_name(source: str) -> str | None:
    r"""Return the text in braces after \problemname, None if it does not occur."""
    start = re.search(r"\\problemname\s*\{", source)
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
    latex = latex.replace("\x00", "")  # stands for an escaped character below
    text = re.sub(r"\\([&%$#_{}])", lambda match: f"\x00{ord(match[1])};", latex)
    text = re.sub(r"\\[A-Za-z]+\*?\s?|[{}$]|\\.", "", text).replace("~", " ")
    text = text.replace("---", "\u2014").replace("--", "\u2013").replace("``", "\u201c").replace("''", "\u201d")
    text = re.sub(r"\x00(\d+);", lambda match: chr(int(match[1])), text)
    return " ".join(text.split())
