"""A problem as typed into a form: a whole new problem, or the changes to an existing one.

A problem may ask for one file of a program, such as a function: then it has, by language, a main program and the code
to begin with. Every other arrangement of `include/` and of code templates is a package's own, which no form shows: it
stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from problems.convert.native import Content, Files, NativeCase, NativeProblem, NativeStatement
from problems.format.files import MIB
from problems.format.included_files import TEMPLATES
from problems.format.programs import below
from problems.languages import PACKAGE_LANGUAGES, PackageLanguage, language_of, language_of_code
from problems.package import Package

CHECKER = "checker"  # the folder of a checker, in a format where each program has one
INCLUDE = "include"
MOST_CHARACTERS = 20_000  # of a function's text in the form
_MOST_SHOWN_BYTES = 64 * 1024
_DEFAULT = "default"


@dataclass(frozen=True, kw_only=True, slots=True)
class TypedSample:
    """One sample. `name` is that of an existing sample, below data/sample; "" for a new one."""

    input: str
    answer: str
    name: str = ""


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


@dataclass(frozen=True, kw_only=True, slots=True)
class Draft:
    """The content of a form. Files are named as below their folder of the package: "accepted/fast.cpp", "tree.png"."""

    title: str
    statement: str = ""
    format: str = "markdown"
    language: str = "en"
    samples: tuple[TypedSample, ...] = ()
    tests: Mapping[str, tuple[Content, Content]] = field(default_factory=dict)  # to add, by name below data/secret
    time_limit_ms: int | None = None  # None: found by calibration
    memory_mib: int | None = None  # None: left to Tally
    flags: tuple[str, ...] | None = None  # of the default checker; None: the problem has its own, or keeps its flags
    checker: Files = field(default_factory=dict)  # a checker of the problem's own: the files of one program
    input_validators: Files = field(default_factory=dict)
    submissions: Files = field(default_factory=dict)
    pictures: Files = field(default_factory=dict)
    attachments: Files = field(default_factory=dict)
    functions: Mapping[str, TypedFunction] = field(default_factory=dict)  # by language; one that is left out stays
    author: str | None = None  # None, of these three: stays
    source: str | None = None
    license: str | None = None
    removed_cases: frozenset[str] = frozenset()  # below data/: "secret/07", "sample/1"
    removed: frozenset[str] = frozenset()  # files and folders of the package


def plain_lines(text: str) -> str:
    """Return the text with Unix line ends instead of those that a browser's form sends."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def shown_text(path: Path) -> str | None:
    """Return the file's text as a form can show it; None: it cannot."""
    if path.stat().st_size > _MOST_SHOWN_BYTES:
        return None
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else plain_lines(text)


def with_line_end(text: str) -> str:
    """Return the text with a final line end."""
    return text if not text or text.endswith("\n") else f"{text}\n"


def function_files(functions: Mapping[str, TypedFunction]) -> dict[str, Content]:
    """Return the files of the package, each with a final line end."""
    return {
        name: with_line_end(content) if isinstance(content, str) else content
        for language, typed in functions.items()
        for name, content in files_of(PACKAGE_LANGUAGES[language], typed).items()
    }


def problem_of(draft: Draft, short_name: str) -> NativeProblem:
    """Return the new problem, for `write_native`."""
    width = len(str(len(draft.samples)))
    cases = []
    for number, sample in enumerate(draft.samples, 1):
        texts = {"input": with_line_end(sample.input), "answer": with_line_end(sample.answer)}
        cases.append(NativeCase(name=f"{number:0{width}}", **texts, is_sample=True))
    for name, (input_file, answer) in draft.tests.items():
        cases.append(NativeCase(name=name, input=input_file, answer=answer))
    statement = NativeStatement(source=with_line_end(draft.statement), format=draft.format, language=draft.language)
    return NativeProblem(
        title=draft.title,
        short_name=short_name,
        cases=tuple(cases),
        statements=(statement,),
        pictures=draft.pictures,
        time_limit_ms=draft.time_limit_ms,
        memory_bytes=draft.memory_mib * MIB if draft.memory_mib else None,
        validator_flags=draft.flags or (),
        checker={f"{CHECKER}/{name}": content for name, content in draft.checker.items()},
        input_validators=draft.input_validators,
        submissions=draft.submissions,
        attachments=draft.attachments,
        more=function_files(draft.functions),
        languages=tuple(codes_of(draft.functions)),
        author=draft.author or "",
        source=draft.source or "",
        license=draft.license or "",
    )


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
    shared_include, shared_templates = (below(files, f"{folder}/{_DEFAULT}") for folder in (INCLUDE, TEMPLATES))
    for language in PACKAGE_LANGUAGES.values():
        programs, templates = own_files(language, files)
        has_shared = shared_include or any(language_of(name) == language.id for name in shared_templates)
        if len(programs) > 1 or len(templates) > 1 or has_shared:
            continue
        texts = {name: shown_text(files[name]) for name in (*programs, *templates)}
        if any(text is None or len(text) > MOST_CHARACTERS for text in texts.values()):
            continue
        if any(language_of(name) != language.id for name in texts):
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
    programs, templates = (
        [f"{folder}/{name}" for name in names if "/" in name and language_of_code(name.split("/")[0]) == language.id]
        for folder, names in ((folder, below(files, folder)) for folder in (INCLUDE, TEMPLATES))
    )
    return programs, templates
