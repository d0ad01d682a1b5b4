"""Find an unmarked statement among tests: statement.md, problem.tex or the like, and its pictures."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from problems.convert.native import Files, NativeStatement
from problems.convert.source import PICTURES, Source, suffix_of
from problems.format.files import printable
from problems.format.yamlfile import read_text
from problems.names import visible
from problems.package import PackageError
from problems.statement.statement_files import MOST_BYTES, braced, plain_text

_STATEMENT = re.compile(r"(problem|statement|description|readme)(?:[._-](?P<language>[a-z]{2}))?\.(?P<kind>md|tex|pdf)")
_FORMATS = {"md": "markdown", "tex": "latex", "pdf": "pdf"}
_HEADING = re.compile(r"\s*#\s+(.+)")
_TITLE_LENGTH = 200


@dataclass(frozen=True, kw_only=True, slots=True)
class FoundStatement:
    """The statement and its files; all empty for none. `names` are the files used."""

    title: str = ""
    statements: tuple[NativeStatement, ...] = ()
    pictures: Files = field(default_factory=dict)
    names: frozenset[str] = frozenset()


def find_statement(source: Source) -> FoundStatement:
    """Return the statement: Markdown before LaTeX before PDF, the file nearest to the top."""
    candidates = []
    for name in source.files:
        match = _STATEMENT.fullmatch(PurePosixPath(name).name.lower())
        if match:
            kind = list(_FORMATS).index(match["kind"])
            candidates.append(((kind, name.count("/"), match[1] == "readme", name), match["language"] or "en"))
    if not candidates:
        return FoundStatement()
    (kind, _, _, name), language = min(candidates)
    folder = PurePosixPath(name).parent
    beside = [other for other in source.files if PurePosixPath(other).parent == folder and suffix_of(other) in PICTURES]
    statement = NativeStatement(source=source.files[name], format=list(_FORMATS.values())[kind], language=language)
    return FoundStatement(
        title=_title(source, name),
        statements=(statement,),
        pictures={PurePosixPath(picture).name: source.files[picture] for picture in beside},
        names=frozenset({name, *beside}),
    )


def _title(source: Source, name: str) -> str:
    """Return the title given in the statement."""
    if name.lower().endswith(".pdf"):
        return ""
    try:
        text = read_text(source.files[name], printable(name), MOST_BYTES)
    except PackageError as error:
        source.report.add(error)
        return ""
    if name.lower().endswith(".md"):
        heading = _HEADING.match(text)
        return visible(heading[1].rstrip().rstrip("#"))[:_TITLE_LENGTH] if heading else ""
    return visible(plain_text(braced(text, r"\problemname") or ""))[:_TITLE_LENGTH]
