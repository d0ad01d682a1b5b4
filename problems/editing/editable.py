"""The editable part of a package, as a form shows it. Everything else in the package stays as it is."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import yaml

from problems.diagnostics import Report
from problems.editing.draft import TypedFunction, TypedSample, plain_lines, read_functions, shown_text
from problems.format.files import MIB, checked_files
from problems.format.problemyaml import STRICT_VERSION
from problems.format.yamlfile import MOST_BYTES as YAML_BYTES, read_text, read_yaml
from problems.jury.validators import INPUT_FOLDERS
from problems.package import Package, PackageError, PackageErrors, TestCase
from problems.statement.statement_files import FOLDERS, MOST_BYTES
from problems.translation import Sentence, SentenceError

CASE_ENDINGS: tuple[str, ...] = (".in", ".ans", ".out", ".desc", ".hint", ".args", ".yaml", ".interaction")
CASE_ENDINGS += (".in.statement", ".ans.statement", ".in.download", ".ans.download")
CASE_ENDINGS += (".png", ".jpg", ".jpeg", ".svg")
_OTHERWISE_SHOWN = (".in.statement", ".ans.statement", ".out", ".interaction")
_CREDITS = {True: "author", False: "credits"}  # by whether the package is legacy
_OTHERWISE_WRITTEN = Sentence("problem.yaml holds something that this form would not write as it was.")


class NotEditable(SentenceError):
    """`why` a form cannot edit this package safely, as a sentence."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EditableStatement:
    """A statement: `file` in the package, and its text; a PDF has no text."""

    language: str
    format: str
    file: str
    title: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredCase:
    """A test case that can be kept or removed, but not edited. `name` is below data/."""

    name: str
    input_bytes: int
    answer_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Editable:
    """A package as its form shows it. `values` is problem.yaml."""

    package: Package
    files: Mapping[str, Path]
    values: Mapping[str, object]
    statements: tuple[EditableStatement, ...]
    samples: tuple[TypedSample, ...]
    other_samples: tuple[StoredCase, ...]  # too long for a form, no text, or shown otherwise
    tests: tuple[StoredCase, ...]
    functions: Mapping[str, TypedFunction]  # by language; one whose files no form can show is left out
    takes_flags: bool  # a form may choose the default checker and its flags: they are the same, from one place, for all

    def statement(self, language: str) -> EditableStatement | None:
        """Return the text in this language."""
        return next((text for text in self.statements if text.language == language and text.format != "pdf"), None)

    def title(self, language: str) -> str:
        """Return the title in this language."""
        titles = (text.title for text in self.statements if text.language == language and text.title)
        return next(titles, self.package.name)

    @property
    def statement_folder(self) -> str:
        """The folder of statements and their pictures."""
        there = [statement.file.split("/")[0] for statement in self.statements if "/" in statement.file]
        there += [folder for folder in FOLDERS if any(name.startswith(f"{folder}/") for name in self.files)]
        return there[0] if there else FOLDERS[self.package.is_legacy]

    @property
    def time_limit_ms(self) -> int | None:
        """The limit given in the package."""
        return self.package.limits.time_limit_ms if self.package.is_time_limit_given else None

    @property
    def memory_mib(self) -> int | None:
        """The limit given in the package, in MiB."""
        limits = self.values.get("limits")
        is_given = isinstance(limits, dict) and limits.get("memory") is not None
        return round(self.package.limits.memory_bytes / MIB) if is_given else None

    @property
    def author_key(self) -> str:
        """The problem.yaml key for the authors."""
        return _CREDITS[self.package.is_legacy]

    def line(self, key: str) -> str | None:
        """Return the value of problem.yaml if it is one line of text, "" if it is missing, None if it is more."""
        value = self.values.get(key)
        if value is None:
            return ""
        return value.strip() if isinstance(value, str) and "\n" not in value.strip() else None

    @property
    def flags(self) -> tuple[str, ...]:
        """The default checker's flags for secret cases."""
        return next((case.validator_args for case in self.package.test_cases if not case.is_sample), ())

    @property
    def resolution_ms(self) -> int | None:
        """The step of time limits."""
        limits = self.values.get("limits")
        seconds = limits.get("time_resolution") if isinstance(limits, dict) else None
        if isinstance(seconds, (int, float)) and seconds > 0:
            return max(1, round(seconds * 1_000))
        return 1_000 if self.values.get("problem_format_version") == STRICT_VERSION else None

    @property
    def input_validators(self) -> tuple[str, ...]:
        """The files and folders that check inputs."""
        paths = (name.split("/") for name in self.files)
        return tuple(sorted({"/".join(parts[:2]) for parts in paths if parts[0] in INPUT_FOLDERS and len(parts) > 1}))

    @property
    def test_folders(self) -> tuple[str, ...]:
        """The folders below data/secret that hold test cases, "" for data/secret itself."""
        folders = {str(PurePosixPath(case.name).parent).removeprefix("secret").strip("/") for case in self.tests}
        return tuple(sorted(folders))


