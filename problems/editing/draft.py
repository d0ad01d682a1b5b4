"""A problem as typed into a form: a whole new problem, or the changes to an existing one."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from problems.convert.native import Content, Files, NativeCase, NativeProblem, NativeStatement
from problems.editing.functions import TypedFunction, codes_of, files_of
from problems.format.files import MIB
from problems.languages import PACKAGE_LANGUAGES

CHECKER = "checker"  # the folder of a checker, in a format where each program has one


@dataclass(frozen=True, kw_only=True, slots=True)
class TypedSample:
    """One sample. `name` is that of an existing sample, below data/sample; "" for a new one."""

    input: str
    answer: str
    name: str = ""


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
    samples = [
        NativeCase(
            name=f"{number:0{width}}",
            input=with_line_end(sample.input),
            answer=with_line_end(sample.answer),
            is_sample=True,
        )
        for number, sample in enumerate(draft.samples, 1)
    ]
    tests = [
        NativeCase(name=name, input=input_file, answer=answer) for name, (input_file, answer) in draft.tests.items()
    ]
    return NativeProblem(
        title=draft.title,
        short_name=short_name,
        cases=(*samples, *tests),
        statements=(
            NativeStatement(source=with_line_end(draft.statement), format=draft.format, language=draft.language),
        ),
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
