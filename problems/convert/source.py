"""The input of a converter: the files of a problem in another format, an unmarked statement among them, the report.

How files without a place in the package are told apart: in a format without a list of its files (plain zips, tasks of
CMS) nobody says what a file is for, so its name has to. A program named like a checker, a grader or an interactor, a
header, and a file of settings could change a verdict and are refused; whatever else is left over is in a warning.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from problems.convert.native import Files, NativeStatement
from problems.diagnostics import Report
from problems.format.files import printable
from problems.format.yamlfile import read_text
from problems.names import visible
from problems.package import ARCHIVE, PackageError
from problems.statement.statement_files import MOST_BYTES, plain_text, problem_name
from problems.translation import Sentence, listed

PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".svg")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """A problem in another format. `files` are all its files by name; none is a link."""

    files: Mapping[str, Path]
    short_name: str
    report: Report
    scratch: Path  # an empty folder for files that must be made
    unpack: Callable[[str], Mapping[str, Path]]  # the files of the archive of this name; raises PackageError
    copies: dict[Path, Path] = field(default_factory=dict)  # a file in `scratch` -> the one that it is made of

    def text(self, name: str, most_bytes: int) -> str:
        """Return the file's text; "" with an error in the report."""
        try:
            return read_text(self.files[name], printable(name), most_bytes)
        except PackageError as error:
            self.report.add(error)
            return ""

    def warn_left_out(self, names: list[str]) -> None:
        """Warn of files without a place in the package."""
        if names:
            files = listed([printable(name, 40) for name in sorted(names)], 5)
            self.report.warn(ARCHIVE, "", Sentence("has files that are left out: %(files)s", files=files))


def title_of(short_name: str) -> str:
    """Return a title for a problem that has only a file name: "a-plus_b" becomes "A plus b"."""
    words = short_name.replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else short_name


def suffix_of(name: str) -> str:
    """Return the file name's extension in lower case, with the dot."""
    return PurePosixPath(name).suffix.lower()


_PROGRAMS = frozenset(
    {
        "", ".bin", ".c", ".c++", ".cc", ".class", ".cpp", ".cs", ".cxx", ".d", ".dpr", ".exe", ".go", ".hs", ".jar",
        ".java", ".jl", ".js", ".kt", ".lua", ".ml", ".o", ".pas", ".php", ".pl", ".py", ".py2", ".py3", ".rb",
        ".rs", ".sh", ".so", ".swift", ".ts",
    }
)  # fmt: skip
_HEADERS = frozenset({".h", ".hh", ".hpp", ".hxx", ".inc"})
_SETTINGS = frozenset(
    {".cfg", ".conf", ".config", ".ini", ".json", ".json5", ".properties", ".toml", ".xml", ".yaml", ".yml"}
)
_FOR_PEOPLE = frozenset({"copying", "license", "makefile", "readme"})  # without an ending as programs have none
_GENERATED = "GEN"  # of CMS: which test case is in which subtask
_WORDS = {
    word: meaning
    for words, meaning in (
        ("check checker checkers chk cmp compare comparator correttore evaluator judge spj", Sentence("a checker")),
        ("scorer scoring", Sentence("a program that gives points")),
        ("interact interactor interactive manager", Sentence("a program that submissions talk to")),
        ("grader graders stub stubs", Sentence("code that submissions are linked with")),
        ("validate validator validators", Sentence("a validator")),
    )
    for word in words.split()
}
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def report_leftovers(source: Source, names: Iterable[str], where: Sentence) -> None:
    """Report each of these files; `where` names the format that has no place for it, "a zip of tests"."""
    others = []
    for name in names:
        if what := could_judge(name):
            why = Sentence(
                "looks like %(what)s, and %(where)s has no place for it: if verdicts do not depend on it, take it out; "
                "else upload a package in the ICPC/Kattis format",
                what=what,
                where=where,
            )
            source.report.error(printable(name), "", why)
        else:
            others.append(name)
    source.warn_left_out(others)


def could_judge(name: str) -> Sentence | None:
    """Return in words what a file of this name may be that changes verdicts; None for nothing."""
    path = PurePosixPath(name)
    ending = path.suffix.lower()
    if ending in _HEADERS:
        return Sentence("a header that programs include")
    if ending in _SETTINGS or path.name == _GENERATED:
        return Sentence("settings (limits, points, a checker)")
    if ending not in _PROGRAMS or path.name.lower() in _FOR_PEOPLE:
        return None
    for part in (path.stem, *reversed(path.parts[:-1])):
        for piece in _PIECE.findall(part):
            if meaning := _WORDS.get(piece.lower()):
                return meaning
    return None


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
        title = plain_text(problem_name(text) or "")
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