def read_editable(package: Package) -> Editable:
    """Return the package as a form shows it. Raises NotEditable, PackageErrors."""
    files = checked_files(package.path)
    samples, others = _samples(package, files)
    report = Report()
    try:
        values = read_yaml(files["problem.yaml"], "problem.yaml", report)
        report.stop_if_broken()
        again = yaml.safe_load(write_yaml(values))
    except (PackageError, PackageErrors, yaml.YAMLError) as error:
        raise NotEditable(_OTHERWISE_WRITTEN) from error
    if report.warnings or again != values:
        raise NotEditable(_OTHERWISE_WRITTEN)
    return Editable(
        package=package,
        files=files,
        values=values,
        statements=tuple(_statements(package, files)),
        samples=samples,
        other_samples=others,
        tests=tuple(_stored(case) for case in package.test_cases if not case.is_sample),
        functions=read_functions(package, files),
        takes_flags=_takes_flags(package, files),
    )


def flag_files(files: Mapping[str, Path]) -> tuple[str, str]:
    """Return the files, existing or not, with the default checker's flags in 2025-09: of samples, of the rest."""
    names = []
    for part in ("sample", "secret"):
        new, old = f"data/{part}/test_group.yaml", f"data/{part}/testdata.yaml"
        names.append(old if old in files and new not in files else new)
    return names[0], names[1]


def write_yaml(values: Mapping[str, object]) -> str:
    """Return the text of a YAML file with these values, in their order."""
    return yaml.safe_dump(dict(values), allow_unicode=True, sort_keys=False, width=1_000)


def _takes_flags(package: Package, files: Mapping[str, Path]) -> bool:
    if package.is_interactive or package.most_passes > 1 or package.has_checker_scores:
        return False
    own_places = () if package.is_legacy else flag_files(files)
    for name, path in files.items():
        if name.startswith("data/") and name.endswith(".yaml") and name not in own_places:
            with path.open("rb") as file:
                if b"output_validator" in file.read(YAML_BYTES):
                    return False
    return True


def _statements(package: Package, files: Mapping[str, Path]) -> Iterator[EditableStatement]:
    names = {path: name for name, path in files.items()}
    for statement in package.statements:
        name = names.get(statement.path) or statement.path.relative_to(package.path).as_posix()
        try:
            text = "" if statement.format == "pdf" else plain_lines(read_text(statement.path, name, MOST_BYTES))
        except PackageError as error:
            raise NotEditable(Sentence("%(name)s %(why)s.", name=name, why=error.why)) from error
        yield EditableStatement(
            language=statement.language, format=statement.format, file=name, title=statement.title, text=text
        )


def _samples(package: Package, files: Mapping[str, Path]) -> tuple[tuple[TypedSample, ...], tuple[StoredCase, ...]]:
    typed, others = [], []
    for case in package.test_cases:
        if not case.is_sample:
            continue
        stem = f"data/{case.name}"
        input_text, answer = shown_text(case.input), shown_text(case.answer)
        if input_text is None or answer is None or any(f"{stem}{ending}" in files for ending in _OTHERWISE_SHOWN):
            others.append(_stored(case))
        else:
            typed.append(TypedSample(name=case.name.removeprefix("sample/"), input=input_text, answer=answer))
    return tuple(typed), tuple(others)


def _stored(case: TestCase) -> StoredCase:
    input_bytes, answer_bytes = case.input.stat().st_size, case.answer.stat().st_size
    return StoredCase(name=case.name, input_bytes=input_bytes, answer_bytes=answer_bytes)
