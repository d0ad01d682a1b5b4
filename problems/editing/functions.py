"""A problem that asks for one file of a program, such as a function: the main program and the code to begin with, by
language, as a form shows them and as the files of a package.

Every other arrangement of `include/` and of code templates is a package's own, which no form shows: it stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from problems.convert.native import Content
from problems.format.programs import below
from problems.format.submitted_files import MOST_STARTER_BYTES, TEMPLATES
from problems.languages import PACKAGE_LANGUAGES, PackageLanguage, language_of, language_of_code
from problems.package import Package

INCLUDE = "include"
MOST_CHARACTERS = 20_000  # of a text in the form
_DEFAULT = "default"


@dataclass(frozen=True, kw_only=True, slots=True)
class TypedFunction:
    """The code of one language, as typed in a form.

    `program`: the main program, "": the contestant's file is it; `file_name`: of that file; `starter`: the code that it
    begins with.
    """

    program: str = ""
    file_name: str = ""
    starter: str = ""

    @property
    def is_empty(self) -> bool:
        """Return whether there is nothing of it in the package."""
        return not self.program.strip() and not self.starter.strip()


def program_name(language: PackageLanguage) -> str:
    """Return the name that a main program gets."""
    return language.entry_names[0] if language.entry_names else language.main_name


def files_of(language: PackageLanguage, typed: TypedFunction) -> dict[str, Content]:
    """Return the files of the package. The template also says how the contestant's file is called, so it is never
    missing.
    """
    if typed.is_empty:
        return {}
    code = language.codes[0]
    files: dict[str, Content] = {f"{TEMPLATES}/{code}/{typed.file_name}": typed.starter}
    if typed.program.strip():
        files[f"{INCLUDE}/{code}/{program_name(language)}"] = typed.program
    return files


def codes_of(functions: Mapping[str, TypedFunction]) -> list[str]:
    """Return the codes of the languages that have a main program: the only ones in which the problem can be solved."""
    return [PACKAGE_LANGUAGES[name].codes[0] for name, typed in functions.items() if typed.program.strip()]


def read_functions(package: Package, files: Mapping[str, Path]) -> dict[str, TypedFunction]:
    """Return what a form shows of each language; one whose files no form can show is left out."""
    functions = {}
    for language in PACKAGE_LANGUAGES.values():
        programs, templates = own_files(language, files)
        if len(programs) > 1 or len(templates) > 1 or _has_shared(files, language):
            continue
        texts = {name: _text(files[name]) for name in (*programs, *templates)}
        if None in texts.values() or any(language_of(name) != language.id for name in texts):
            continue
        submitted = package.submitted.get(language.id)
        functions[language.id] = TypedFunction(
            program="".join(texts[name] or "" for name in programs),
            file_name=templates[0].rpartition("/")[2] if templates else submitted.name if submitted else "",
            starter="".join(texts[name] or "" for name in templates),
        )
    return functions


def own_files(language: PackageLanguage, files: Mapping[str, Path]) -> tuple[list[str], list[str]]:
    """Return the language's main programs and code templates, by their names in the package."""
    return tuple(  # type: ignore[return-value]  # two of them
        [
            f"{folder}/{name}"
            for name in below(files, folder)
            if "/" in name and language_of_code(name.split("/")[0]) == language.id
        ]
        for folder in (INCLUDE, TEMPLATES)
    )


def _has_shared(files: Mapping[str, Path], language: PackageLanguage) -> bool:
    """Return whether files for all languages are the language's too."""
    templates = below(files, f"{TEMPLATES}/{_DEFAULT}")
    return bool(below(files, f"{INCLUDE}/{_DEFAULT}")) or any(language_of(name) == language.id for name in templates)


def _text(path: Path) -> str | None:
    """Return the file's text as a form can show it; None: it cannot."""
    with path.open("rb") as file:
        content = file.read(MOST_STARTER_BYTES + 1)
    try:
        text = content.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError:
        return None
    return None if len(text) > MOST_CHARACTERS or "\0" in text else text
