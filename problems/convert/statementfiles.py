"""Find an unmarked statement among tests: statement.md, problem.tex or the like, its pictures, and its language."""

import re
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from problems.convert.native import Files, NativeStatement
from problems.convert.source import PICTURES, Source, suffix_of
from problems.names import visible
from problems.statement.statement_files import MOST_BYTES, braced, plain_text

_STATEMENT = re.compile(r"(problem|statement|description|readme)(?:[._-](?P<language>[a-z]{2}))?\.(?P<kind>md|tex|pdf)")
_FORMATS = {"md": "markdown", "tex": "latex", "pdf": "pdf"}
_HEADING = re.compile(r"\s*#\s+(.+)")
_TITLE_LENGTH = 200
_CODES = {
    "english": "en", "russian": "ru", "chinese": "zh", "ukrainian": "uk", "polish": "pl", "japanese": "ja",
    "korean": "ko", "vietnamese": "vi", "romanian": "ro", "turkish": "tr", "arabic": "ar", "hungarian": "hu",
    "czech": "cs", "german": "de", "french": "fr", "spanish": "es", "portuguese": "pt", "italian": "it",
    "armenian": "hy", "azerbaijani": "az", "georgian": "ka", "kazakh": "kk", "uzbek": "uz", "bulgarian": "bg",
    "serbian": "sr", "croatian": "hr", "slovak": "sk", "slovene": "sl", "lithuanian": "lt", "latvian": "lv",
    "estonian": "et", "finnish": "fi", "swedish": "sv", "norwegian": "no", "danish": "da", "dutch": "nl",
    "greek": "el", "hebrew": "he", "persian": "fa", "thai": "th", "indonesian": "id", "mongolian": "mn",
    "belarusian": "be", "hindi": "hi", "bengali": "bn",
}  # fmt: skip


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
    text = "" if statement.format == "pdf" else source.text(name, MOST_BYTES)
    if statement.format == "markdown":
        heading = _HEADING.match(text)
        title = heading[1].rstrip().rstrip("#") if heading else ""
    else:
        title = plain_text(braced(text, r"\problemname") or "")
    return FoundStatement(
        title=visible(title)[:_TITLE_LENGTH],
        statements=(statement,),
        pictures={PurePosixPath(picture).name: source.files[picture] for picture in beside},
        names=frozenset({name, *beside}),
    )


def language_code(language: str) -> str:
    """Return the code of a language in English: "english" is "en"; "en" stays; "" for an unknown one."""
    language = language.strip().lower()
    return _CODES.get(language) or (language if re.fullmatch(r"[a-z]{2,3}", language) else "")
