"""A program of a package: its files, its language and its main file.

Source: "Programs" of the package format, and its table of languages.
"""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath

from problems.format.files import printable
from problems.languages import CPP, PACKAGE_LANGUAGES, any_of, language_names, language_of
from problems.package import PackageError, PackageProgram
from problems.translation import Sentence

OTHER_LANGUAGES = {  # those of the format that packages are really written in, for messages and to tell folders apart
    ".py2": "Python 2", ".c": "C", ".java": "Java", ".kt": "Kotlin", ".cs": "C#", ".go": "Go", ".hs": "Haskell",
    ".js": "JavaScript", ".ts": "TypeScript", ".pas": "Pascal", ".php": "PHP", ".pl": "Prolog", ".rb": "Ruby",
    ".scala": "Scala", ".ml": "OCaml", ".lisp": "Lisp", ".d": "D", ".sh": "Shell",
}  # fmt: skip
SCRIPTS = frozenset({"build", "run"})
MOST_BYTES = 64 * 1024 * 1024  # of all files of a program together: they are read for every submission
_MOST_FILES = 1_000  # their names are what one packet to a jail's init takes beside those of a test case
_MOST_NAMES_BYTES = 24 * 1024
GRAMMARS = {".ctd": "checktestdata", ".viva": "viva"}


def other_language_of(name: str) -> str | None:
    """Return the name of an unsupported language, by extension; None if the file is no source file."""
    if language_of(name):
        return None
    return OTHER_LANGUAGES.get(PurePosixPath(name).suffix.lower())


def below(files: Iterable[str], folder: str) -> list[str]:
    """Return the names below the folder, relative to it."""
    return [name.removeprefix(f"{folder}/") for name in files if name.startswith(f"{folder}/")]


def fits_packet(words: Iterable[str], most: int, most_bytes: int) -> bool:
    """Return whether these arguments are few and short enough for a program."""
    sizes = [len(word.encode("utf-8", "surrogateescape")) + 1 for word in words]
    return len(sizes) <= most and sum(sizes) <= most_bytes


def read_program(root: Path, name: str, files: Mapping[str, Path]) -> PackageProgram:
    """Return the program in the file or folder `name` ("input_validators/check.py"). `root` is the package's real path.

    Raises PackageError when Tally cannot run it.
    """
    inside = below(files, name)
    paths = {inner: files[f"{name}/{inner}"] for inner in inside} or {name: files[name]}
    if sum(path.stat().st_size for path in paths.values()) > MOST_BYTES:
        why = Sentence("has more than %(most)s MiB in its files", most=MOST_BYTES // 1024**2)
        raise PackageError(printable(name), "", why)
    if not fits_packet(paths, _MOST_FILES, _MOST_NAMES_BYTES):
        most, size = f"{_MOST_FILES:,}", _MOST_NAMES_BYTES // 1024
        why = Sentence(
            "has more than %(most)s files, or names of more than %(size)s KiB together", most=most, size=size
        )
        raise PackageError(printable(name), "", why)
    if name in files:
        path, ending = files[name], PurePosixPath(name).suffix
        if ending in GRAMMARS:
            return PackageProgram(path=path, language=GRAMMARS[ending], entry=path.name, name=name)
        return _source_program(path, name, [PurePosixPath(name).name], files)
    path = Path(os.path.realpath(root / name))
    if SCRIPTS & set(inside):
        return PackageProgram(path=path, language="script", entry="run", name=name)
    sources = [source for source in inside if "/" not in source and (language_of(source) or other_language_of(source))]
    if len(sources) == 1 and len(inside) == 1:
        return _source_program(files[f"{name}/{sources[0]}"], name, sources, files)
    return _source_program(path, name, sources, files)


def main_file(sources: list[str], language: str, texts: Mapping[str, Path], folder: str = "") -> str | None:
    """Return the main one of several source files: the one with a telling name, or the only one with the language's
    mark of a main file.

    `texts` are the files by the same names, `folder` is the name of the folder they lie in.
    """
    if len(sources) == 1:
        return sources[0]
    record = PACKAGE_LANGUAGES[language]
    for stem in (*record.main_stems, folder):
        for source in sources:
            if PurePosixPath(source).stem == stem:
                return source
    mark = record.entry_mark
    mains = [source for source in sources if mark and mark in texts[source].read_bytes()]
    return mains[0] if len(mains) == 1 else None


def _source_program(path: Path, name: str, sources: list[str], files: Mapping[str, Path]) -> PackageProgram:
    others = {other for source in sources if (other := other_language_of(source))}
    languages = {language for source in sources if (language := language_of(source))}
    if others == {"C"} and not languages and len(sources) == 1:
        languages, others = {CPP.id}, set()  # C that g++ compiles as C++, as it does with a file of this ending
    if others or len(languages) != 1:
        choice, names = language_names(), ", ".join(sorted(languages | others))
        why = Sentence(
            "must be in %(languages)s, in one of them only, or have a script build or run (found: none of them)",
            languages=choice,
        )
        if names:
            why = Sentence(
                "must be in %(languages)s, in one of them only, or have a script build or run (found: %(found)s)",
                languages=choice,
                found=names,
            )
        raise PackageError(printable(name), "", why)
    language = languages.pop()
    texts = {source: files.get(f"{name}/{source}", path) for source in sources}
    entry = main_file(sources, language, texts, path.name)
    if entry is None:
        mains = any_of([record.main_name for record in PACKAGE_LANGUAGES.values()])
        why = Sentence("has several source files: name the main one %(mains)s", mains=mains)
        raise PackageError(printable(name), "", why)
    return PackageProgram(path=path, language=language, entry=path.name if path.is_file() else entry, name=name)
