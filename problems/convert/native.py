"""A problem as values, and writing it as a package: the common target of the converters and the wizard.

The package is of the legacy format with `.timelimit`, which every tool that installs packages can read. What is wrong
with a problem (no secret test case, unfit flags) is not looked for here: `loading.load_package` says it afterwards.

Source: the ICPC/Kattis problem package format, legacy.
"""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from problems.format.files import MIB, printable
from problems.format.origins import RECORD, names_of, record_of
from problems.package import PackageError
from problems.translation import Sentence

_FORMATS = {"markdown": "md", "latex": "tex", "pdf": "pdf"}
_KIB = 1024

Content = str | bytes | Path  # what a file holds: text, bytes, or a file to copy
Files = Mapping[str, Content]  # by name with "/"


@dataclass(frozen=True, kw_only=True, slots=True)
class NativeCase:
    """One test case. `name` is below data/sample or data/secret, without extension: "01", "2-large/07"."""

    name: str
    input: Content
    answer: Content
    is_sample: bool = False
    description: str = ""  # one line for staff
    interaction: Content | None = None  # of an interactive problem's sample: what its page shows


@dataclass(frozen=True, kw_only=True, slots=True)
class NativeStatement:
    """One statement in one language ("en", "pt-BR"); `format` is "markdown", "latex" or "pdf"."""

    source: Content
    format: str
    language: str = "en"


@dataclass(frozen=True, kw_only=True, slots=True)
class NativeGroup:
    """Scoring of a folder of cases, as in its testdata.yaml; `folder` is below data/, "" is data/ itself.

    `score` of the cases is "sum" or "min"; with `breaks` nothing of the folder is run after its first rejected part.
    """

    folder: str
    accept_score: float | None = None  # of one accepted case; None: not said
    most: float | None = None  # points of the whole folder; None: not said
    score: str = "sum"
    breaks: bool = False
    ignores_sample: bool = False
    accepts_if_any: bool = False
    validator_flags: tuple[str, ...] = ()  # for the checker on these cases, behind the problem's


@dataclass(frozen=True, kw_only=True, slots=True)
class NativeProblem:
    """A problem that will become a package. A limit of None is left to Tally."""

    title: str
    short_name: str = ""  # what the folder should be called; "": nobody said
    cases: tuple[NativeCase, ...] = ()
    statements: tuple[NativeStatement, ...] = ()
    pictures: Files = field(default_factory=dict)  # beside the statements, by the names that these use
    time_limit_ms: int | None = None
    memory_bytes: int | None = None
    output_bytes: int | None = None
    code_bytes: int | None = None
    validator_flags: tuple[str, ...] = ()  # of the default checker, or arguments of the problem's own
    checker: Files = field(default_factory=dict)  # empty: the default one; else its files, "checker/checker.cpp"
    is_interactive: bool = False  # the checker is the interactor
    input_validators: Files = field(default_factory=dict)  # "numbers/validator.cpp"
    submissions: Files = field(default_factory=dict)  # of the jury, "accepted/fast.cpp"
    attachments: Files = field(default_factory=dict)
    more: Files = field(default_factory=dict)  # further files, by their names in the package
    languages: tuple[str, ...] = ()  # codes of the only ones that may be submitted; none: all
    is_scoring: bool = False
    has_checker_scores: bool = False  # the checker gives points itself (score.txt)
    groups: tuple[NativeGroup, ...] = ()  # of a scoring problem
    author: str = ""
    source: str = ""
    license: str = ""


def write_native(problem: NativeProblem, folder: Path, before: Mapping[Path, str] | None = None) -> None:
    """Write the package into `folder`, which is new or empty. `before`: the original names of copied files.

    Files are not copied but get a second name where the file system can do that: nobody may change them before the
    package was stored. Raises PackageError for a name that leads out of its place.
    """
    folder.mkdir(parents=True, exist_ok=True)
    files = _files(problem)
    if names := names_of(files, before or {}):
        files[RECORD] = record_of(names)
    for name, content in files.items():
        if any(part in ("", ".", "..") for part in name.split("/")) or "\0" in name:
            raise PackageError(printable(name), "", Sentence("is no name of a file in a package"))
        path = folder / name
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, Path):
                _share(content, path)
            else:
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
            why = Sentence("would be a file and a folder of the package at once: rename one of them")
            raise PackageError(printable(name), "", why) from error


def seconds_of(time_limit_ms: int) -> str:
    """Return a time limit in the form of `.timelimit`: "2", "0.5"."""
    return f"{time_limit_ms / 1_000:.3f}".rstrip("0").rstrip(".")


def _files(problem: NativeProblem) -> dict[str, Content]:
    files: dict[str, Content] = {"problem.yaml": _problem_yaml(problem)}
    if problem.time_limit_ms is not None:
        files[".timelimit"] = f"{seconds_of(problem.time_limit_ms)}\n"
    for statement in problem.statements:
        files[f"problem_statement/problem.{statement.language}.{_FORMATS[statement.format]}"] = statement.source
    for place, contents in (
        ("problem_statement", problem.pictures),
        ("output_validators", problem.checker),
        ("input_validators", problem.input_validators),
        ("submissions", problem.submissions),
        ("attachments", problem.attachments),
    ):
        files |= {f"{place}/{name}": content for name, content in contents.items()}
    files |= problem.more
    for case in problem.cases:
        stem = f"data/{'sample' if case.is_sample else 'secret'}/{case.name}"
        files |= {f"{stem}.in": case.input, f"{stem}.ans": case.answer}
        if case.description:
            files[f"{stem}.desc"] = f"{case.description}\n"
        if case.interaction is not None:
            files[f"{stem}.interaction"] = case.interaction
    for group in problem.groups:
        flags = [group.score]  # even if it is "sum": the folder above may say something else
        flags += ["ignore_sample"] * group.ignores_sample + ["accept_if_any_accepted"] * group.accepts_if_any
        on_reject = "break" if group.breaks else "continue"
        values: dict[str, object] = {"on_reject": on_reject, "grader_flags": " ".join(flags)}
        if group.validator_flags:
            values["output_validator_flags"] = " ".join(group.validator_flags)
        if group.accept_score is not None:
            values["accept_score"] = _number(group.accept_score)
        if group.most is not None:
            values["range"] = f"0 {_number(group.most)}"
        files["/".join(part for part in ("data", group.folder, "testdata.yaml") if part)] = _yaml(values)
    return files


def _problem_yaml(problem: NativeProblem) -> str:
    custom = ("custom", *["interactive"] * problem.is_interactive, *["score"] * problem.has_checker_scores)
    limits = (
        ("memory", problem.memory_bytes, MIB),
        ("output", problem.output_bytes, MIB),
        ("code", problem.code_bytes, _KIB),
    )
    values: dict[str, object] = {
        "name": problem.title,
        "type": "scoring" if problem.is_scoring else "",
        "author": problem.author,
        "source": problem.source,
        "license": problem.license,
        "languages": list(problem.languages),
        "validation": " ".join(custom) if problem.checker else "",
        "validator_flags": " ".join(problem.validator_flags),
        "limits": {name: -(-value // unit) for name, value, unit in limits if value is not None},
    }
    return _yaml({key: value for key, value in values.items() if value})


def _number(value: float) -> int | float:
    return int(value) if value == int(value) else value


def _yaml(values: dict[str, object]) -> str:
    return yaml.safe_dump(values, allow_unicode=True, sort_keys=False, width=1_000)


def _share(source: Path, path: Path) -> None:
    try:
        os.link(source, path)
    except OSError:  # another file system, or one without second names
        path.unlink(missing_ok=True)
        shutil.copyfile(source, path)
