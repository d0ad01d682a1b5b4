"""Report archive files without a place in the package: an error if one could change a verdict, else a warning.

How it works: in a format without a list of its files (plain zips, tasks of CMS) nobody says what a file is for, so its
name has to. A program named like a checker, a grader or an interactor, a header, and a file of settings are refused;
whatever else is left over is named in a warning.
"""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath

from problems.convert.source import Source
from problems.format.files import printable
from problems.translation import Sentence

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
