"""Package facts of the languages that Tally runs: file extensions, codes, names of files and how sources name others.

`judge.grading.languages` has the rest of each language, in a record that refers to the one here.
"""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from problems.translation import Sentence


@dataclass(frozen=True, kw_only=True, slots=True)
class PackageLanguage:
    """One language as packages name it. `id` is Tally's own word for it, in rows and settings."""

    id: str
    name: str  # for people, without a version
    extensions: tuple[str, ...]  # with the dot, as files are written; the first is the usual one
    codes: tuple[str, ...]  # in problem.yaml, of the package format and of DOMjudge; the first is the format's own
    main_stems: tuple[str, ...]  # names of main files without their ending, the likeliest first
    entry_names: tuple[str, ...]  # of a package's own file that is the program a submission is part of
    refers: str  # the pattern of a line that names another source file: NAME is that file's, STEM is without its ending
    entry_mark: bytes = b""  # what only the main file of several has, where the language has such a thing

    @property
    def main_name(self) -> str:
        """The name that marks a file as the main file."""
        return f"{self.main_stems[0]}{self.extensions[0]}"

    def refers_to(self, source: str, name: str) -> bool:
        """Return whether a line of the source names this file as one that belongs to the program."""
        pattern = self.refers.replace("NAME", re.escape(name)).replace("STEM", re.escape(PurePosixPath(name).stem))
        return re.search(pattern, source, re.MULTILINE) is not None

    def is_file_name(self, name: str) -> bool:
        """Return whether a submission may be called so: by the letters of the name, its length and its ending."""
        return _FILE_NAME.fullmatch(name) is not None and language_of(name) == self.id


MOST_NAME_LENGTH = 100
_FILE_NAME = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9_.-]{{0,{MOST_NAME_LENGTH - 1}}}")

PYTHON = PackageLanguage(
    id="python",
    name="Python",
    extensions=(".py", ".py3"),
    codes=("python3", "python", "py3"),
    main_stems=("__main__", "main", "validator", "validate", "checker"),
    entry_names=("__main__.py", "main.py"),
    refers=(
        r"^[ \t]*(?:from[ \t]+STEM\b|import[ \t][^#\n]*\bSTEM\b)"
        r"|\b(?:import_module|__import__)\([ \t]*[\"']STEM[\"']"
    ),
)
CPP = PackageLanguage(
    id="cpp",
    name="C++",
    extensions=(".cpp", ".cc", ".cxx", ".c++", ".C"),
    codes=("cpp", "c++"),
    main_stems=("main",),
    entry_names=(),  # each file is compiled, whatever its name
    refers=r"^[ \t]*#[ \t]*include[ \t]*\"NAME\"",
    entry_mark=b" main(",
)
RUST = PackageLanguage(
    id="rust",
    name="Rust",
    extensions=(".rs",),
    codes=("rust", "rs"),
    main_stems=("main",),
    entry_names=("main.rs",),
    refers=r"^[ \t]*(?:pub(?:\([^)\n]*\))?[ \t]+)?mod[ \t]+STEM[ \t]*;|\b(?:path[ \t]*=|include!\()[ \t]*\"NAME\"",
)
PACKAGE_LANGUAGES = {language.id: language for language in (PYTHON, CPP, RUST)}
_BY_EXTENSION = {extension: language.id for language in PACKAGE_LANGUAGES.values() for extension in language.extensions}
_BY_CODE = {code: language.id for language in PACKAGE_LANGUAGES.values() for code in language.codes}


def language_of(name: str) -> str | None:
    """Return the id of a source file's language, by its extension; None if Tally does not run it."""
    suffix = PurePosixPath(name).suffix
    return _BY_EXTENSION.get(suffix) or _BY_EXTENSION.get(suffix.lower())


def language_of_code(code: str) -> str | None:
    """Return the id of the language with this code in problem.yaml; None if Tally does not run it."""
    return _BY_CODE.get(code)


def any_of(names: list[str]) -> str:
    """Return names as a choice: "Python, C++ or Rust"."""
    *others, last = names
    return Sentence("%(others)s or %(last)s", others=", ".join(others), last=last) if others else last


def language_names() -> str:
    """Return the languages as a choice: "Python, C++ or Rust"."""
    return any_of([language.name for language in PACKAGE_LANGUAGES.values()])
